import Channels
import Synchronization
import TestSupport

/// What happens to a commit. The cases that only one simulation has are its own.
protocol SeededFate: Sendable {
  static var works: Self { get }
  static var crashesBefore: Self { get }
  static var crashesAfter: Self { get }
}

/// What a world knows of the daemon and its storage.
protocol SeededState {
  associatedtype Input
  associatedtype Fate: SeededFate

  var inbox: [Input] { get set }
  /// Whether the daemon runs; what a dead one says reaches no one.
  var isAlive: Bool { get set }
  /// After so many words to relays and clients it dies.
  var wordsLeft: Int? { get set }
  /// What happens to the next commit.
  var fate: Fate { get set }
  var areReadsBroken: Bool { get set }
  /// After so many reads no more succeed.
  var readsLeft: Int? { get set }
}

/// Everything outside of an engine. It outlives the crashes of the daemon.
protocol SeededWorld: AnyObject, Sendable {
  associatedtype State: SeededState

  var clock: SimClock { get }
  var trace: Trace { get }
  func read<T: Sendable>(_ body: (State) -> T) -> T
  func write<T: Sendable>(_ body: (inout State) -> T) -> T
}

extension SeededWorld {
  /// Whether the daemon still gets a word out.
  func speaks() -> Bool {
    write { state in
      guard state.isAlive else { return false }
      guard let left = state.wordsLeft else { return true }
      state.wordsLeft = left - 1
      if left == 0 { state.isAlive = false }
      return left > 0
    }
  }

  func post(_ input: State.Input) { write { if $0.isAlive { $0.inbox.append(input) } } }

  /// What happens to the commit that begins now.
  func takeFate() -> State.Fate {
    write { state in
      defer { state.fate = .works }
      return state.isAlive ? state.fate : .crashesBefore
    }
  }

  /// One line for people; made only when someone reads it.
  func note(_ line: @autoclosure () -> String) {
    trace.note { "\((clock.now - SimClock.start).wholeMilliseconds) ms \(line())" }
  }

  var lines: [String] { trace.lines }
}

/// What happened, for people.
final class Trace: Sendable {
  private let noted: Mutex<[String]?>

  /// - Parameter isKept: whether anyone reads it.
  init(isKept: Bool) { noted = Mutex(isKept ? [] : nil) }

  func note(_ line: () -> String) { noted.withLock { $0?.append(line()) } }

  var lines: [String] { noted.withLock { $0 ?? [] } }
}
