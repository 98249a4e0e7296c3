internal import ControlAPI
internal import Dispatch
internal import Glibc
internal import ProgramEnd
internal import StrictJSON
internal import Synchronization

/// The end of a command: with a result, an error, Ctrl-C or its time limit. Only the first of these prints anything, so that there is one
/// JSON document even if several happen at the same moment.
final class Ending: Sendable {
  private enum Phase {
    case open
    /// The result was printed.
    case result
    /// A handler is ending the program.
    case over
  }
  private struct State {
    var phase = Phase.open
    var hasLimit = true
    /// Whether another program handles Ctrl-C.
    var isLeft = false
    var followed: Followed?
  }
  private let state = Mutex(State())
  let isJSON: Bool

  init(isJSON: Bool) { self.isJSON = isJSON }

  /// The latest state of the object that the command follows.
  var followed: Followed? {
    get { state.withLock { $0.followed } }
    set { state.withLock { $0.followed = newValue } }
  }

  /// Call this before writing anything. It waits for the end of the program if a handler has begun to end it.
  /// - Parameter isResult: whether it is the one document of the command.
  func willWrite(isResult: Bool) {
    let isOver = state.withLock { state in
      if state.phase == .open, isResult { state.phase = .result }
      return state.phase == .over
    }
    while isOver { pause() }
  }

  /// Ends the time limit, because the command no longer waits for the daemon but for a person.
  func stopClock() { state.withLock { $0.hasLimit = false } }

  /// Leaves Ctrl-C to another program that uses the terminal.
  func leavingCtrlC<Result>(_ body: () -> Result) -> Result {
    state.withLock { $0.isLeft = true }
    defer { state.withLock { $0.isLeft = false } }
    return body()
  }

  /// Prints why the command ends without a result. After a result, no second document follows.
  /// - Parameter isResultLost: whether the result could not be written.
  func fail(_ name: String, _ text: String, _ parameters: [String: JSONValue] = [:], isResultLost: Bool = false) {
    let before = state.withLock { state in
      defer { if state.phase == .open { state.phase = .result } }
      return state.phase
    }
    while before == .over { pause() }
    if before == .open || isResultLost || !isJSON { write(name, text, parameters) }
  }

  /// Prints a warning on standard error. The command continues.
  func warn(_ name: String, _ text: String) {
    willWrite(isResult: false)
    Output.error(
      isJSON
        ? JSONValue.object(["warning": .string(name), "message": .string(text)]).text.shownJSON
        : "batonctl: warning: \(text.shown(keepingLines: true))")
  }

  /// Ends the program if the command exceeds the limit.
  /// - Returns: a source that must be retained, and cancelled when the command is done.
  func deadline(after limit: TimeSpan) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource()
    let (seconds, attoseconds) = limit.duration.components
    timer.schedule(deadline: .now() + .seconds(Int(seconds)) + .milliseconds(Int(attoseconds / 1_000_000_000_000_000)))
    timer.setEventHandler { [self] in
      end("local.TimedOut", status: 75, unless: { $0.phase != .open || !$0.hasLimit }) { followed in
        followed?.timedOut(after: limit.text) ?? "the daemon did not answer within \(limit.text)"
      }
    }
    timer.resume()
    return timer
  }

  /// Handles Ctrl-C. The daemon continues the requested work.
  /// - Returns: a source that must be retained, and cancelled when the command is done.
  func interrupts() -> any DispatchSourceSignal {
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT)
    source.setEventHandler { [self] in
      end("local.Interrupted", status: 128 + SIGINT, unless: { $0.phase == .over || $0.isLeft }) { followed in
        followed?.interrupted ?? "interrupted. The daemon continues its work"
      }
    }
    source.resume()
    return source
  }

  private func end(_ name: String, status: Int32, unless isIgnored: (State) -> Bool, _ text: (Followed?) -> String) {
    let before = state.withLock { state -> State? in
      guard !isIgnored(state) else { return nil }
      defer { state.phase = .over }
      return state
    }
    guard let before else { return }
    // Nothing is added to a result that is being written.
    if before.phase == .open {
      write(name, text(before.followed), before.followed?.json ?? [:])
    }
    endProgram(status)
  }

  private func write(_ name: String, _ text: String, _ parameters: [String: JSONValue]) {
    Output.error(
      isJSON
        ? JSONValue.object(["error": .string(name), "parameters": .object(parameters), "message": .string(text)]).text.shownJSON
        : "batonctl: \(text.shown(keepingLines: true))")
  }
}
