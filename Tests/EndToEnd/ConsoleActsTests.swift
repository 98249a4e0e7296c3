import ControlAPI
import Foundation
import Glibc
import TestTools
import Testing

/// What is done on pages happens, and what is told of it arrives.
@Suite(.timeLimit(.minutes(10)))
struct ConsoleActsTests {
  @Test func relaysComeAndGo() async throws {
    let stage = try await ConsoleStage(relays: 3)
    let (console, cookie) = (stage.console, stage.cookie)
    let page = try await console.get("/channels/1/relays", cookie)
    #expect(
      page.body.contains("Let Baton pick one") && page.body.contains("value=\"2\"")
        && !page.body.contains("name=\"relay\" value=\"1\""))
    let add = "relay=2&seen=\(try await stage.seen("/channels/1/relays"))"
    // Two clicks at once: one of them finds that the channel has other relays.
    async let one = console.post("/channels/1/relays", cookie, add)
    async let other = console.post("/channels/1/relays", cookie, add)
    let statuses = try await [one.status, other.status].sorted()
    #expect(statuses == [303, 409])
    try await stage.awaitRelays(1, ["r1", "r2"])

    let question = try await console.get("/channels/1/remove?relay=1", cookie)
    #expect(question.status == 200 && question.body.contains("Remove <bdi>r1</bdi> from <bdi>News</bdi>?"), "\(question)")
    #expect(try await console.get("/channels/1/remove?relay=3", cookie).status == 404)
    let removal = "relay=1&seen=\(try await stage.seen("/channels/1/remove?relay=1"))"
    let removed = try await console.post("/channels/1/remove", cookie, removal)
    #expect(removed.fields["location"] == "../../channels/1?done=removed", "\(removed)")
    #expect(try await console.post("/channels/1/remove", cookie, removal).status == 409)
    try await stage.awaitRelays(1, ["r2"])

    // The other one is taken in the place of one that is replaced, before that one leaves.
    let replaced = try await console.post("/channels/1/remove", cookie, "relay=2&replace=yes&seen=2")
    #expect(replaced.fields["location"] == "../../channels/1?done=replaced", "\(replaced)")
    try await stage.awaitRelays(1, ["r3"])
    #expect(try await console.get("/channels/1?done=replaced", cookie).body.contains("to another relay, and asks"))

