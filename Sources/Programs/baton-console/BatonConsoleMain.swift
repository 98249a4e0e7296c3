internal import ConsoleProgram

/// The console as a program of its own.
@main
enum BatonConsoleMain {
  static func main() async { await runBatonConsole(Array(CommandLine.arguments.dropFirst())) }
}
