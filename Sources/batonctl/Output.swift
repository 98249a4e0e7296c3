internal import Foundation
internal import Glibc
internal import ProgramEnd

/// Standard output. Each write is checked: a full disk is an error, and if the reader is gone, the program ends.
enum Output {
  struct Failure: Error {
    let reason: String
    /// The status of sysexits.h for an error while writing.
    static let status: Int32 = 74
  }

  /// Writes a line.
  /// - Throws: `Failure`.
  static func line(_ text: String) throws { try write(text + "\n") }

  /// Writes all of `text`.
  /// - Throws: `Failure`.
  static func write(_ text: String) throws {
    switch write(text, to: STDOUT_FILENO) {
    case 0: return
    case EPIPE: readerIsGone()
    case let problem: throw Failure(reason: "cannot write the output: \(String(cString: strerror(problem)))")
    }
  }

  /// Writes all of `text`, and waits until there is room for it.
  /// - Returns: 0, or an error number, as in `errno`.
  static func write(_ text: String, to descriptor: CInt) -> CInt {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let (count, problem) = bytes.withUnsafeBytes { buffer -> (Int, CInt) in
        let count = Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        return (count, count < 0 ? errno : 0)
      }
      switch problem {
      case 0: bytes = bytes.dropFirst(count)
      case EINTR: continue
      case EAGAIN:
        var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&output, 1, -1)
      default: return problem
      }
    }
    return 0
  }

  /// Ends the program as soon as the reader of its output is gone. This is for streams, which may write nothing for hours.
  static func endWithReader() {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
    Thread.detachNewThread {
      // No events are requested: errors and hang-ups are reported in any case.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&output, 1, -1) <= 0 {}
      readerIsGone()
    }
  }

  /// Ends like a program that does not ignore SIGPIPE. NIO ignores it, for its sockets.
  private static func readerIsGone() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    // The parent process may have blocked the signal. This is the status that shells would report.
    endProgram(128 + SIGPIPE)
  }

  /// Writes to standard error. Errors are ignored, because they could not be reported.
  static func error(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