    _ = try await console.post("/channels", cookie, "key=k&name=Short&relay=1")
    // Whoever is in the second step stays there.
    let fields = ConsolePages.own.merging(["Cookie": cookie, "Referer": "http://localhost/channels/2/progress"]) { $1 }
    let again = try await console.ask("POST", "/channels/2/verify", fields)
    #expect(again.fields["location"] == "../../channels/2/progress", "\(again)")
    #expect(try await console.post("/channels/2/cancel", cookie).status == 303)
    #expect(try await stage.baton.control("channel", "list", "--json").lines.joined().contains("\"Short\"") == false)
    await stage.end()
  }

  /// The stream itself: whoever connects again is told what they missed, once, also when the daemon was away in between.
  @Test func aStreamGoesOnWhereItWas() async throws {
    let stage = try await ConsoleStage()
    var stream = try EventReader(stage.console.port, stage.cookie, after: nil)
    try await stream.read { $0.contains("event: daemon\ndata: here") }
    _ = try await stage.baton.control("channel", "update", "News", "--description", "one")
    try await stream.read { $0.contains("channel:1") }
    let last = try #require(stream.lastID)
    stream.close()
    _ = try await stage.baton.control("channel", "update", "News", "--description", "two")
    _ = try await stage.baton.createChannel("Weather", relays: ["r1"])
    // The daemon goes and comes back while no one reads.
    stage.daemon.signal(SIGTERM)
    #expect(await stage.daemon.status() == 0)
    let daemon = try await stage.baton.start()
    _ = try await stage.baton.control("channel", "update", "Weather", "--description", "three")
    stream = try EventReader(stage.console.port, stage.cookie, after: last)
    try await stream.read { $0.contains("event: daemon\ndata: here") && $0.contains("channel:2") }
    #expect(stream.text.contains("channel:1"), "\(stream.text)")
    #expect(!stream.text.contains("resync"), "\(stream.text)")
    let all = stream.ids
    #expect(all == all.sorted() && Set(all).count == all.count && all.allSatisfy { $0 > last }, "\(all) after \(last)")
    stream.close()
    // With the newest one nothing is told again.
    stream = try EventReader(stage.console.port, stage.cookie, after: all.last)
    _ = try await stage.baton.control("channel", "update", "News", "--description", "four")
    try await stream.read { $0.contains("channel:1") }
    // Messages have no revision of their own, so it looks at them again.
    #expect(stream.ids.allSatisfy { $0 >= all.last ?? 0 }, "\(stream.text)")
    // How the daemon itself is changes nothing in the database, and is told all the same.
    try "operators: [".write(toFile: stage.baton.operators + "/broken.yaml", atomically: true, encoding: .utf8)
    daemon.signal(SIGHUP)
    try await stream.read { $0.contains("daemon:status") }
    // Whoever is signed out hears no more.
    #expect(try await stage.console.post("/logout", stage.cookie).status == 303)
    await stream.readToEnd()
    await stage.end(daemon)
  }

  /// Whoever opens one stream after the other does not shut out others: the seventeenth is asked to come back later.
  @Test func streamsOfOneUserAreBounded() async throws {
    let stage = try await ConsoleStage()
    var streams: [EventReader] = []
    for _ in 0..<16 {
      var stream = try EventReader(stage.console.port, stage.cookie, after: nil)
      try await stream.read { $0.contains("event: daemon\ndata: here") }
      streams.append(stream)
    }
    var late = try EventReader(stage.console.port, stage.cookie, after: nil)
    try await late.read { $0.contains("retry: ") }
    #expect(late.text.contains("retry: 30000"), "\(late.text)")
    late.close()
    streams[0].close()
    #expect(try await stage.console.get("/", stage.cookie).status == 200, "pages find room")
    // Its place is free once the console has noticed.
    var isIn = false
    while !isIn {
      var next = try EventReader(stage.console.port, stage.cookie, after: nil)
      try await next.read { $0.contains("retry: 30000") || $0.contains("data: here") }
      isIn = next.text.contains("data: here")
      next.close()
    }
    for stream in streams { stream.close() }
    await stage.end()
  }

  @Test func imagesAreSetShownAndTakenAway() async throws {
    let stage = try await ConsoleStage()
    let (console, cookie) = (stage.console, stage.cookie)
    func field(_ image: String) -> String {
      "image=" + (image.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }
    let image = "data:image/png;base64,\(TestImage.png)"
    // A form that is refused still has it.
    let refused = try await console.post("/channels", cookie, "key=k&name=a%E2%80%8Bb&relay=1&\(field(image))")
    #expect(refused.status == 422 && refused.body.contains("name=\"image\" value=\"\(image)\""), "\(refused)")
    #expect(try await console.post("/channels", cookie, "key=k&name=Harbour&relay=1&\(field(image))").status == 303)
    let shown = "<img class=\"portrait\" src=\"../channels/2/image?edition=1\""
    #expect(try await console.get("/channels/2", cookie).body.contains(shown))
    #expect(try await console.get("/channels/2/edit", cookie).body.contains("src=\"../../channels/2/image?edition=1\""))
    let file = try await console.raw("/channels/2/image?edition=1", cookie, method: "GET")
    let end = try #require(file.firstRange(of: Array("\r\n\r\n".utf8)))
    let head = String(decoding: file[..<end.lowerBound], as: UTF8.self).lowercased()
    #expect(head.contains("content-type: image/png\r\n") && head.contains("nosniff") && head.contains("no-store"), "\(head)")
    #expect(Data(file[end.upperBound...]) == Data(base64Encoded: TestImage.png))
    #expect(try await console.ask("GET", "/channels/2/image").status == 401)
    #expect(try await console.get("/channels/1/image", cookie).status == 404)

    // What is not an image is refused, and what was there stays.
    for other in [
      "data:image/svg+xml;base64,PHN2Zy8+", "data:image/png;base64,AAAA", "x", image + String(repeating: "A", count: 12_500),
    ] {
      let refused = try await console.post("/channels/2/edit", cookie, "edition=1&name=Harbour&\(field(other))")
      #expect(
        refused.status == 422 && refused.body.contains("role=\"alert\" id=\"trouble\""), "\(other.prefix(40)): \(refused)")
    }
    // A form without one changes nothing about it.
    #expect(try await console.post("/channels/2/edit", cookie, "edition=1&name=Haven&image=").status == 303)
    #expect(try await console.get("/channels/2", cookie).body.contains("../channels/2/image?edition=2"))
    #expect(try await console.post("/channels/2/edit", cookie, "edition=2&name=Haven&image=&noImage=yes").status == 303)
    #expect(try await console.get("/channels/2", cookie).body.contains("<img") == false)
    #expect(try await console.get("/channels/2/image", cookie).status == 404)
    await stage.end()
  }

  @Test func whatWasTypedIsKept() async throws {
    let stage = try await ConsoleStage()
    let (console, cookie) = (stage.console, stage.cookie)
    stage.daemon.signal(SIGTERM)
    #expect(await stage.daemon.status() == 0)
    // A post of the greatest length, in letters that browsers send as nine bytes.
    let text = String(repeating: "%E6%96%B0", count: 10_000)
    let failed = try await console.post("/channels/1/messages", cookie, "key=p1&text=\(text)")
    #expect(
      failed.status == 503 && failed.body.contains("Send form again") && failed.body.contains("name=\"key\" value=\"p1\""))
    #expect(failed.body.contains(String(repeating: "新", count: 10_000)) && !failed.body.contains("http-equiv"))
    #expect(!failed.body.contains("data-outage"), "a page that loads itself again would send the form again")
    #expect(try await console.get("/channels/1", cookie).body.contains("data-outage"))
    let daemon = try await stage.baton.start()
    let published = try await console.post("/channels/1/messages", cookie, "key=p1&text=\(text)")
    #expect(published.status == 303, "\(published.status)")
    await stage.end(daemon)
  }
}

