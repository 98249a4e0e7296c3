internal import Synchronization

/// Numbers that tell requests apart.
final class SyncNumbers: Sendable {
  private let last = Mutex(0)

  /// A number that was not given before.
  func next() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }
}
