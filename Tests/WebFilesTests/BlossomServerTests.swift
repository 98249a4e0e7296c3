import StrictJSON
import Synchronization
import Testing

@testable import WebFiles

/// Uploads to servers for files that behave, and to those that do not.
@Suite(.timeLimit(.minutes(10)))
struct BlossomServerTests {
  private static let file = LocalFile(bytes: Array("hello".utf8), name: "a.txt")
  private static var place: String { "/\(file.sha256).txt" }

  private static func described(_ hash: String) -> WebServer.Reply {
    .answer(201, JSONValue.object(["sha256": .string(hash), "url": "https://elsewhere.example/x"]).text.utf8)
  }

  /// - Returns: the address of the file, or what went wrong.
  private static func upload(to server: WebServer) async throws -> Result<String, WebFailure> {
    var limits = WebLimits()
    limits.connecting = .seconds(60)
    let outcomes = await file.upload(
      to: [server.address], authorization: "Nostr dGVzdA==", client: try WebClient(limits: limits))
    #expect(outcomes.map(\.server) == [server.address])
    return outcomes[0].result
  }

  private static func words(_ reply: @escaping @Sendable (WebServer.Request) -> WebServer.Reply) async throws -> String {
    let server = try await WebServer(reply)
    let result = try await upload(to: server)
    try await server.stop()
    guard case .failure(let failure) = result else { return "no failure" }
    return failure.description
  }

  @Test func fileIsUploadedAndReadBack() async throws {
    let stored = Mutex<[UInt8]?>(nil)
    let server = try await WebServer { request in
      switch request.line {
      case "PUT /upload":
        stored.withLock { $0 = request.body }
        return Self.described(Self.file.sha256)
      case "HEAD \(Self.place)": return stored.withLock { $0 == nil } ? .answer(404) : .answer(200)
      case "GET \(Self.place)": return .answer(200, stored.withLock { $0 ?? [] })
      default: return .answer(400)
      }
    }
    for _ in 0..<2 { #expect(try await Self.upload(to: server).get() == server.address + Self.place) }
    #expect(
      server.requests.map { $0.line.prefix(4) } == ["HEAD", "PUT ", "GET ", "HEAD", "GET "], "what is there is not sent again")
    let put = server.requests[1]
    #expect(put.fields["authorization"] == "Nostr dGVzdA==" && put.fields["x-sha-256"] == Self.file.sha256)
    #expect(put.fields["content-type"] == "text/plain" && put.fields["content-length"] == "5")
    #expect(server.requests.filter { $0.fields["authorization"] != nil }.count == 1, "no one else is shown the authorization")
    try await server.stop()
  }

  /// Some servers answer every HEAD with 200, others serve a page in place of what they do not have.
  @Test(arguments: [(404, ""), (200, "<html>")]) func fileThatIsOnlyClaimedIsUploaded(_ status: Int, _ page: String)
    async throws
  {
    let isStored = Mutex(false)
    let server = try await WebServer { request in
      switch request.line {
      case "PUT /upload":
        isStored.withLock { $0 = true }
        return Self.described(Self.file.sha256)
      case "GET \(Self.place)": return isStored.withLock { $0 } ? .answer(200, "hello".utf8) : .answer(status, page.utf8)
      default: return .answer(200)
      }
    }
    for _ in 0..<2 { #expect(try await Self.upload(to: server).get() == server.address + Self.place) }
    #expect(server.requests.map { $0.line.prefix(4) } == ["HEAD", "GET ", "PUT ", "GET ", "HEAD", "GET "])
    try await server.stop()
  }

  @Test func refusalsHaveTheWordsOfTheServer() async throws {
    #expect(
      try await Self.words { $0.line == "PUT /upload" ? .answer(413, [], ["X-Reason: at most 4 bytes"]) : .answer(404) }
        == "the server refused the upload with HTTP status 413: at most 4 bytes")
    #expect(
      try await Self.words { $0.line == "PUT /upload" ? .answer(401, #"{"message":"who are you?"}"#.utf8) : .answer(404) }
        == "the server refused the upload with HTTP status 401: who are you?")
    #expect(
      try await Self.words { $0.line == "PUT /upload" ? .answer(302, [], ["Location: http://127.0.0.1/"]) : .answer(404) }
        == "the server refused the upload with HTTP status 302")
  }

