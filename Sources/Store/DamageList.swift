internal import Synchronization

/// The damage that was found since the start, each finding once.
final class DamageList: Sendable {
  private struct State {
    var found: [String] = []
    var known: Set<String> = []
    var tell: (@Sendable (String) -> Void)?
  }
  private let state = Mutex(State())

  /// The bound of the list. Further findings count as known and are not kept.
  private static let foundMax = 1_000

  /// The findings, for people, in the order in which they were made.
  var found: [String] { state.withLock { $0.found } }

  /// Calls `tell` for each new finding, and now for the earlier ones.
  func tell(_ tell: @escaping @Sendable (String) -> Void) {
    let found = state.withLock { state in
      state.tell = tell
      return state.found
    }
    for finding in found { tell(finding) }
  }

  /// - Parameter lasts: whether the finding is kept in the list. Others are only reported.
  func note(_ finding: String, lasts: Bool = true) {
    let tell = state.withLock { state -> (@Sendable (String) -> Void)? in
      guard state.found.count < Self.foundMax, state.known.insert(finding).inserted else { return nil }
      if lasts { state.found.append(finding) }
      return state.tell
    }
    tell?(finding)
  }
}
