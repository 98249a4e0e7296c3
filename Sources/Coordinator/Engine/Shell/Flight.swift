internal import Storage
internal import Synchronization

/// A commit that was begun. The shell continues to decide while it is under way.
struct Flight: Sendable {
  typealias Outcome = Result<CommitReceipt, CommitFailure>

  private final class Mark: Sendable {
    let isSet = Atomic(false)
  }
  private let over = Mark()
  private let ending: @Sendable () async -> Outcome

  /// - Parameters:
  ///   - isEager: whether it begins now. Otherwise it begins when its outcome is awaited, which makes tests repeatable.
  ///   - whenOver: called at its end, if it begins now.
  init(
    isEager: Bool, whenOver: @escaping @Sendable () -> Void, _ commit: @escaping @Sendable () async -> Outcome
  ) {
    guard isEager else {
      ending = commit
      return
    }
    let task = Task { [over] in
      let outcome = await commit()
      over.isSet.store(true, ordering: .releasing)
      whenOver()
      return outcome
    }
    ending = { await task.value }
  }

  /// Whether its outcome is known.
  var isOver: Bool { over.isSet.load(ordering: .acquiring) }

  /// Waits for its end.
  var outcome: Outcome { get async { await ending() } }
}
