internal import SandboxProgram

/// The relays on loopback as a program of their own.
@main
enum BatonSandboxMain {
  static func main() async { await runBatonSandbox(Array(CommandLine.arguments.dropFirst())) }
}
