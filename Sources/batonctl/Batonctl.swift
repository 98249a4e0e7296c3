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
    subcommands: [Status.self, RelayCommand.self, ChannelCommand.self, Watch.self, Version.self])
}

struct Version: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints the version of batonctl.")
  func run() { print("batonctl \(Batonctl.version)") }
}
