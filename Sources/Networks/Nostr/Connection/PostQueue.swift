internal import Channels
internal import DequeModule
internal import RelayNetwork

/// The operations for posts that wait to be sent to one relay, in order. A post has a gate: when its turn comes, its owner is asked whether
/// it may leave, and only the answer opens the gate. Waiting posts keep their gates when the connection is lost, so no one is asked twice.
struct PostQueue: Sendable {
  /// The number of posts that may be asked for and not answered.
  static let askedMax = 64

  private enum Gate { case closed, asked, open }

  private struct Entry {
    var item: SessionOperation
    let post: PostID
    let task: DeliveryOperation.Task
    let number: Int
    var gate: Gate
    /// Whether it was sent before, and not answered.
    let wasSent: Bool

    /// - Returns: `nil` if the operation is not about a post.
    init?(_ item: SessionOperation, gate: Gate, wasSent: Bool = false) {
      guard let delivery = item.delivery else { return nil }
      (self.item, self.gate, self.wasSent) = (item, gate, wasSent)
      (post, task, number) = (delivery.post, delivery.task, delivery.number)
    }
  }

  private var entries: Deque<Entry> = []

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Whether the operation at the head publishes a post of a group that has no date yet.
  var needsDate: Bool { entries.first?.item.isUndated == true }

  /// The operation at the head, if it may be sent, and whether it was sent before and not answered.
  var next: (item: SessionOperation, wasSent: Bool)? {
    guard let head = entries.first, head.gate == .open else { return nil }
    return (head.item, head.wasSent)
  }

  /// Adds an operation at the end. It replaces an operation that differs only in its number, because no one waits for that any longer.
  mutating func append(_ item: SessionOperation) {
    // Deletions are requested only for posts that may have left.
    guard let entry = Entry(item, gate: item.delivery?.task == .publish ? .closed : .open) else { return }
    entries.removeAll { $0.post == entry.post && $0.task == entry.task }
    entries.append(entry)
  }

  /// Returns an operation to the head that was removed before.
  mutating func prepend(_ item: SessionOperation, wasSent: Bool) {
    if let entry = Entry(item, gate: .open, wasSent: wasSent) { entries.prepend(entry) }
  }

  mutating func removeFirst() { if !entries.isEmpty { entries.removeFirst() } }

  /// Marks posts among the first `ahead` operations as asked for.
  /// - Returns: the posts that were not asked for before, in order.
  mutating func ask(_ ahead: Int) -> [SessionOperation] {
    var askedCount = 0
    var asked: [SessionOperation] = []
    // Posts are asked for in order, so none behind the first closed gate was asked for yet.
    for index in entries.indices.prefix(ahead) where entries[index].gate != .open {
      guard askedCount < Self.askedMax else { break }
      askedCount += 1
      guard entries[index].gate == .closed else { continue }
      entries[index].gate = .asked
      asked.append(entries[index].item)
    }
    return asked
  }

  /// Gives a post of a group its date, whose turn has come.
  /// - Parameter seconds: the date, in Unix seconds.
  /// - Returns: the operation, with the event, or `nil` if no such operation needs a date.
  mutating func date(_ post: PostID, _ number: Int, at seconds: Int64) -> SessionOperation? {
    let place = entries.firstIndex { $0.post == post && $0.number == number && $0.gate == .asked && $0.item.isUndated }
    guard let place else { return nil }
    entries[place].item = entries[place].item.dated(at: seconds)
    return entries[place].item
  }

  /// Opens the gate of a post that was asked for, or drops the post. Answers to other questions are ignored.
  mutating func release(_ turn: DeliveryTurn) {
    let place = entries.firstIndex { $0.post == turn.post && $0.number == turn.number && $0.gate == .asked }
    guard let place, !entries[place].item.isUndated else { return }
    if turn.mayLeave { entries[place].gate = .open } else { entries.remove(at: place) }
  }

  mutating func removeAll(where isGone: (SessionOperation) -> Bool) { entries.removeAll { isGone($0.item) } }

  /// Keeps the first operations.
  /// - Returns: the others, and whether each was sent before and not answered.
  mutating func removeAll(after kept: Int = 0) -> [(item: SessionOperation, wasSent: Bool)] {
    let late = entries.dropFirst(kept).map { ($0.item, $0.wasSent) }
    entries.removeLast(late.count)
    return late
  }
}
