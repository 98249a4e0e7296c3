internal import DequeModule
internal import RelayNetwork

/// What networks have read and is not stored yet, in the order in which it came. Networks read no further than a few batches ahead, so it
/// stays short.
struct NewsQueue {
  private var batches: Deque<MessageBatch> = []
  /// How many batches came in, and how many of them were stored.
  private(set) var received = 0
  private(set) var stored = 0

  var isEmpty: Bool { batches.isEmpty }

  mutating func add(_ batch: MessageBatch) {
    batches.append(batch)
    received += 1
  }

  /// The first batches, with at most so many news together; one that is larger comes alone.
  func next(newsMax: Int) -> [MessageBatch] {
    var (next, room): ([MessageBatch], Int) = ([], newsMax)
    for batch in batches {
      guard next.isEmpty || batch.news.count <= room else { break }
      room -= batch.news.count
      next.append(batch)
    }
    return next
  }

  /// Notes that the first batches were stored.
  mutating func removeFirst(_ count: Int) {
    batches.removeFirst(count)
    stored += count
  }
}
