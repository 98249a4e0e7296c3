internal import CSpawn
internal import Foundation
internal import Glibc
internal import Synchronization

/// One run of a core: a process, its output, and its end.
final class CoreChild: Sendable {
  enum Ending: Hashable, Sendable {
    case exited(status: Int32)
    case killed(signal: Int32)
    /// The program never ran.
    case notStarted(String)
  }

  private enum State {
    case idle
    case running(pid_t)
    /// The process was told to end before it ran, or has ended.
    case over
  }

  private let words: [String]
  private let state = Mutex(State.idle)

  /// - Parameter words: the program and its arguments.
  init(_ words: [String]) { self.words = words }

  /// Runs the program to its end. Call this once.
  /// - Parameters:
  ///   - started: gets the process id, on a separate thread.
  ///   - output: gets lines that may be shown, on that thread.
  func run(started: @escaping @Sendable (Int32) -> Void, output: @escaping @Sendable (String) -> Void) async -> Ending {
    await withCheckedContinuation { continuation in
      // The process is bound to the thread that starts it, so the thread lives until the process is gone.
      Thread.detachNewThread { continuation.resume(returning: self.follow(started, output)) }
    }
  }

  /// Sends a signal to the process if it still runs. If it does not run yet, it will never run.
  /// - Returns: whether the signal was sent.
  @discardableResult
  func signal(_ number: Int32) -> Bool {
    state.withLock { state in
      switch state {
      case .running(let pid): return kill(pid, number) == 0
      case .idle:
        state = .over
        return false
      case .over: return false
      }
    }
  }

  // MARK: - On the thread

  private func follow(_ started: (Int32) -> Void, _ output: (String) -> Void) -> Ending {
    var (out, end) = ([CInt](repeating: -1, count: 2), [CInt](repeating: -1, count: 2))
    guard Self.pipe(&out) else { return .notStarted(CoreSpawn.Failure(errno).reason) }
    defer { close(out[0]) }
    guard Self.pipe(&end) else {
      close(out[1])
      return .notStarted(CoreSpawn.Failure(errno).reason)
    }
    defer { close(end[0]) }
    let start = start(output: out[1])
    close(out[1])
    let pid: pid_t
    switch start {
    case .success(let started): pid = started
    case .failure(let failure):
      close(end[1])
      return .notStarted(failure.reason)
    }
    started(pid)
    let endWriter = end[1]
    Thread.detachNewThread {
      var info = siginfo_t()
      // The process remains a zombie, so that its number is not reused while it may be signalled.
      while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      close(endWriter)
    }
    read(out[0], until: end[0], output)
    return reap(pid)
  }

  private func start(output: CInt) -> Result<pid_t, CoreSpawn.Failure> {
    state.withLock { state in
      guard case .idle = state else { return .failure(CoreSpawn.Failure(ECANCELED)) }
      do throws(CoreSpawn.Failure) {
        let pid = try CoreSpawn.start(words, output: output)
        state = .running(pid)
        return .success(pid)
      } catch {
        state = .over
        return .failure(error)
      }
    }
  }

  private static let pipeBytesMax = 1 << 20

  /// Reads the output of the process until it has ended, without waiting for later output of processes that it started.
  private func read(_ descriptor: CInt, until end: CInt, _ output: (String) -> Void) {
    var lines = CoreOutput()
    var chunk = [UInt8](repeating: 0, count: 16_384)
    var polled = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: end, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      guard poll(&polled, 2, -1) >= 0 || errno == EINTR else { break }
      let hasEnded = polled[1].revents != 0
      // At the end, only as much as a pipe can hold is read, because another process may continue to print.
      var rest = hasEnded ? Self.pipeBytesMax : 0
      var count = Glibc.read(descriptor, &chunk, chunk.count)
      while count > 0 {
        for line in lines.take(chunk[..<count]) { output(line) }
        rest -= count
        count = rest > 0 ? Glibc.read(descriptor, &chunk, chunk.count) : -1
      }
      if hasEnded { break }
      // Both outputs are closed, so it remains to wait for the end.
      if count == 0 { polled[0].fd = -1 }
    }
    if let rest = lines.finish() { output(rest) }
  }

  private func reap(_ pid: pid_t) -> Ending {
    var status: CInt = 0
    state.withLock { state in
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      state = .over
    }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status: (status >> 8) & 0xFF) : .killed(signal: signal)
  }

  private static func pipe(_ descriptors: inout [CInt]) -> Bool {
    guard pipe2(&descriptors, O_CLOEXEC) == 0 else { return false }
    // Only the reading end is non-blocking, because the program does not expect that of its output.
    return fcntl(descriptors[0], F_SETFL, O_NONBLOCK) == 0
  }
}
