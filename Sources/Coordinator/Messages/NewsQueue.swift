internal import DequeModule
internal import RelayNetwork

/// Messages that networks have read and that are not stored yet, in the order of arrival. It is short, because networks read only a few
/// batches ahead.
struct NewsQueue {
  private var batches: Deque<MessageBatch> = []
  /// The number of batches that came in, and of those stored.
  private(set) var received = 0
  private(set) var stored = 0

  var isEmpty: Bool { batches.isEmpty }

  mutating func add(_ batch: MessageBatch) {
    batches.append(batch)
    received += 1
  }

  /// The first batches, with a limited number of news together. A larger batch is returned alone.
  func next(newsMax: Int) -> [MessageBatch] {
    var (next, room): ([MessageBatch], Int) = ([], newsMax)
    for batch in batches {
      guard next.isEmpty || batch.news.count <= room else { break }
      room -= batch.news.count
      next.append(batch)
    }
    return next
  }

  /// Records that the first batches were stored.
  mutating func removeFirst(_ count: Int) {
    batches.removeFirst(count)
    stored += count
  }
}
