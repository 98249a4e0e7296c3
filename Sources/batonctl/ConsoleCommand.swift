internal import ArgumentParser
internal import Foundation
internal import Glibc

/// `batonctl console`: the process becomes the console.
struct ConsoleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Shows Baton in a browser, as you.",
    discussion: """
      Runs baton-console, which prints an address that can be opened once, within two minutes; Enter prints another one. In \
      the browser you can do what you may do with batonctl. It listens on loopback only. Ctrl-C ends it, and all sessions with it. \
      --login asks the console that runs as a service on this machine for such an address.
      """)
  @OptionGroup var global: GlobalOptions
  @Option(
    help: "Port on loopback. Default: a free one; with --login, 8790, the local port that is forwarded to the service.")
  var port: UInt16?
  @Flag(name: .customLong("read-only"), help: "Let no one change anything.") var isReadOnly = false

  @Flag(name: .customLong("login"), help: "Print an address of the console that runs as a service, and exit.") var isLogin =
    false

  private static let program = "baton-console"

  func validate() throws {
    guard !(isLogin && isReadOnly) else {
      throw ValidationError("--read-only is for a console that starts; a service has it in BATON_CONSOLE_OPTIONS.")
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
      throw Refused(description: "cannot start \(Self.program): /proc/self/exe cannot be read; is /proc mounted?")
    }
    execv(own, &pointers)
    throw Refused(description: "cannot start \(Self.program): \(own): \(String(cString: strerror(errno)))")
  }

  private struct Refused: Error, CustomStringConvertible {
    let description: String
  }
}
