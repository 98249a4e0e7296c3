import BatonClient
import Testing

@testable import ControlServer

/// The behaviour of a client that persists when its daemon restarts.
@Suite(.timeLimit(.minutes(10)))
struct ReconnectTests {
  @Test func concurrentCallsShareOneNewConnection() async throws {
    let first = try await Bench()
    let client = try await BatonClient(socket: first.path, persistence: .seconds(300))
    try await client.service.ping()
    try await first.stop()

    let second = try await Bench(folder: first.folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { try await client.service.ping() } }
      try await group.waitForAll()
    }
    // This one's, and that of the bench.
    while second.server.connectionCount > 2 { await Task.yield() }
    await client.close()
    try await second.stop()
  }
}
