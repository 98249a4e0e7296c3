import Foundation
import Glibc
import TestTools
import Testing

/// A console over a daemon, and a browser without manners for it: it sends what a test says and reads what comes.
final class ConsolePages: Sendable {
  /// What a console answered.
  struct Answer {
    let status: Int
    /// By names in lower case.
    let fields: [String: String]
    let body: String

    /// The cookie that was set, as it is sent back; `nil` if none was.
    var cookie: String? { fields["set-cookie"].map { String($0.prefix { $0 != ";" }) } }
  }

  let program: Program
  /// Where it listens.
  let port: UInt16
  /// The address that it printed.
  let address: String

  /// Starts a console, and waits for its address.
  init(_ baton: Installation, _ arguments: [String] = []) async throws {
    program = try Program("baton-console", ["--socket", baton.socket] + arguments)
    address = try await program.line(containing: "/login?code=")
    guard let number = try? #/localhost:(\d+)\//#.firstMatch(in: address)?.output.1, let port = UInt16(number) else {
      throw Program.Ended(description: "no address: \(address)")
    }
    self.port = port
  }

  private init(_ program: Program, _ address: String, port: UInt16) {
    self.program = program
    self.address = address
    self.port = port
  }

  /// The same console, asked at another port.
  func at(_ port: UInt16) -> ConsolePages { ConsolePages(program, address, port: port) }

  var code: String { String(address.suffix(32)) }

  /// The fields that a browser sends with a page's own form.
  static let own = ["Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"]

  /// Signs in with the code that was printed.
  /// - Returns: the cookie.
  func signIn() async throws -> String {
    let answer = try await ask("POST", "/login", Self.own, body: "code=\(code)")
    guard answer.status == 303, let cookie = answer.cookie else {
      throw Program.Ended(description: "not signed in: \(answer)")
    }
    return cookie
  }

  /// Asks for a page as someone who is signed in.
  func get(_ path: String, _ cookie: String, _ fields: [String: String] = [:]) async throws -> Answer {
    try await ask("GET", path, fields.merging(["Cookie": cookie]) { own, _ in own })
  }

  /// Sends a form as a page of the console does.
  func post(_ path: String, _ cookie: String, _ form: String = "") async throws -> Answer {
    try await ask("POST", path, Self.own.merging(["Cookie": cookie]) { own, _ in own }, body: form)
  }

  /// Sends an empty form, or asks for a page, and reads all bytes of the answer.
  func raw(_ path: String, _ cookie: String, method: String = "POST") async throws -> [UInt8] {
    let fields = Self.own.merging(["Cookie": cookie, "Host": "localhost", "Connection": "close", "Content-Length": "0"]) { $1 }
    let head = fields.map { "\($0): \($1)\r\n" }.joined()
    return try await send(Array("\(method) \(path) HTTP/1.1\r\n\(head)\r\n".utf8))
  }

  /// Sends a request and reads the whole answer.
  /// - Parameter fields: `Host` is that of the address unless there is another.
  func ask(_ method: String, _ path: String, _ fields: [String: String] = [:], body: String = "") async throws -> Answer {
    var head = "\(method) \(path) HTTP/1.1\r\nConnection: close\r\n"
    var fields = fields
    fields["Host"] = fields["Host"] ?? "baton.localhost:\(port)"
    if method == "POST" { fields["Content-Length"] = "\(body.utf8.count)" }
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    return try Self.parse(try await send(Array((head + "\r\n" + body).utf8)))
  }

  /// Sends bytes and reads what comes until the console closes the connection.
  func send(_ bytes: [UInt8]) async throws -> [UInt8] {
    let socket = try RawSocket(port: port)
    socket.send(bytes)
    // Whoever waits for more of a request is told that there is none.
    socket.halfClose()
    return await socket.receiveAll()
  }

  static func parse(_ bytes: [UInt8]) throws -> Answer {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { throw Program.Ended(description: "no answer: \(text.prefix(200))") }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    var body = String(text[end.upperBound...])
    if fields["transfer-encoding"] == "chunked" { body = unchunked(body) }
    return Answer(status: lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, fields: fields, body: body)
  }

  private static func unchunked(_ text: String) -> String {
    var (rest, result) = (Array(text.utf8)[...], [UInt8]())
    while let line = rest.firstIndex(of: 0x0A),
      let size = Int(String(decoding: rest[..<line].dropLast(), as: UTF8.self), radix: 16),
      size > 0
    {
      let begin = line + 1
      result += rest[begin..<min(begin + size, rest.endIndex)]
      rest = rest[min(begin + size + 2, rest.endIndex)...]
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// A daemon with relays, and a console for it.
struct ConsoleStage {
  let baton: Installation
  let daemon: Program
  let sandbox: Program
  let console: ConsolePages
  let cookie: String

  /// - Parameters:
  ///   - relays: how many there are, named r1 and so on.
  ///   - arguments: those of the console.
  init(relays: Int = 1, _ arguments: [String] = []) async throws {
    baton = try Installation()
    daemon = try await baton.start()
    sandbox = try Program("baton-sandbox", ["--relays", "\(relays)"])
    try await baton.addRelays(try await sandbox.sandboxRelays(relays))
    _ = try await baton.createChannel("News", relays: ["r1"])
    console = try await ConsolePages(baton, arguments)
    cookie = try await console.signIn()
  }

  /// - Parameter running: the daemon, if it is another one by now.
  func end(_ running: Program? = nil) async {
    console.program.signal(SIGTERM)
    #expect(await console.program.status() == 0)
    let daemon = running ?? daemon
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGTERM)
    _ = await sandbox.status()
  }
}
