public import ArgumentParser
@preconcurrency internal import Glibc

/// Ends the process immediately, after its output has been written.
///
/// `exit` would have the libraries of the process clean up first, while other threads still use them: a connection to the database that is
/// just being opened would find OpenSSL's locks gone, and the process would end with SIGSEGV instead of its status.
/// - Parameter status: the exit status, from 0 to 255.
public func endProgram(_ status: Int32) -> Never {
  // Not all streams: a thread that waits for input holds the lock of that one.
  fflush(stdout)
  _exit(status)
}

extension AsyncParsableCommand {
  /// Runs the command that the arguments name, and ends the process: with status 0, or with the status of the error, which is printed.
  /// - Parameter arguments: the arguments after the name of the program.
  public static func runToEnd(_ arguments: [String]) async -> Never {
    do {
      var command = try await asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
    } catch {
      let (status, text) = (exitCode(for: error), fullMessage(for: error))
      // Help that was asked for is a result.
      if !text.isEmpty { fputs(text + "\n", status.isSuccess ? stdout : stderr) }
      endProgram(status.rawValue)
    }
    endProgram(0)
  }
}
