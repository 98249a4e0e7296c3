internal import Storage
internal import Synchronization

/// The result of a request.
struct CommitOutcome: Sendable {
  let result: Result<CommitReceipt, CommitFailure>
  /// Rows that were written or deleted.
  let rows: Int
}

/// The requests that wait for the writer, in the order in which they came. While any wait, the writer is sure to come for them.
final class CommitQueue: Sendable {
  struct Entry: Sendable {
    let request: CommitRequest
    let reply: CheckedContinuation<CommitOutcome, Never>

    /// Whether it shares no transaction with others.
    fileprivate var isAlone: Bool { request.parts.first?.mutations.first?.isUpkeep ?? false }
  }
  private let waiting = Mutex<[Entry]>([])

  /// How many requests wait.
  var count: Int { waiting.withLock { $0.count } }

  /// - Returns: whether the writer must be called, because nothing waited.
  func add(_ entry: Entry) -> Bool {
    waiting.withLock { waiting in
      waiting.append(entry)
      return waiting.count == 1
    }
  }

  /// Takes the requests that the next transaction writes.
  /// - Returns: the requests, and whether others wait, so that the writer must come again.
  func take() -> (group: [Entry], isMore: Bool) {
    waiting.withLock { waiting in
      let end = max(1, waiting.firstIndex(where: \.isAlone) ?? waiting.count)
      let group = Array(waiting.prefix(end))
      waiting.removeFirst(group.count)
      return (group, !waiting.isEmpty)
    }
  }
}
