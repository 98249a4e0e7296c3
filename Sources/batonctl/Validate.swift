internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences
internal import StrictJSON

struct Validate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Find problems of operators, servers, relays and channels",
    discussion: """
      If several daemons share a database, the command also compares them, checks the database's clock against the clock \
      of the machine whose daemon answers, and reports whether commits wait for a standby. Exit status 1 if there are errors; \
      warnings do not count.

      Example:
        batonctl validate
      """)
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      let found = try await session.client.operators.validate()
      try session.show(found) {
        guard !found.errors.isEmpty || !found.warnings.isEmpty else { return "No errors or warnings." }
        return Self.lines(found.errors, found.warnings, session.terminal).joined(separator: "\n")
      }
      if !found.errors.isEmpty { throw ExitCode(1) }
    }
  }

  /// One line for each finding, errors first.
  static func lines(_ errors: [Finding], _ warnings: [Finding], _ terminal: Terminal) -> [String] {
    errors.map { "\(terminal.paint("error", .red))    \($0.message)" }
      + warnings.map { "\(terminal.paint("warning", .yellow))  \($0.message)" }
  }
}

struct Reload: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Read the configuration and the files of operators again",
    discussion: """
      All files are checked first. If one contains an error, nothing changes, and the exit status is 1. The command \
      lists options that take effect only at the next start.

      Example:
        batonctl reload
      """)
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      let report = try await session.client.daemon.reload()
      try session.show(report) {
        var lines = [
          "\(counted(report.files, "file")) \(report.files == 1 ? "declares" : "declare") \(counted(report.operators, "operator")), "
            + "\(counted(report.servers, "server")) and \(counted(report.relays, "relay"))."
        ]
        if !report.options.isEmpty { lines.append("Changed options: \(report.options.joined(separator: ", ")).") }
        if !report.needRestart.isEmpty {
          lines.append("These take effect at the next start of the daemon: \(report.needRestart.joined(separator: ", ")).")
        }
        return lines.joined(separator: "\n")
      }
    }
  }
}
