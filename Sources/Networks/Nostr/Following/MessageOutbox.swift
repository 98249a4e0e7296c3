internal import Channels
internal import DequeModule
internal import RelayNetwork

/// News that a session has read and not reported yet. Only a few batches are out at a time, so that no one reads far ahead of the store.
struct MessageOutbox: Sendable {
  /// The number of news in one batch.
  static let batchMax = 64
  /// The number of batches that may be out without having been processed.
  static let batchesOutMax = 4
  /// The bounds of the waiting news, above which events of subscriptions are left out: their number, and about their size in bytes.
  static let waitingMax = 2_000
  static let waitingBytesMax = 8 << 20

  private let relay: RelayID
  private var lastNumber: Int
  private var waiting: Deque<MessageNews> = []
  private var waitingBytes = 0
  /// The number of news that were ever added, and that were ever reported.
  private var (addedCount, reportedCount) = (0, 0)
  /// The batches that are out, each with the number of news that were reported before it.
  private var out: [Int: Int] = [:]
  /// Reports that come after this number of news was processed.
  private var ends: Deque<(after: Int, report: NetworkReport)> = []
  private var isUrgent = false

  /// - Parameter before: the number before the first batch's number.
  init(relay: RelayID, before: Int) {
    self.relay = relay
    lastNumber = before
  }

  /// Whether nothing waits, so that more may be asked for.
  var isEmpty: Bool { waiting.isEmpty }

  /// Whether so much waits that events of subscriptions must be left out.
  var isFull: Bool { waiting.count >= Self.waitingMax || waitingBytes >= Self.waitingBytesMax }

  mutating func add(_ news: [MessageNews]) {
    for item in news {
      waitingBytes += item.roughBytes
      if item.isLive { isUrgent = true }
    }
    waiting.append(contentsOf: news)
    addedCount += news.count
  }

  /// Adds a report that comes once everything before it was processed.
  mutating func end(_ report: NetworkReport) {
    ends.append((addedCount, report))
    isUrgent = true
  }

  mutating func took(_ number: Int) { out[number] = nil }

  /// Reports as much as may be out.
  /// - Parameter isPartial: whether also a batch with less than it may have.
  mutating func flush(isPartial: Bool) -> [FollowerMachine.Action] {
    var actions: [FollowerMachine.Action] = []
    while out.count < Self.batchesOutMax, !waiting.isEmpty, isPartial || isUrgent || waiting.count >= Self.batchMax {
      let news = Array(waiting.prefix(Self.batchMax))
      waiting.removeFirst(news.count)
      waitingBytes -= news.reduce(0) { $0 + $1.roughBytes }
      lastNumber += 1
      out[lastNumber] = reportedCount
      reportedCount += news.count
      let id = MessageBatch.ID(network: .nostr, number: lastNumber)
      actions.append(.report(.read(MessageBatch(id: id, relay: relay, news: news))))
    }
    if waiting.isEmpty { isUrgent = false }
    while let end = ends.first, reportedCount >= end.after, out.values.allSatisfy({ $0 >= end.after }) {
      ends.removeFirst()
      actions.append(.report(end.report))
    }
    return actions
  }
}

extension MessageNews {
  /// About the memory that it uses.
  fileprivate var roughBytes: Int {
    switch what {
    case .message(let message):
      512 + message.text.utf8.count
        + message.attachments.reduce(0) { $0 + 256 + $1.url.utf8.count + ($1.altText?.utf8.count ?? 0) }
    case .edited(_, let text): 512 + text.utf8.count
    case .deleted, .removed, .reaction, .profile, .joinRequest, .memberCount: 512
    case .members(let members): 512 + 256 * members.entries.count
    }
  }
}
