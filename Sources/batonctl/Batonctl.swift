internal import ArgumentParser

@main
struct Batonctl: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "batonctl",
    abstract: "Controls Baton, the relay-coordination daemon.",
    discussion: """
      Objects are named by id or by name.
      Exit status: 0 done; 1 refused by the daemon; 64 usage; 69 the daemon cannot be reached; 75 timed out; 77 not permitted.
      """,
    version: "batonctl \(version)",
    subcommands: [
      Status.self, OperatorCommand.self, ServerCommand.self, RelayCommand.self, IdentityCommand.self, ChannelCommand.self,
      Watch.self, Validate.self, Reload.self, Backup.self, Check.self, LogLevel.self, Metrics.self, Version.self,
    ])

  static func main() async {
    await main(afterCommand(Array(CommandLine.arguments.dropFirst())))
  }

  /// The arguments with global options that stand before the command put behind it, where they are read.
  private static func afterCommand(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    var global: [String] = []
    while let first = rest.first {
      if ["--json", "--no-color", "--quiet"].contains(first) || first.hasPrefix("--socket=") {
        global.append(rest.removeFirst())
      } else if first == "--socket", rest.count > 1 {
        global += rest.prefix(2)
        rest.removeFirst(2)
      } else {
        break
      }
    }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return rest[..<end] + global + rest[end...]
  }
}

struct Version: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints the version of batonctl.")
  func run() { print("batonctl \(Batonctl.version)") }
}
