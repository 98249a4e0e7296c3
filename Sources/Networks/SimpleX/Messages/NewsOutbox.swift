internal import Channels
internal import RelayNetwork

/// What was read and not taken yet. However much others write, it holds no more than `batchesMax` full batches.
struct NewsOutbox {
  /// How many news a batch has at most.
  static let newsMax = 64
  /// How many batches are kept that were not taken. The last one leaves only when it is full, or another was taken, so that single messages
  /// do not use them up.
  static let batchesMax = 4

  private var gathered: [MessageNews] = []
  /// The numbers of the batches that were reported and not taken.
  private var untaken: Set<Int> = []
  private var last = 0

  /// How many news can be added.
  var room: Int { (Self.batchesMax - untaken.count) * Self.newsMax - gathered.count }

  /// The number of the batch with which everything is taken that was added so far.
  var mark: Int { last + (gathered.count + Self.newsMax - 1) / Self.newsMax }

  /// - Returns: whether there was room for all of them; otherwise none was added.
  mutating func add(_ news: [MessageNews]) -> Bool {
    guard news.count <= room else { return false }
    gathered += news
    return true
  }

  /// The next batch to report; `nil` if nothing may leave now.
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
