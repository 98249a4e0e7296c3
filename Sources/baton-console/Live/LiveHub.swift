internal import BatonClient
internal import ControlAPI
internal import Logging
internal import Varlink

/// Watches the daemon once for everyone who looks at pages.
actor LiveHub {
  private let daemon: Daemon
  private let logger: Logger
  private var feed = LiveFeed()
  private var readers: [LiveFeed.ReaderID: (user: String, waker: AsyncStream<Void>.Continuation)] = [:]
  private var places = Places<String>(max: readersMax, perUserMax: readersPerUserMax)
  private var failures = 0

  /// How often a reader hears something, so that proxies and browsers do not take the connection for dead.
  static let beat = Duration.seconds(15)
  /// Streams at once; fewer than the connections that one user may have, so that pages find room beside them.
  static let readersMax = 64
  /// Streams that one user may read at once. A browser has one for all of its tabs.
  static let readersPerUserMax = 16
  /// How often the daemon is asked how it is itself: no change tells of that.
  private static let statusPause = Duration.seconds(15)
  private static let pauses: [Duration] = [.milliseconds(100), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5)]

  init(daemon: Daemon, logger: Logger) {
    self.daemon = daemon
    self.logger = logger
  }

  /// The newest revision that was heard of; whatever is read from the daemon from now on has it.
  var revision: Int64? { feed.revision }

  /// Watches until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do {
        try await watch()
      } catch let error as VarlinkError
        where error.kind == .revisionCompacted || error.name == "org.varlink.service.InvalidParameter"
      {
        // The changes are not kept any more, or the database is another one, in which the revision lies ahead.
        feed.lost()
      } catch {
        logger.debug("the daemon cannot be watched: \(error)")
      }
      feed.disconnected()
      wakeAll()
      let pause = Self.pauses[min(failures, Self.pauses.count - 1)]
      failures += 1
      guard (try? await Task.sleep(for: pause)) != nil else { break }
    }
    for reader in readers.values { reader.waker.finish() }
    readers = [:]
  }

  /// Watches what is said in channels until the task is cancelled. It is another stream, with other revisions.
  func runMessages() async {
    await follow("messages") { client in
      try await client.watchMessages().map { $0.message?.channelId ?? $0.conversation?.channelId }
    }
  }

  /// Watches how posts get on until the task is cancelled. Where messages are not read, they are all that there is.
  func runPosts() async {
    await follow("posts") { client in try await client.watchPosts().map { $0.post?.channelId } }
  }

  /// Notes for which channels something comes, until the task is cancelled.
  /// - Parameter watch: the ids of these channels; `nil` for a word about none.
  private func follow<Channels: AsyncSequence & Sendable>(
    _ what: String, _ watch: @Sendable (BatonClient) async throws -> Channels
  ) async where Channels.Element == Int64? {
    var failures = 0
    while !Task.isCancelled {
      do {
        let client = try await daemon.connect()
        defer { Task { await client.close() } }
        for try await channel in try await watch(client) {
          // The first word only says where it begins; what was missed before may be anything.
          if failures > 0 || channel == nil { note(LiveFeed.allMessages) }
          failures = 0
          if let channel { note("messages:\(channel)") }
        }
      } catch {
        logger.debug("\(what) cannot be watched: \(error)")
      }
      // A daemon that reads no messages refuses at once.
      let pause = Self.pauses[min(failures + 2, Self.pauses.count - 1)]
      failures += 1
      guard (try? await Task.sleep(for: pause)) != nil else { return }
    }
  }

  /// Asks the daemon how it is, as long as someone looks, until the task is cancelled. A disk that is full commits nothing, and so nothing
  /// changes that a watch could tell of.
  func runStatus() async {
    var known: [String]?
    while (try? await Task.sleep(for: Self.statusPause)) != nil {
      guard !readers.isEmpty else {
        known = nil
        continue
      }
      guard let status = try? await daemon.ask({ try await $0.status() }) else { continue }
      let present = Self.condition(status)
      if known != present { note(LiveObject.status) }
      known = present
    }
  }

  /// What pages show of the daemon itself.
  private static func condition(_ status: DaemonStatus) -> [String] {
    [
      status.storageTrouble ?? "", status.damage ?? "", status.declarationsTrouble ?? "", "\(status.quarantined)",
      "\(status.daemonsSilent ?? 0)", "\(status.channelsWaitingForCores ?? 0)",
    ] + status.unusableNetworks.flatMap { [$0.network, $0.detail] }
  }

  private func note(_ object: String) {
    feed.noted(object)
    wakeAll()
  }

  /// How long a watch must hold without a word before changes are taken to arrive: a refusal comes sooner.
  private static let settling = Duration.milliseconds(300)

  private func watch() async throws {
    let client = try await daemon.connect()
    defer { Task { await client.close() } }
    // Whether it answers shows here: what was missed may be nothing, and then a stream says nothing.
    try await client.ping()
    let since = feed.revision
    let changes = try await client.watch(WatchRequest(since: since))
    let settled = Task {
      guard since != nil, (try? await Task.sleep(for: Self.settling)) != nil, !Task.isCancelled else { return }
      resumed()
    }
    defer { settled.cancel() }
    for try await change in changes {
      feed.resumed()
      failures = 0
      switch change.kind {
      case "snapshot": feed.begun(at: change.revision)
      case "end": return
      default: feed.changed(LiveObject.names(change), revision: change.revision)
      }
      wakeAll()
    }
  }

  private func resumed() {
    failures = 0
    feed.resumed()
    wakeAll()
  }

  /// Begins to read.
  /// - Parameters:
  ///   - revision: what is known already.
  ///   - user: who reads.
  /// - Returns: `nil` if as many read as may; otherwise a stream that says when to `take`.
  func subscribe(after revision: Int64?, user: String) -> (LiveFeed.ReaderID, AsyncStream<Void>)? {
    guard places.take(user) else { return nil }
    let id = feed.add(after: revision)
    let (stream, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    readers[id] = (user, waker)
    waker.yield()
    return (id, stream)
  }

  func take(_ id: LiveFeed.ReaderID) -> [LiveFeed.Message] { feed.take(id) }

  func unsubscribe(_ id: LiveFeed.ReaderID) {
    guard let reader = readers.removeValue(forKey: id) else { return }
    feed.remove(id)
    places.leave(reader.user)
    reader.waker.finish()
  }

  /// Lets all readers say that they are there.
  func wakeAll() { for reader in readers.values { reader.waker.yield() } }
}
