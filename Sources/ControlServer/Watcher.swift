internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import StrictJSON
internal import Varlink

/// One call of `org.batond.Monitor.Watch`: sends its client the wanted changes in order. It keeps the batch that is being written and
/// otherwise only its place among the changes.
struct Watcher {
  /// The number of stored rows in one read.
  private static let rowsMax = 500
  /// The number of channels in one read: about as many as are sent in one go.
  private static let channelsMax = 16

  private let selection: ChangeSelection
  private let subscription: ChangeSubscription
  private let stream: ReplyStream<ChangeMessage>
  private let context: ControlContext
  /// The revision up to which everything the client wants is sent, or about to be.
  private var last: Int64
  /// The messages to send next.
  private var batch = ReplyBatch()

  init(
    _ selection: ChangeSelection, _ subscription: ChangeSubscription, _ stream: ReplyStream<ChangeMessage>,
    _ context: ControlContext
  ) {
    self.selection = selection
    self.subscription = subscription
    self.stream = stream
    self.context = context
    last = subscription.revision
  }

  /// Begins with the next change.
  func begin() async throws { try await stream.send(marker("snapshot", last)) }

  /// Begins with the changes stored after `revision`.
  mutating func begin(after revision: Int64) async throws {
    last = revision
    try await catchUp(to: subscription.revision, isMerged: false)
  }

  /// Sends published changes until none come.
  /// - Returns: the last reply.
  /// - Throws: `TooSlow`, or the errors of reading the store.
  mutating func follow() async throws -> ChangeMessage {
    while true {
      switch subscription.take() {
      case .change(let entry):
        // A list from which the client began may have included it.
        guard entry.change.revision > last else { continue }
        last = entry.change.revision
        let activity = await context.activity(for: entry)
        let message = try subscription.message(of: entry) {
          try SentChange($0, context.coordinator, activity).jsonBytes
        }
        try await batch.append(parameters: message, to: stream)
      case .nothing:
        if batch.isEmpty { await subscription.wait() } else { try await batch.send(to: stream) }
      case .missed(let after, let end):
        try await batch.send(to: stream)
        last = max(last, after)
        try await catchUp(to: end, isMerged: true)
      case .tooSlow(let after):
        throw MonitorRefusal.tooSlow(revision: max(last, after))
      case .over(let end):
        try Task.checkCancellation()
        try await batch.send(to: stream)
        return marker("end", max(last, end))
      }
    }
  }

  /// A message that is not a change.
  private func marker(_ kind: String, _ revision: Int64) -> ChangeMessage {
    ChangeMessage(revision: revision, time: context.coordinator.now.text, kind: kind)
  }

  // MARK: - Stored changes

  /// The result of one read of the store.
  private struct Part: Sendable {
    var replies = EncodedReplies()
    /// The revision up to which everything is in `replies`, is not wanted, or is replaced by something later.
    var last: Int64
    var isLast = false
  }

  /// Sends stored changes after `last`, up to `end`.
  /// - Parameter isMerged: whether only the newest change of each object is sent.
  private mutating func catchUp(to end: Int64, isMerged: Bool) async throws {
    var isLast = false
    while !isLast {
      let part = try await Self.read(after: last, through: end, selection, isMerged: isMerged, context)
      if !part.replies.isEmpty { try await stream.send(part.replies) }
      (last, isLast) = (part.last, part.isLast)
    }
    last = max(last, end)
  }

  private static func read(
    after revision: Int64, through end: Int64, _ selection: ChangeSelection, isMerged: Bool, _ context: ControlContext
  ) async throws -> Part {
    let rows = try await rows(after: revision, through: end, isMerged: isMerged, context)
    // This is asked after the rows were read: changes that were just forgotten must not look as if there were none.
    let oldest = try await context.store.oldestRevision()
    guard revision >= oldest else {
      throw MonitorRefusal.revisionCompacted(oldest: Int(oldest))
    }
    let due = rows.prefix { $0.revision <= end }
    var part = Part(last: revision)
    // Changes that the client does not want, judged by the row alone, are skipped.
    var waiting = due.filter { selection.mayWant($0.object) }[...]
    while !waiting.isEmpty {
      let group = waiting.prefix(Self.channelsMax)
      waiting = waiting.dropFirst(Self.channelsMax)
      let channels = try await context.store.channels(Set(group.compactMap(\.object.channel))).found
      let activities = try await context.activities(of: Set(group.compactMap(sentChannel(of:))))
      for row in group {
        part.last = row.revision
        guard let change = restore(row, channels, isMerged: isMerged, context.coordinator), selection.wants(change) else {
          continue
        }
        var message = try SentChange(change, context.coordinator, activity(for: change, of: activities))
        if isMerged { message.merged = true }
        part.replies.append(parameters: message.jsonBytes)
        if part.replies.byteCount >= ReplyBatch.bytes { return part }
      }
    }
    part.last = due.last?.revision ?? revision
    part.isLast = rows.isEmpty || due.count < rows.count
    return part
  }

  private static func rows(
    after revision: Int64, through end: Int64, isMerged: Bool, _ context: ControlContext
  ) async throws -> [ChangeRow] {
    do {
      return isMerged
        ? try await context.store.newestChanges(after: revision, through: end, limit: rowsMax)
        : try await context.store.changes(after: revision, limit: rowsMax)
    } catch let error as StoreError where error.code == .corrupt {
      // The past changes cannot be sent, but the present state can.
      throw MonitorRefusal.revisionCompacted(oldest: Int(end))
    }
  }

  /// The activity of the channel that is sent with a change.
  private static func activity(for change: Change, of activities: [ChannelID: ChannelActivity]) -> ChannelActivity {
    switch change.object {
    case .channel(let snapshot): activities[snapshot.row.id] ?? ChannelActivity()
    case .channelRelay, .catalog: ChannelActivity()
    }
  }

  /// The channel that is sent with a change.
  private static func sentChannel(of row: ChangeRow) -> ChannelID? {
    if case .channel(let id) = row.object { id } else { nil }
  }

  /// The change with the present state of its object.
  /// - Parameters:
  ///   - channels: the channels that can be read. An unreadable one must not end every watch.
  ///   - isMerged: whether an object that has changed since is left out, because that change comes too.
  /// - Returns: `nil` if there is no such object.
  private static func restore(
    _ row: ChangeRow, _ channels: [ChannelID: StoredChannel], isMerged: Bool, _ coordinator: Coordinator
  ) -> Change? {
    guard let change = coordinator.change(row, among: channels) else { return nil }
    return isMerged && change.object.revision.map { $0 > row.revision } == true ? nil : change
  }
}

extension Change.Object {
  /// The revision of the object itself, or `nil` for a relay of a channel, which has none.
  fileprivate var revision: Int64? {
    switch self {
    case .catalog(let object, _): object.revision
    case .channel(let snapshot): snapshot.row.revision
    case .channelRelay: nil
    }
  }
}
