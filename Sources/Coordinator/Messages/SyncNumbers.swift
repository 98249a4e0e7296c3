internal import Synchronization

/// Numbers that identify requests.
final class SyncNumbers: Sendable {
  private let last = Mutex(0)

  /// A number that was not used before.
  func next() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }
}
