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

  /// How often a reader receives something, so that proxies and browsers do not consider the connection dead.
  static let beat = Duration.seconds(15)
  /// The largest number of simultaneous streams. It is less than the number of connections that one user may have, which leaves some for
  /// pages.
  static let readersMax = 64
  /// The largest number of simultaneous streams of one user. A browser has one for all of its tabs.
  static let readersPerUserMax = 16
  /// How often to request the daemon's status, which changes without an event.
  private static let statusPause = Duration.seconds(15)
  private static let pauses: [Duration] = [.milliseconds(100), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5)]

  init(daemon: Daemon, logger: Logger) {
    self.daemon = daemon
    self.logger = logger
  }

  /// The newest received revision. Later replies of the daemon include it.
  var revision: Int64? { feed.revision }

  /// Watches until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do {
        try await watch()
      } catch let error as VarlinkError
        where error.kind == .revisionCompacted || error.name == "org.varlink.service.InvalidParameter"
      {
        // The daemon no longer keeps these changes, or the database was replaced and has not reached the revision.
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

  /// Watches messages in channels until the task is cancelled. This is another stream, with other revisions.
  func runMessages() async {
    await follow("messages") { client in
      try await client.messages.watch().map { $0.message?.channelId ?? $0.conversation?.channelId }
    }
  }

  /// Watches the progress of posts until the task is cancelled. If messages are not read, posts are the only content of channels.
  func runPosts() async {
    await follow("posts") { client in try await client.posts.watch().map { $0.post?.channelId } }
  }

  /// Records the channels with news, until the task is cancelled.
  /// - Parameter watch: the ids of these channels, with `nil` for a message without one.
  private func follow<Channels: AsyncSequence & Sendable>(
    _ what: String, _ watch: @Sendable (BatonClient) async throws -> Channels
  ) async where Channels.Element == Int64? {
    var failures = 0
    while !Task.isCancelled {
      do {
        let client = try await daemon.connect()
        defer { Task { await client.close() } }
        for try await channel in try await watch(client) {
          // The first message only contains the revision at which the stream begins. Anything may have been missed before.
          if failures > 0 || channel == nil { note(LiveFeed.allMessages) }
          failures = 0
          if let channel { note("messages:\(channel)") }
        }
      } catch {
        logger.debug("\(what) cannot be watched: \(error)")
      }
      // A daemon that reads no messages refuses immediately.
      let pause = Self.pauses[min(failures + 2, Self.pauses.count - 1)]
      failures += 1
      guard (try? await Task.sleep(for: pause)) != nil else { return }
    }
  }

  /// Requests the daemon's status while someone looks, until the task is cancelled. If the disk is full, nothing is committed, so the watch
  /// reports no change.
  func runStatus() async {
    var known: [String]?
    while (try? await Task.sleep(for: Self.statusPause)) != nil {
      guard !readers.isEmpty else {
        known = nil
        continue
      }
      guard let status = try? await daemon.ask({ try await $0.daemon.status() }) else { continue }
      let present = Self.condition(status)
      if known != present { note(LiveObject.status) }
      known = present
    }
  }

  /// The values of the daemon's status that pages show.
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

  /// How long a watch must last without a message before it counts as working. A refusal arrives sooner.
  private static let settling = Duration.milliseconds(300)

  private func watch() async throws {
    let client = try await daemon.connect()
    defer { Task { await client.close() } }
    // This call shows whether the daemon replies. A stream without missed changes sends nothing.
    try await client.service.ping()
    let since = feed.revision
    let changes = try await client.monitor.watch(WatchRequest(since: since))
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
  ///   - revision: the revision that the reader already has.
  ///   - user: the user who reads.
  /// - Returns: a stream of signals to call `take`, or `nil` if the largest number of readers is reached.
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

  /// Makes every reader send something.
  func wakeAll() { for reader in readers.values { reader.waker.yield() } }
}
