import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

@testable import Varlink

/// Whatever happens to a server, the client knows exactly which calls it cannot have carried out.
struct NotTakenTests {
  /// The point at which a server dies.
  enum End: CaseIterable {
    case neverAccepts, neverReads, readsAPart, readsAll

    var failure: VarlinkClient.Failure { self == .readsAll ? .disconnected : .notTaken }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: End.allCases) func callThatWasNotReadToItsEndIsNotTaken(_ end: End) async throws {
    let path = folder.path + "/s"
    let listener = try UnixListener.listen(path: path, mode: 0o600)
    Thread.detachNewThread { Self.serve(listener, end) }
    let client = try await VarlinkClient.connect(path: path)
    await #expect(throws: end.failure) { try await client.call("org.example.echo.Say", ["text": "x"]) }
    // Later messages have nowhere to go.
    await #expect(throws: VarlinkClient.Failure.notTaken) { try await client.call("org.example.echo.Say", ["text": "y"]) }
    await client.close()
  }

  /// A stream that has begun counts as taken.
  @Test func streamThatEndsInTheMiddleWasTaken() async throws {
    let path = folder.path + "/s"
    let listener = try UnixListener.listen(path: path, mode: 0o600)
    Thread.detachNewThread {
      Self.awaitInput(listener)
      let connection = accept(listener, nil, nil)
      Self.awaitInput(connection)
      var buffer = [UInt8](repeating: 0, count: 4096)
      _ = recv(connection, &buffer, buffer.count, 0)
      let reply = Array((#"{"parameters":{},"continues":true}"# + "\0").utf8)
      _ = send(connection, reply, reply.count, CInt(MSG_NOSIGNAL))
      close(connection)
      close(listener)
    }
    let client = try await VarlinkClient.connect(path: path)
    var count = 0
    await #expect(throws: VarlinkClient.Failure.disconnected) {
      for try await _ in client.callMore("org.example.echo.Count") { count += 1 }
    }
    #expect(count == 1)
    await client.close()
  }

  /// A connection ends when the server answers without a call.
  @Test func replyWithoutACallEndsTheConnection() async throws {
    let path = folder.path + "/s"
    let listener = try UnixListener.listen(path: path, mode: 0o600)
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    Thread.detachNewThread {
      Self.awaitInput(listener)
      let connection = accept(listener, nil, nil)
      let reply = Array((#"{"parameters":{}}"# + "\0").utf8)
      _ = send(connection, reply, reply.count, CInt(MSG_NOSIGNAL))
      Self.awaitInput(connection)
      var byte: UInt8 = 0
      end.yield(recv(connection, &byte, 1, CInt(MSG_DONTWAIT)) == 0)
      end.finish()
      close(connection)
      close(listener)
    }
    let client = try await VarlinkClient.connect(path: path)
    for await hasEnded in ends { #expect(hasEnded) }
    await client.close()
  }

  private static func serve(_ listener: CInt, _ end: End) {
    awaitInput(listener)
    defer { close(listener) }
    guard end != .neverAccepts else { return }
    let connection = accept(listener, nil, nil)
    defer { close(connection) }
    awaitInput(connection)
    guard end != .neverReads else { return }
    var buffer = [UInt8](repeating: 0, count: end == .readsAPart ? 5 : 4096)
    _ = recv(connection, &buffer, buffer.count, 0)
  }

  private static func awaitInput(_ descriptor: CInt) {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&wanted, 1, 300_000)
  }
}
