internal import Channels
internal import RelayNetwork

/// News that was read and not taken yet. However much people write, it holds at most `batchesMax` full batches.
struct NewsOutbox {
  /// How many news a batch has at most.
  static let newsMax = 64
  /// How many batches are kept until they are taken. The last one leaves only when it is full, or another was taken, so that single
  /// messages do not use them up.
  static let batchesMax = 4

  private var gathered: [MessageNews] = []
  /// The numbers of the reported batches that were not taken.
  private var untaken: Set<Int> = []
  private var last = 0

  /// How many news can be added.
  var room: Int { (Self.batchesMax - untaken.count) * Self.newsMax - gathered.count }

  /// The number of the batch that completes everything added so far.
  var mark: Int { last + (gathered.count + Self.newsMax - 1) / Self.newsMax }

  /// - Returns: whether there was room for all of them. If not, nothing was added.
  mutating func add(_ news: [MessageNews]) -> Bool {
    guard news.count <= room else { return false }
    gathered += news
    return true
  }

  /// The next batch to report, or `nil` if nothing may leave now.
  mutating func next() -> MessageBatch? {
    let isFull = gathered.count >= Self.newsMax
    guard !gathered.isEmpty, untaken.count < Self.batchesMax - (isFull ? 0 : 1) else { return nil }
    last += 1
    untaken.insert(last)
    defer { gathered.removeFirst(min(Self.newsMax, gathered.count)) }
    return MessageBatch(
      id: MessageBatch.ID(network: .simplex, number: last), relay: nil, news: Array(gathered.prefix(Self.newsMax)))
  }

  mutating func taken(_ batch: MessageBatch.ID) { untaken.remove(batch.number) }

  /// Whether everything was taken that had been added when `mark` was the mark.
  func isTaken(_ mark: Int) -> Bool { mark <= last && !untaken.contains { $0 <= mark } }
}
