internal import DaemonProgram

/// The daemon as a program of its own.
@main
enum BatondMain {
  static func main() async { await runBatond(Array(CommandLine.arguments.dropFirst())) }
}
