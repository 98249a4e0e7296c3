import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestSupport

// How long the console needs for a page with ten thousand channels, from the request to the last byte.
extension BatonBench {
  static func console() async throws {
    let folder = try TemporaryFolder()
    let count = 10_000
    let first = try await daemon(folder)
    await stop(first)
    try await fill(folder, count)
    let daemon = try await daemon(folder)
    let client = try await BatonClient(socket: folder.path + "/c")
    let console = try Program("baton-console", ["--socket", folder.path + "/c"])
    let address = try await console.line(containing: "/login?code=")
    guard let port = try? #/localhost:(\d+)\//#.firstMatch(in: address).flatMap({ UInt16($0.output.1) }) else {
      throw Program.Ended(description: "no address: \(address)")
    }
    let browser = try PlainBrowser(port: port)
    let signedIn = try browser.ask(
      "POST", "/login",
      ["Sec-Fetch-Site: same-origin", "Content-Type: application/x-www-form-urlencoded"], body: "code=\(address.suffix(32))")
    guard let cookie = signedIn.head.firstMatch(of: #/(?i)set-cookie: ([^;]*)/#)?.output.1 else {
      throw Program.Ended(description: "not signed in: \(signedIn.head)")
    }
    // What the daemon needs for the rows of such a page, which the console cannot be faster than.
    var asked: [Double] = []
    for _ in 0..<30 {
      let begin = ContinuousClock.now
      _ = try await client.call(
        ChannelsMethod.list, ["limit": 100, "sort": [["field": "updatedAt", "direction": -1]]])
      asked.append(seconds(ContinuousClock.now - begin) * 1000)
    }
    let pages: [(String, String)] = [
      ("the overview", "/"), ("100 channels, the latest changes first", "/channels"),
      ("100 channels by name", "/channels?sort=name"), ("a search", "/channels?q=7"), ("a channel", "/channels/1"),
      ("its messages", "/channels/1/messages"), ("the relays", "/relays"), ("a relay", "/relays/1"),
      ("the history", "/history"), ("the daemon", "/daemon"), ("the servers", "/servers"), ("the operators", "/operators"),
      ("the health of relays", "/health"), ("channels with unread messages first", "/channels?sort=unread"),
      ("channels on a relay", "/channels?relay=1"),
      ("channels with a cause, of which there are none", "/channels?cause=timeout"),
      ("channels that failed on a relay, of which there are none", "/channels?status=failed"),
      ("the history of a day with a cause", "/history?cause=timeout&hours=24"),
    ]
    for (name, path) in pages {
      var times: [Double] = []
      for _ in 0..<30 {
        let begin = ContinuousClock.now
        let page = try browser.ask("GET", path, ["Cookie: \(cookie)"])
        times.append(seconds(ContinuousClock.now - begin) * 1000)
        guard page.head.hasPrefix("HTTP/1.1 200") else { throw Program.Ended(description: "\(path): \(page.head)") }
      }
      row(
        "console, \(count) channels: \(name)", "\(format(median(times), 1)) ms", "budget 20 ms", format(median(times) / 20, 2))
    }
    row(
      "the same: what the daemon needs for 100 channels, the latest changes first", "\(format(median(asked), 1)) ms")
    row(
      "the same: memory of the console after that (resident)", "\(format(memory(console.pid), 1)) MiB", "budget 100 MiB",
      format(memory(console.pid) / 100, 2))
    await client.close()
    await stop(console)
    await stop(daemon)
  }
}

/// A connection to the console that is used again and again, as a browser does.
private struct PlainBrowser {
  private let socket: RawSocket

  init(port: UInt16) throws { socket = try RawSocket(port: port) }

  func ask(_ method: String, _ path: String, _ fields: [String], body: String = "") throws -> (head: String, bytes: Int) {
    let lines = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)"] + fields
    let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    socket.send(request)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var wanted: Int?
    while wanted.map({ bytes.count < $0 }) ?? true {
      let count = recv(socket.descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { throw Program.Ended(description: "the console closed the connection") }
      bytes += chunk.prefix(count)
      guard wanted == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
      let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      let length = head.firstMatch(of: #/(?i)content-length: (\d+)/#).flatMap { Int($0.output.1) } ?? 0
      wanted = end.upperBound + length
    }
    return (String(decoding: bytes.prefix(2000), as: UTF8.self), bytes.count)
  }
}
