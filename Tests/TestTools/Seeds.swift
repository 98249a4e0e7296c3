internal import Foundation
internal import Synchronization

/// Hands out the seeds of a simulation to its workers.
public final class Seeds: Sendable {
  /// The one seed to repeat, if `BATON_SEED` names it.
  public static var repeated: UInt64? { number("BATON_SEED") }
  /// The number that `BATON_FIRST_SEED` sets. `scripts/test` draws it from the date.
  public static var first: UInt64 { number("BATON_FIRST_SEED") ?? 1 }
  /// How many seeds `BATON_SEEDS` asks for, if it does.
  public static var wanted: UInt64? { number("BATON_SEEDS") }

  private static func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap(UInt64.init) }

  private let state: Mutex<(found: [UInt64], next: UInt64, end: UInt64)>

  /// - Parameters:
  ///   - count: how many seeds there are.
  ///   - first: the first of them.
  ///   - found: further ones, which have found faults. They come first.
  public init(count: UInt64, from first: UInt64 = Seeds.first, found: [UInt64] = []) {
    state = Mutex((found, first, first + count))
  }

  /// The next seed; `nil` after the last one.
  public func next() -> UInt64? {
    state.withLock { state in
      if let seed = state.found.popLast() { return seed }
      guard state.next < state.end else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Hands out no more seeds: one of them failed.
  public func stop() { state.withLock { $0 = ([], 0, 0) } }
}
