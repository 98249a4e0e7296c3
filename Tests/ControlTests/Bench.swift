import BatonClient
import Channels
import ControlAPI
import Coordinator
import Logging
import NIOPosix
import PostgreSQLStore
import RelayNetwork
import SimpleX
import Storage
import Store
import StrictJSON
import TestSupport
import Varlink

@testable import ControlServer

/// The whole control path: client, socket, server, coordinator, store.
final class Bench: Sendable {
  let folder: TemporaryFolder
  let network = FakeNetwork()
  let store: Store
  /// Where lists come from; `nil` if it is the store.
  private let shared: SharedStore?
  /// What is said in channels; `nil` if no one reads it.
  let messages: MessageStore?
  let coordinator: Coordinator
  let server: ControlServer
  let client: BatonClient
  private let task: Task<Void, any Error>

  /// Where the control interfaces are served.
  var path: String { folder.path + "/c" }

  /// - Parameters:
  ///   - folder: the state of an earlier bench; nil starts empty.
  ///   - indexedKeys: the keys of custom data that have an index.
  ///   - mode: the mode of the socket file, which says who may connect.
  ///   - hub: the hub that hands out changes.
  ///   - clock: the clock of the coordinator.
  ///   - hasSharedLists: whether lists come from a store that several daemons share, which has what was written with `write`.
  ///   - readsMessages: whether the daemon reads what is said in channels.
  init(
    folder: TemporaryFolder? = nil, indexedKeys: [String] = [],
    access: Access = Access(changeGroup: "baton", readGroup: "baton-read"), mode: UInt32 = 0o600,
    listLimits: ListLimits = ListLimits(), hub: ChangeHub = ChangeHub(), clock: any CoordinatorClock = SystemClock(),
    readsMessages: Bool = false, hasSharedLists: Bool = false,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    store = try Store(directory: folder.path + "/state")
    try store.keepKeyIndexes(indexedKeys)
    let shared = hasSharedLists ? try await SharedStores.make(besides: store) : nil
    self.shared = shared
    let messages = readsMessages ? try MessageStore(directory: folder.path + "/state") : nil
    self.messages = messages
    store.read(messages)
    let parts = messages.map { [store] in
      MessageParts(storage: MessageKeeperStore($0), channels: store, posts: store, decisions: store)
    }
    let coordinator = Coordinator(
      storage: store, posts: store, messages: parts, networks: [network], addressing: [SimpleXAddressing()],
      servers: SimpleXServers(group: MultiThreadedEventLoopGroup.singleton, now: { 1_750_000_000 }),
      rules: Rules(policy: RelayPolicy()),
      clock: clock,
      secrets: try .atFile(folder.path + "/key"), logger: logger, hub: hub)
    self.coordinator = coordinator
    let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
    task = Task {
      defer { readiness.finish() }
      try await coordinator.run { readiness.finish() }
    }
    for await _ in ready {}
    while !network.isRunning { await Task.yield() }
    let socket = try UnixListener.listen(path: folder.path + "/c", mode: mode)
    // Timeouts are tested elsewhere; here everyone has as much time as a busy machine needs.
    var limits = VarlinkServer.Limits()
    (limits.messageTimeout, limits.replyTimeout, limits.strangerTimeout) = (.seconds(600), .seconds(600), .seconds(600))
    var listLimits = listLimits
    listLimits.timeMax = .seconds(600)
    server = try await ControlServer.start(
      coordinator: coordinator,
      store: { [store] threads in
        let own = ControlStore(store, on: threads)
        let reading = messages.map { MessageReadingStore($0, on: threads) }
        return shared.map { SharedLists(own, $0.reading(on: threads, messages: reading)) } ?? own
      },
      messages: { threads in messages.map { MessageReadingStore($0, on: threads) } }, access: access, sockets: [socket],
      group: MultiThreadedEventLoopGroup.singleton, version: "test", startedAt: clock.now, logger: logger,
      limits: limits, listLimits: listLimits, credentials: folder.path)
    client = try await BatonClient(socket: folder.path + "/c", timeout: .seconds(300))
  }

  /// Writes past the coordinator, also to where lists come from.
  func write(_ mutations: [StoreMutation]) async throws {
    try await store.commit(mutations)
    guard let shared else { return }
    if try await shared.identities().isEmpty {
      try await shared.commit(try store.identities().map(StoreMutation.insertIdentity))
    }
    try await shared.commit(mutations)
  }

  /// Writes a channel, as it is stored, to where lists come from.
  func copyToShared(_ id: Int64) async throws {
    guard let stored = try store.channel(ChannelID(rawValue: id)) else { return }
    try await shared?.commit(
      try store.identities().map(StoreMutation.insertIdentity) + store.relays().map(StoreMutation.saveRelay)
        + [.insertChannel(stored.row)]
        + stored.relays.enumerated().map { .saveChannelRelay(stored.row.id, position: $0.offset, $0.element) })
  }

  func addRelays(_ count: Int) async throws -> [Int64] {
    var ids: [Int64] = []
    for number in 1...count { ids.append(try await client.relays.add(AddRelay(address: "ws://r\(number)")).id) }
    return ids
  }

  func create(_ name: String) async throws -> Channel? {
    var last: Channel?
    let changes = try await client.channels.createAndFollow(CreateChannel(profile: .init(displayName: name)))
    for try await channel in changes { last = channel }
    return last
  }

  /// Creates channels with long descriptions, one after the other, and follows each to its end.
  func fill(_ numbers: ClosedRange<Int>) async throws {
    let text = String(repeating: "x", count: 15_000)
    for number in numbers {
      let request = CreateChannel(profile: .init(displayName: "Channel \(number)"), custom: ["text": .string(text)])
      for try await _ in try await client.channels.createAndFollow(request) {}
    }
  }

  /// The same, and waits until so many clients that do not read have more than fits on the way. With few channels no one can have fallen
  /// behind by then.
  func fill(_ numbers: ClosedRange<Int>, untilStuck count: Int) async throws {
    try await fill(numbers)
    while await server.unsentBytes().count(where: { $0 > 0 }) < count { await Task.yield() }
  }

  func stop() async throws {
    await client.close()
    coordinator.stop()
    try await task.value
    await server.stop()
    store.close()
    messages?.close()
    await shared?.close()
  }
}