  @Test func whatServersSayIsNotBelieved() async throws {
    let other = String(repeating: "0", count: 64)
    func words(_ answer: WebServer.Reply) async throws -> String {
      try await Self.words { $0.line == "PUT /upload" ? answer : .answer($0.line.hasPrefix("GET") ? 200 : 404, "hello".utf8) }
    }
    #expect(try await words(Self.described(other)).contains("stored another file: its SHA-256 is \(other)"))
    for text in ["", "{}", "garbage", #"{"sha256":5}"#, #"{"sha256":"a","sha256":"b"}"#] {
      #expect(try await words(.answer(200, text.utf8)).contains("does not say what it stored"), "\(text)")
    }
    let serving = Self.file.sha256
    func served(_ reply: WebServer.Reply) async throws -> String {
      try await Self.words { request in
        if request.line == "PUT /upload" { return Self.described(serving) }
        return request.line.hasPrefix("GET") ? reply : .answer(404)
      }
    }
    #expect(try await served(.answer(200, "hellO".utf8)).contains("serves another file"))
    #expect(try await served(.answer(200, "hello!".utf8)).contains("more than 5 bytes"))
    #expect(try await served(.answer(404)) == "the server refused to serve the file with HTTP status 404")
    // A file that the server claims to have is read back, too.
    let claiming = try await Self.words { $0.line == "PUT /upload" ? Self.described(serving) : .answer(200, "hellO".utf8) }
    #expect(claiming.contains("serves another file"))
  }

