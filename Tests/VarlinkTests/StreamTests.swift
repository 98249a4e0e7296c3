import NIOPosix
import StrictJSON
import Synchronization
import TestTools
import Testing

@testable import Varlink

/// Sends replies that are encoded already.
private struct Encoded: VarlinkInterface {
  static let text = String(repeating: "x", count: 10_000)
  let definition: IDL.Interface
  let onSend: @Sendable () -> Void

  init(onSend: @escaping @Sendable () -> Void) throws {
    self.onSend = onSend
    definition = try IDL.parse(
      """
      interface org.example.encoded
      # [Requires 'more' flag]
      # Both ways of sending.
      method Both() -> (number: int)
      # [Requires 'more' flag]
      # Never ends.
      method Flood() -> (text: string)

      """)
  }

  func answer(_ call: VarlinkCall, from peer: VarlinkPeer, stream: VarlinkStream) async throws -> EncodedParameters {
    var replies = EncodedReplies()
    switch call.name {
    case "Both":
      try await stream.send(["number": 1, "text": "\u{1}/ä\""])
      for number in 2...3 as ClosedRange<Int64> {
        replies.append(parameters: JSONValue.object(["number": .integer(number), "text": "\u{1}/ä\""]).bytes)
      }
      try await stream.send(replies)
      return ["number": 4]
    default:
      for _ in 0..<4 { replies.append(parameters: JSONValue.object(["text": .string(Self.text)]).bytes) }
      while true {
        try await stream.send(replies)
        onSend()
      }
    }
  }
}

/// Replies before the last one.
@Suite(.timeLimit(.minutes(10)))
struct StreamTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(onSend: @escaping @Sendable () -> Void = {}) async throws -> VarlinkServer {
    let service = VarlinkService(
      .init(vendor: "v", product: "p", version: "1", url: "https://example.org"), interfaces: [try Encoded(onSend: onSend)])
    return try await VarlinkServer.start(
      service, sockets: [try UnixListener.listen(path: folder.path + "/s", mode: 0o600)],
      group: MultiThreadedEventLoopGroup.singleton
    ) { _ in }
  }

  @Test func encodedRepliesAreLikeOthers() async throws {
    let server = try await start()
    let client = try RawSocket(path: folder.path + "/s")
    client.send(Array("{\"method\":\"org.example.encoded.Both\",\"more\":true}\0".utf8))
    let replies = await client.receive(replies: 4)
    let others = [1, 2, 3].map { #"{"parameters":{"number":\#($0),"text":"\u0001/ä\""},"continues":true}"# }
    #expect(replies == others + [#"{"parameters":{"number":4}}"#])
    for reply in replies { #expect(throws: Never.self) { try VarlinkReply(message: Array(reply.utf8)) } }
    await server.stop()
  }

  /// A client that does not read costs no more memory than one write.
  @Test func whatIsSentWaitsForTheClient() async throws {
    let counted = Counter()
    let server = try await start { counted.add() }
    let (deaf, other) = (try RawSocket(path: folder.path + "/s"), try RawSocket(path: folder.path + "/s"))
    deaf.send(Array("{\"method\":\"org.example.encoded.Flood\",\"more\":true}\0".utf8))
    while await server.unsentBytes().max() ?? 0 == 0 { await Task.yield() }
    let sent = counted.value
    for _ in 0..<50 {
      other.send(Array("{\"method\":\"org.varlink.service.GetInfo\"}\0".utf8))
      #expect(await other.receive(replies: 1).count == 1)
    }
    #expect(counted.value == sent)
    let unsent = await server.unsentBytes()
    #expect(unsent.count == 2 && unsent.reduce(0, +) <= 4 * (Encoded.text.utf8.count + 100), "\(unsent)")
    // As soon as the client reads, the stream continues.
    #expect(await deaf.receive(replies: 1_000).count >= 1_000)
    #expect(counted.value > 200)
    deaf.close()
    await server.stop()
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
