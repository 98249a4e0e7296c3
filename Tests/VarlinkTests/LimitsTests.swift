import NIOPosix
import StrictJSON
import TestSupport
import Testing

@testable import Varlink

/// What a client may take from a server.
@Suite(.timeLimit(.minutes(1)))
struct LimitsTests {
  private func start(
    _ folder: TemporaryFolder, _ limits: VarlinkServer.Limits,
    notice: @escaping @Sendable (VarlinkServer.Notice) -> Void = { _ in }
  ) async throws -> VarlinkServer {
    let service = VarlinkService(.init(vendor: "v", product: "p", version: "1", url: "https://example.org"), interfaces: [])
    return try await VarlinkServer.start(
      service, sockets: [try UnixListener.listen(path: folder.path + "/s", mode: 0o600)],
      group: MultiThreadedEventLoopGroup.singleton, limits: limits, notice: notice)
  }

  @Test(arguments: ["", "{\"method\":", "{\"method\":\"org.varlink.service.GetInfo\"}\0{\"meth"])
  func whoDoesNotSayWhatItWantsIsSentAway(_ start: String) async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    limits.messageTimeout = .milliseconds(200)
    let server = try await self.start(folder, limits)
    let client = try RawSocket(path: folder.path + "/s")
    client.send(Array(start.utf8))
    // Everything that comes until the server closes the connection.
    #expect(await client.receive(replies: nil).count == (start.contains("\0") ? 1 : 0))
    await server.stop()
  }

  /// More replies than fit between two processes.
  @Test func whoDoesNotTakeRepliesIsSentAway() async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    limits.replyTimeout = .milliseconds(200)
    let (notices, notice) = AsyncStream.makeStream(of: VarlinkServer.Notice.self)
    let server = try await start(folder, limits) { notice.yield($0) }
    let deaf = try RawSocket(path: folder.path + "/s")
    deaf.send(Array(String(repeating: "{\"method\":\"org.varlink.service.GetInfo\"}\0", count: 5000).utf8))
    for await case .protocolBroken(_, let reason) in notices {
      #expect(reason == "a reply was not taken in time")
      break
    }
    #expect(await deaf.receive(replies: nil).count < 5000)
    await server.stop()
  }

  @Test func whoHasCalledMayBeSilentAndCallAgain() async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    limits.messageTimeout = .milliseconds(200)
    let server = try await start(folder, limits)
    let call = Array("{\"method\":\"org.varlink.service.GetInfo\"}\0".utf8)
    let patient = try RawSocket(path: folder.path + "/s")
    patient.send(call)
    #expect(await patient.receive(replies: 1).count == 1)
    // Somebody else says nothing until the server is tired of it: longer than the patient one may be silent, if it were meant.
    let silent = try RawSocket(path: folder.path + "/s")
    #expect(await silent.receive(replies: nil).isEmpty)
    patient.send(call)
    #expect(await patient.receive(replies: 1).count == 1)
    await server.stop()
  }
}
