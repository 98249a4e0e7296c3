internal import Synchronization

/// What was found damaged since the start, each once.
final class DamageList: Sendable {
  private struct State {
    var found: [String] = []
    var known: Set<String> = []
    var tell: (@Sendable (String) -> Void)?
  }
  private let state = Mutex(State())

  /// More are counted as known and not kept.
  private static let foundMax = 1_000

  /// What is damaged, for people, in the order in which it was found.
  var found: [String] { state.withLock { $0.found } }

  /// Calls `tell` for each new finding, and now for what was found already.
  func tell(_ tell: @escaping @Sendable (String) -> Void) {
    let found = state.withLock { state in
      state.tell = tell
      return state.found
    }
    for finding in found { tell(finding) }
  }

  func note(_ finding: String) {
    let tell = state.withLock { state -> (@Sendable (String) -> Void)? in
      guard state.found.count < Self.foundMax, state.known.insert(finding).inserted else { return nil }
      state.found.append(finding)
      return state.tell
    }
    tell?(finding)
  }
}
