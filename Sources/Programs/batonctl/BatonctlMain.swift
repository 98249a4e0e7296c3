internal import ControlProgram

/// The command line as a program of its own.
@main
enum BatonctlMain {
  static func main() async { await runBatonctl(Array(CommandLine.arguments.dropFirst())) }
}
