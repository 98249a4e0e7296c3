import Channels
import ControlServer
import Coordinator
import Glibc
import Logging
import NIOPosix
import Nostr
import RelayNetwork
import Storage
import Store
import TestSupport
import Varlink

/// What the daemon does, in this process: the control interfaces on a socket, and the engines. It notes what it stores, so that the limit can
/// write the same.
final class RecordedServer: Sendable {
  let storage: RecordingStorage
  /// Where the control interfaces are served.
  let socket: String
  private let coordinator: Coordinator
  private let server: ControlServer
  private let task: Task<Void, any Error>

  /// - Parameter network: what it speaks to; Nostr relays that are really there if `nil`.
  init(_ folder: TemporaryFolder, network: (any RelayNetwork)? = nil) async throws {
    let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    let group = MultiThreadedEventLoopGroup.singleton
    let (store, clock) = (try Store(directory: folder.path + "/state"), SystemClock())
    let storage = RecordingStorage(store)
    let network = try network ?? NostrNetwork(group: group, logger: logger, now: { Int64(time(nil)) })
    let coordinator = Coordinator(
      storage: storage, posts: storage, networks: [network], rules: Rules(policy: RelayPolicy()), clock: clock,
      secrets: try .atFile(folder.path + "/key"), logger: logger)
    (self.storage, self.coordinator, socket) = (storage, coordinator, folder.path + "/c")
    let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
    task = Task {
      defer { readiness.finish() }
      try await coordinator.run { readiness.finish() }
    }
    for await _ in ready {}
    server = try await ControlServer.start(
      coordinator: coordinator, store: { ControlStore(store, on: $0) }, access: Access(changeGroup: "", readGroup: ""),
      sockets: [try UnixListener.listen(path: socket, mode: 0o600)], group: group, version: "bench", startedAt: clock.now,
      logger: logger)
  }

  func stop() async throws {
    coordinator.stop()
    try await task.value
    await server.stop()
    storage.store.close()
  }
}