  @Test func redirectsLeadToTheFileOrNowhere() async throws {
    func server(_ location: String) async throws -> WebServer {
      try await WebServer { request in
        if request.line.hasSuffix("/cdn/\(Self.file.sha256)?token=1") { return .answer(200, "hello".utf8) }
        if request.line == "PUT /upload" { return Self.described(Self.file.sha256) }
        return request.line.hasPrefix("GET") ? .answer(302, [], ["Location: \(location)"]) : .answer(404)
      }
    }
    let good = try await server("/cdn/\(Self.file.sha256)?token=1")
    #expect(try await Self.upload(to: good).get() == good.address + Self.place)
    try await good.stop()
    for location in [
      "/cdn/other", "//files.example/\(Self.file.sha256)", "http://files.example/\(Self.file.sha256)", "",
      "gopher://x/\(Self.file.sha256)",
    ] {
      let bad = try await server(location)
      guard case .failure(let failure) = try await Self.upload(to: bad) else { return #expect(Bool(false), "\(location)") }
      #expect(failure.description.contains("not one of the file"), "\(failure)")
      try await bad.stop()
    }
    let loop = try await server("/loop/\(Self.file.sha256)")
    guard case .failure(let failure) = try await Self.upload(to: loop) else { return #expect(Bool(false)) }
    #expect(failure.description.contains("without end") && loop.requests.filter { $0.line.hasPrefix("GET") }.count == 4)
    try await loop.stop()
  }

  @Test func serversElsewhereSendNobodyToThisMachine() throws {
    let server = try BlossomServer("https://files.example", client: try WebClient())
    let place = try WebAddress("https://files.example\(Self.place)")
    #expect(try server.next("https://cdn.example\(Self.place)", after: place, Self.file).host == "cdn.example")
    for host in ["127.0.0.1", "127.1.2.3:8443", "localhost", "[::1]"] {
      #expect(throws: WebFailure.self) { try server.next("https://\(host)\(Self.place)", after: place, Self.file) }
    }
    let own = try BlossomServer("https://localhost:8443", client: try WebClient())
    #expect(try own.next("https://127.0.0.1\(Self.place)", after: place, Self.file).host == "127.0.0.1")
  }

  @Test func outcomesAreInTheOrderOfTheServers() async throws {
    let good = try await WebServer { request in .answer(200, request.line.hasPrefix("GET") ? Array("hello".utf8) : []) }
    let bad = try await WebServer { _ in .answer(500) }
    var limits = WebLimits()
    limits.connecting = .seconds(60)
    let outcomes = await Self.file.upload(
      to: [bad.address, good.address, "nonsense"], authorization: "x", client: try WebClient(limits: limits))
    #expect(outcomes.map(\.server) == [bad.address, good.address, "nonsense"])
    #expect(outcomes.map { (try? $0.result.get()) != nil } == [false, true, false])
    try await good.stop()
    try await bad.stop()
  }

  // MARK: - Names at domains

  private static let key = String(repeating: "ab", count: 32)

  private static func person(_ reply: WebServer.Reply, name: String = "bob") async throws -> Result<String, WebFailure> {
    let server = try await WebServer { $0.line == "GET /.well-known/nostr.json?name=\(name)" ? reply : .answer(404) }
    var limits = WebLimits()
    limits.connecting = .seconds(60)
    let client = try WebClient(limits: limits)
    let asked = try DomainName("\(name)@127.0.0.1:\(server.port)")
    let result: Result<String, WebFailure>
    do throws(WebFailure) { result = .success(try await asked.publicKey(client: client)) } catch { result = .failure(error) }
    try await server.stop()
    return result
  }

  @Test func namesStandForKeys() async throws {
    let list = #"{"names":{"bob":"\#(Self.key)","_":"\#(Self.key)"},"relays":{}}"#
    #expect(try await Self.person(.answer(200, list.utf8)).get() == Self.key)
    #expect(try await Self.person(.answer(200, list.utf8), name: "_").get() == Self.key)
  }

  @Test func namesAreFoundHoweverTheyAreWritten() async throws {
    let other = String(repeating: "0c", count: 32)
    for list in [
      #"{"names":{"Bob":"\#(Self.key)"}}"#, #"{"names":{"bob":"\#(Self.key.uppercased())"}}"#,
      "\u{FEFF}" + #"{"names":{"BOB":"\#(Self.key.uppercased())","Bob":"\#(Self.key)"}}"#,
      // The exact name comes first.
      #"{"names":{"Bob":"\#(other)","bob":"\#(Self.key)","BOB":5}}"#,
    ] { #expect(try await Self.person(.answer(200, list.utf8)).get() == Self.key, "\(list)") }
  }

  @Test func namesThatStandForNoKeyAreRefused() async throws {
    for (reply, words) in [
      (.answer(200, #"{"names":{"alice":"\#(Self.key)"}}"#.utf8), "no one has this name"),
      (.answer(200, #"{"names":{"bob":"npub1x"}}"#.utf8), "not a public key"),
      (
        .answer(200, #"{"names":{"Bob":"\#(Self.key)","BOB":"\#(String(repeating: "0c", count: 32))"}}"#.utf8),
        "different capitals"
      ),
      (.answer(200, #"{"names":{"bob":5}}"#.utf8), "not a public key"),
      (.answer(200, #"{"names":[]}"#.utf8), "not a list of names"),
      (.answer(200, #"{"names":{"bob":"a","bob":"\#(Self.key)"}}"#.utf8), "not a list of names"),
      (.answer(200, "<html>".utf8), "not a list of names"), (.answer(200, [0xFF, 0xFE]), "not a list of names"),
      (.answer(302, [], ["Location: /.well-known/other.json"]), "NIP-05 does not allow"), (.answer(404), "HTTP status 404"),
      (.answer(200, [UInt8](repeating: 32, count: 1 << 20 + 1)), "more than"),
    ] as [(WebServer.Reply, String)] {
      guard case .failure(let failure) = try await Self.person(reply) else { return #expect(Bool(false), "\(words)") }
      #expect(failure.description.contains(words), "\(failure)")
    }
  }
}
