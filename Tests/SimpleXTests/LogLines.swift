import Logging
import Synchronization

/// Keeps what is logged and wakes who waits for it.
final class LogLines: Sendable {
  private struct State {
    var lines: [String] = []
    var waiters: [(from: Int, text: String, wake: CheckedContinuation<Int, Never>)] = []
  }
  private let state = Mutex(State())

  /// Everything so far, the level before each line.
  var all: [String] { state.withLock(\.lines) }

  var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(lines: self) }
    logger.logLevel = .trace
    return logger
  }

  /// The number of the first line that contains `text`, from number `from` on; waits for it.
  @discardableResult
  func first(containing text: String, from: Int = 0) async -> Int {
    await withCheckedContinuation { wake in
      let found = state.withLock { state -> Int? in
        if let found = state.lines.dropFirst(from).firstIndex(where: { $0.contains(text) }) { return found }
        state.waiters.append((from, text, wake))
        return nil
      }
      if let found { wake.resume(returning: found) }
    }
  }

  private func take(_ line: String) {
    let (index, woken) = state.withLock { state in
      let index = state.lines.count
      state.lines.append(line)
      let woken = state.waiters.filter { $0.from <= index && line.contains($0.text) }
      state.waiters.removeAll { $0.from <= index && line.contains($0.text) }
      return (index, woken)
    }
    for waiter in woken { waiter.wake.resume(returning: index) }
  }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.take("\(event.level): \(event.message)") }
  }
}
