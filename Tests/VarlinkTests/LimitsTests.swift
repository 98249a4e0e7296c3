import NIOPosix
import StrictJSON
import TestSupport
import Testing

@testable import Varlink

/// What a client may take from a server.
@Suite(.timeLimit(.minutes(1)))
struct LimitsTests {
  private func start(_ folder: TemporaryFolder, _ limits: VarlinkServer.Limits) async throws -> VarlinkServer {
    let service = VarlinkService(.init(vendor: "v", product: "p", version: "1", url: "https://example.org"), interfaces: [])
    return try await VarlinkServer.start(
      service, sockets: [try UnixListener.listen(path: folder.path + "/s", mode: 0o600)],
      group: MultiThreadedEventLoopGroup.singleton, limits: limits
    ) { _ in }
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
