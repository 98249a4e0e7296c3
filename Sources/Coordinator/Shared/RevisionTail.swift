internal import Channels
internal import Logging
internal import RelayNetwork
internal import Storage
internal import Synchronization

/// Follows the commits of all daemons to a shared store, so that this daemon's subscribers get every change once, in the order of
/// revisions. The engine publishes this daemon's commits immediately, unless another daemon's commit precedes them. All other changes are
/// read here.
///
/// The database is asked for its latest revision ten times a second. That is one short query, and nothing in it can get lost.
final class RevisionTail: Sendable {
  struct Limits: Sendable {
    /// How often the database is asked.
    var poll = Duration.milliseconds(100)
    /// How often the catalog is read without a sign of changes: routine figures change without a revision.
    var quiet = Duration.seconds(10)
    /// The number of changes that are read together.
    var page = 500
  }

  private let storage: any SharedReading
  private let coordinator: Coordinator
  private let limits: Limits
  private let pokes: AsyncStream<Void>
  /// The calls that wait until all current changes were read.
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]?>([])
  private let bell: AsyncStream<Void>.Continuation

  init(_ storage: any SharedReading, _ coordinator: Coordinator, limits: Limits = Limits()) {
    self.storage = storage
    self.coordinator = coordinator
    self.limits = limits
    (pokes, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let bell = bell
    coordinator.hub.fillGaps { bell.yield() }
  }

  private var clock: any CoordinatorClock { coordinator.clock }
  private var hub: ChangeHub { coordinator.hub }

  /// The state at the last read.
  private struct Seen {
    var end: SharedEnd?
    var catalogAt: Timestamp
    /// The last reported damage, so that it is reported once.
    var damage = ""
  }

  /// Works until it is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        while (try? await clock.sleep(until: clock.now + limits.poll)) != nil { bell.yield() }
        bell.finish()
      }
      var seen = Seen(end: nil, catalogAt: clock.now)
      for await _ in pokes {
        let waiting = takeWaiting()
        // A commit finds out that storage does not work. Here the next poke makes up for it.
        try? await follow(&seen)
        for one in waiting { one.resume() }
      }
      group.cancelAll()
      for one in takeWaiting(isLast: true) { one.resume() }
    }
  }

  /// Returns once all current changes were read, or could not be.
  func catchUp() async {
    await withCheckedContinuation { continuation in
      let waits = waiting.withLock { waiting in
        waiting?.append(continuation)
        return waiting != nil
      }
      if waits { bell.yield() } else { continuation.resume() }
    }
  }

  private func takeWaiting(isLast: Bool = false) -> [CheckedContinuation<Void, Never>] {
    waiting.withLock { waiting in
      defer { waiting = isLast ? nil : waiting.map { _ in [] } }
      return waiting ?? []
    }
  }

  private func follow(_ seen: inout Seen) async throws {
    let end = try await storage.end()
    let hasNewIdentities = seen.end.map {
      $0.identities != end.identities || $0.removedIdentities != end.removedIdentities
    }
    if hasNewIdentities == true || clock.now - seen.catalogAt >= limits.quiet { try await readCatalog(&seen) }
    while hub.revision < end.revision {
      let after = hub.revision
      guard end.revision - after <= Int64(hub.queueMax) else {
        try await skip(to: end.revision, &seen)
        break
      }
      do { try await publish(after: after, through: end.revision, &seen) } catch let error as StoreError
        where error.code == .corrupt
      {
        tell("unreadable changes in the database are left out: \(error)", &seen)
        try await skip(to: end.revision, &seen)
      }
    }
    if end.decisionRevision != seen.end?.decisionRevision { coordinator.tellMessages(.decisionsChanged) }
    if end.postRevision != seen.end?.postRevision { coordinator.postHub.publish(end.postRevision) }
    seen.end = end
  }

  /// Skips changes: subscribers read the missed objects in the store, and the catalog must be current by then.
  private func skip(to revision: Int64, _ seen: inout Seen) async throws {
    try await readCatalog(&seen)
    hub.skip(to: revision)
    coordinator.tellMessages(.everythingChanged)
  }

  // MARK: - Changes

  private func publish(after revision: Int64, through end: Int64, _ seen: inout Seen) async throws {
    let rows = try await storage.changes(after: revision, limit: limits.page)
    let due = rows.filter { $0.revision <= end }
    let through = rows.count < limits.page ? end : due.last?.revision ?? end
    let before = coordinator.directory.catalog
    if due.contains(where: \.object.isOfCatalog) { try await readCatalog(&seen) }
    var changes: [Change] = []
    let isWatched = hub.subscriberCount > 0
    if isWatched {
      let channels = try await storage.channels(Set(due.compactMap(\.object.channel))).found
      changes = due.compactMap { coordinator.change($0, among: channels, before: before) }
    }
    guard hub.publish(changes, after: revision, revision: through, isWhole: isWatched) else { return }
    for row in due {
      switch row.object {
      case .channel(let id): coordinator.tellMessages(.channelChanged(id))
      case .channelRelay(let row): if row.changesMembership { coordinator.tellMessages(.channelChanged(row.channel)) }
      case .relay: coordinator.tellMessages(.everythingChanged)
      case .operator, .server: break
      }
    }
  }

  // MARK: - The catalog

  private func tell(_ damage: String, _ seen: inout Seen) {
    guard seen.damage != damage else { return }
    seen.damage = damage
    coordinator.logger.error("\(damage)")
  }

  /// Reads the catalog and the identities, and returns once the daemon uses them. Damage is logged, and the earlier state remains in use.
  private func readCatalog(_ seen: inout Seen) async throws {
    do { try await readWholeCatalog(&seen) } catch let error as StoreError where [.corrupt, .wrongKey].contains(error.code) {
      tell("unreadable operators, servers, relays or identities in the database: \(error)", &seen)
      seen.catalogAt = clock.now
    }
  }

  private func readWholeCatalog(_ seen: inout Seen) async throws {
    let stored = try await StoredCatalog(storage, addressing: coordinator.directory.addressing)
    try coordinator.unlock(stored.identities)
    coordinator.inbox.put(.catalogRead(stored))
    try await coordinator.barrier()
    seen.catalogAt = clock.now
  }
}

extension ChangeRow.Object {
  /// Whether it is an operator, server or relay.
  fileprivate var isOfCatalog: Bool {
    switch self {
    case .operator, .server, .relay: true
    case .channel, .channelRelay: false
    }
  }
}
