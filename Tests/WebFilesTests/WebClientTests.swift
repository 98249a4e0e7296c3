import TestTools
import Testing

@testable import WebFiles

/// Requests to servers that do not behave.
@Suite(.timeLimit(.minutes(10)))
struct WebClientTests {
  private static func client(silence: Duration = .seconds(60)) throws -> WebClient {
    var limits = WebLimits()
    limits.connecting = .seconds(60)
    limits.silence = silence
    return try WebClient(limits: limits)
  }

  private static func get(_ server: WebServer, _ intake: WebRequest.Intake, _ client: WebClient) async throws -> WebAnswer {
    try await client.send(WebRequest(method: .get, address: try WebAddress(server.address + "/x"), intake: intake))
  }

  private static func failure(
    _ reply: WebServer.Reply, _ intake: WebRequest.Intake = .bytes(max: 10), silence: Duration = .seconds(60)
  ) async throws -> String? {
    let server = try await WebServer { _ in reply }
    let client = try client(silence: silence)
    let failure = await #expect(throws: WebFailure.self) { try await get(server, intake, client) }
    try await server.stop()
    return failure?.description
  }

  @Test func answersAreRead() async throws {
    let server = try await WebServer { request in
      request.line == "GET /x" ? .answer(200, "hello".utf8, ["X-Reason: because"]) : .answer(404)
    }
    let answer = try await Self.get(server, .bytes(max: 5), Self.client())
    #expect(answer.status == 200 && answer.body == Array("hello".utf8) && answer.fields["x-reason"] == "because")
    #expect(
      try await Self.get(server, .digest(max: 5), Self.client()).digest
        == LocalFile(bytes: Array("hello".utf8), name: "").digest)
    let fields = try #require(server.requests.first?.fields)
    #expect(
      fields["host"] == "127.0.0.1:\(server.port)" && fields["accept-encoding"] == "identity" && fields["user-agent"] == "Baton"
    )
    try await server.stop()
  }

  @Test func largeBodiesArriveWhole() async throws {
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let server = try await WebServer { .answer(200, [$0.body == body ? 1 : 0]) }
    let request = WebRequest(method: .put, address: try WebAddress(server.address), body: body, intake: .bytes(max: 1))
    #expect(try await Self.client().send(request).body == [1])
    try await server.stop()
  }

  @Test func serversThatSayTooMuchAreCutOff() async throws {
    #expect(try await Self.failure(.answer(200, "0123456789+".utf8))?.contains("more than 10 bytes") == true)
    #expect(try await Self.failure(.answer(200, "0123456789+".utf8), .digest(max: 10))?.contains("more than 10 bytes") == true)
    let fields = (0..<10_000).map { "X-\($0): \(String(repeating: "a", count: 50))" }
    #expect(try await Self.failure(.answer(200, [], fields))?.contains("server") == true)
    let interim = String(
      repeating: "HTTP/1.1 103 Early Hints\r\nX: \(String(repeating: "y", count: 500))\r\n\r\n", count: 2_000)
    #expect(try await Self.failure(.text(interim))?.contains("much more") == true)
    let chunks = String(repeating: "1;\(String(repeating: "z", count: 1_000))\r\n \r\n", count: 5)
    #expect(try await Self.failure(.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)) != nil)
  }

  @Test func brokenAnswersAreNone() async throws {
    for text in [
      "", "hello\r\n\r\n", "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "HTTP/1.1 200",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ] {
      #expect(try await Self.failure(.text(text)) != nil, "\(text)")
    }
  }

  @Test func silentServersAreGivenUp() async throws {
    #expect(try await Self.failure(.silence, silence: .milliseconds(200)) == "the server was silent for 200 ms")
  }

  @Test func missingServersAreNamed() async throws {
    let address = try WebAddress("http://127.0.0.1:\(Program.freePort())/")
    let failure = await #expect(throws: WebFailure.self) {
      try await Self.client().send(WebRequest(method: .get, address: address))
    }
    #expect(failure?.description.contains("refuses connections") == true)
  }

  /// Whatever a server says goes to a terminal in the end.
  @Test func wordsOfServersAreCutAndCleaned() {
    let words = WebFailure("a\u{1B}[31mb\u{202E}\n" + String(repeating: "x", count: 2_000)).description
    #expect(!words.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\n" || $0 == "\u{202E}" } && words.utf8.count <= 520)
  }

  @Test func serversWithTLSAreCheckedAgainstTheirNames() async throws {
    let folder = try TemporaryFolder()
    let good = try folder.makeCertificate(name: "IP:127.0.0.1")
    let other = try folder.makeCertificate(name: "DNS:files.example")
    for (tls, roots, words) in [
      (good, good.certificate, nil), (good, nil, "no authority that this machine trusts"),
      (other, other.certificate, "not for 127.0.0.1 but for files.example"),
      (nil, good.certificate, "does not speak TLS. Is its address http://?"),
    ] as [((certificate: String, key: String)?, String?, String?)] {
      let server = try await WebServer(tls: tls) { _ in tls == nil ? .text("HTTP/1.1 400 Words\r\n\r\n") : .answer(200) }
      let request = WebRequest(method: .get, address: try WebAddress("https://127.0.0.1:\(server.port)/"))
      let client = try WebClient(trustRoots: roots)
      if let words {
        let failure = await #expect(throws: WebFailure.self) { try await client.send(request) }
        #expect(failure?.description.contains(words) == true, "\(String(describing: failure))")
      } else {
        #expect(try await client.send(request).status == 200)
      }
      try await server.stop()
    }
    #expect(throws: WebFailure.self) { try WebClient(trustRoots: folder.path + "/none.pem") }
  }
}
