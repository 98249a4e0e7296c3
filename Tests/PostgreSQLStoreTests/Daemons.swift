import Storage
import Synchronization
import TestSupport
import Testing

/// Daemons on one database. They end with the test, however it ends.
func withDaemons(_ body: (TestDaemons) async throws -> Void) async throws {
  let daemons = try await TestDaemons()
  do { try await body(daemons) } catch {
    await daemons.stop()
    throw error
  }
  await daemons.stop()
}

final class TestDaemons: Sendable {
  // Nothing is lost here but with the machine.
  let cluster: PostgreSQLCluster
  private let folder: TemporaryFolder
  private let all = Mutex<[TestDaemon]>([])

  fileprivate init() async throws {
    cluster = try await PostgreSQLCluster(["fsync": "off"])
    folder = try TemporaryFolder()
  }

  /// - Parameter earlier: a daemon on the same relays.
  func start(
    _ name: String, relaysOf earlier: TestDaemon? = nil, messages: (any MessageStorage)? = nil
  ) throws -> TestDaemon {
    let daemon = try TestDaemon(name, on: cluster, folder: folder, relaysOf: earlier, messages: messages)
    all.withLock { $0.append(daemon) }
    return daemon
  }

  fileprivate func stop() async {
    for daemon in all.withLock({ $0 }) {
      await daemon.stop()
      #expect(daemon.troubles == [])
    }
    await cluster.stop()
  }
}