extension ConsoleStage {
  /// Waits until a channel is active on these relays, and on no others.
  func awaitRelays(_ channel: Int64, _ names: Set<String>) async throws {
    _ = try await baton.channel(channel) { channel in
      Set(channel.relays.filter { $0.status == "active" }.map(\.relayName)) == names
        && channel.relays.allSatisfy { ["active", "removed"].contains($0.status) }
    }
  }

  func seen(_ path: String) async throws -> String {
    let page = try await console.get(path, cookie)
    return String(try #require(page.body.firstMatch(of: #/name="seen" value="([\d-]+)"/#), "\(page)").output.1)
  }
}

/// Reads server-sent events.
private struct EventReader {
  private let socket: RawSocket
  private(set) var text = ""

  /// - Parameter after: the revision that is known; `nil` for a page that has just been opened.
  init(_ port: UInt16, _ cookie: String, after: Int64?) throws {
    socket = try RawSocket(port: port)
    let last = after.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    socket.send(Array("GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\nCookie: \(cookie)\r\n\(last)\r\n".utf8))
  }

  /// Reads until what came meets a condition.
  mutating func read(until isThere: (String) -> Bool) async throws {
    while !isThere(text) {
      let bytes = await socket.receiveSome(max: 4096)
      guard !bytes.isEmpty else { throw Program.Ended(description: "the stream ended: \(text)") }
      text += String(decoding: bytes, as: UTF8.self)
    }
  }

  mutating func readToEnd() async { text += String(decoding: await socket.receiveAll(), as: UTF8.self) }

  var ids: [Int64] { text.matches(of: #/\bid: (\d+)/#).compactMap { Int64($0.output.1) } }
  var lastID: Int64? { ids.last }

  func close() { socket.close() }
}
