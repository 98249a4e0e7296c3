internal import ArgumentParser
internal import Foundation
internal import Glibc

/// `batonctl console`: the process becomes the console.
struct ConsoleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Start the web console with your own rights",
    discussion: """
      Baton prints an address that opens once, within two minutes. Press Enter for another address. In the browser you \
      have the same permissions as with batonctl. The console listens on loopback only, and Ctrl-C ends it with all of \
      its sessions.

      --login requests an address from the console that runs as a service on this machine.

      Example:
        batonctl console --read-only
      """)
  @Option(
    help: "Port on loopback. Default: a free port, or with --login 8790, the local port forwarded to the service.")
  var port: UInt16?
  @Flag(name: .customLong("read-only"), help: "Allow no changes.") var isReadOnly = false
  @OptionGroup var global: GlobalOptions

  @Flag(name: .customLong("login"), help: "Print an address of the console service, and exit.") var isLogin =
    false

  private static let program = "baton-console"

  func validate() throws {
    guard !(isLogin && isReadOnly) else {
      throw ValidationError("--login and --read-only cannot be combined: set BATON_CONSOLE_OPTIONS of the service instead.")
    }
  }

  func run() throws {
    var arguments = [Self.program, "--socket", global.path]
    if let port { arguments += ["--port", "\(port)"] }
    if isReadOnly { arguments.append("--read-only") }
    if isLogin { arguments.append("--login") }
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    // The console is in the same file, and runs under its own name.
    guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      throw Refused(description: "cannot start \(Self.program): /proc/self/exe is not readable. Is /proc mounted?")
    }
    execv(own, &pointers)
    throw Refused(description: "cannot start \(Self.program): \(own): \(String(cString: strerror(errno)))")
  }

  private struct Refused: Error, CustomStringConvertible {
    let description: String
  }
}
