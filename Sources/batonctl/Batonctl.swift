internal import ArgumentParser
internal import Channels
internal import Filters
internal import ProgramEnd
internal import StrictJSON

/// Runs a command of the command line, and ends the process.
/// - Parameter arguments: the arguments after the name of the program.
public func runBatonctl(_ arguments: [String]) async -> Never { await Batonctl.main(arguments) }

struct Batonctl: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "batonctl",
    abstract: "Control Baton, the relay-coordination daemon",
    discussion: """
      Name objects by id or name: id:2 and name:2 are exact. ls, get and rm stand for list, show and remove or delete.
      -o json, yaml or name prints results for programs. With --json or -o json, errors are JSON too.

      Exit status: 0 done, 1 refused by the daemon, 64 usage, 69 daemon not reachable, 74 output not written, 75 timed out, \
      77 not permitted, 130 interrupted.
      """,
    version: "batonctl \(version)",
    groupedSubcommands: [
      CommandGroup(name: "Start", subcommands: [Status.self, Validate.self, ConsoleCommand.self]),
      CommandGroup(name: "Publish", subcommands: [ChannelCommand.self, PostCommand.self]),
      CommandGroup(
        name: "Read", subcommands: [InboxCommand.self, MessagesCommand.self, MemberCommand.self, PeopleCommand.self]),
      CommandGroup(name: "Relays", subcommands: [RelayCommand.self, ServerCommand.self, OperatorCommand.self]),
      CommandGroup(name: "Follow", subcommands: [Watch.self, HistoryCommand.self]),
      CommandGroup(
        name: "Administer",
        subcommands: [
          IdentityCommand.self, ClusterCommand.self, Reload.self, Backup.self, Check.self, LogLevel.self, Metrics.self,
          Version.self,
        ]),
    ])

  static func main(_ line: [String]) async -> Never {
    let arguments = OldWords.replaced(in: afterCommand(line.map(HumanText.text)))
    do {
      try checkCommand(arguments)
      var command = try await asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
    } catch {
      let isScript = arguments.contains { $0.hasPrefix("--generate-completion-script") }
      end(error, isJSON: asksForJSON(arguments), isCompletion: line.first == "---completion", isScript: isScript)
    }
    endProgram(0)
  }

  /// Ends with the argument parser's message: requested help, wrong usage, or nothing if only the exit status is left.
  private static func end(_ error: any Error, isJSON: Bool, isCompletion: Bool, isScript: Bool) -> Never {
    let (status, text) = (exitCode(for: error), fullMessage(for: error))
    // A completion script of another version gets no output, because the shell would show an error in the middle of the command line.
    if !status.isSuccess, isCompletion { endProgram(0) }
    let ending = Ending(isJSON: isJSON)
    do {
      if let failure = error as? Output.Failure { throw failure }
      if status.isSuccess {
        if !text.isEmpty { try Output.line(isScript ? CompletionScript(text).text : text) }
      } else if !text.isEmpty {
        let name = status == .validationFailure ? "local.Usage" : "local.Failed"
        if isJSON { ending.fail(name, message(for: error)) } else { Output.error(text.shown(keepingLines: true)) }
      }
    } catch {
      ending.fail("local.OutputFailed", (error as? Output.Failure)?.reason ?? "\(error)")
      endProgram(Output.Failure.status)
    }
    endProgram(status.rawValue)
  }

  /// The arguments, with global options before the command moved behind it, where they are read.
  private static func afterCommand(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    var global: [String] = []
    let prefixes = ["--socket=", "--timeout=", "--output=", "-o="]
    while let first = rest.first {
      if ["--json", "--no-color", "--no-pager", "--quiet"].contains(first) || prefixes.contains(where: { first.hasPrefix($0) })
      {
        global.append(rest.removeFirst())
      } else if ["--socket", "--timeout", "--output", "-o"].contains(first), rest.count > 1 {
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

extension Batonctl {
  /// Whether errors must also be JSON, even if the command line is invalid.
  private static func asksForJSON(_ arguments: [String]) -> Bool {
    let options = arguments.prefix { $0 != "--" }
    return ["--json", "--output=json", "-o=json"].contains(where: options.contains)
      || zip(options, options.dropFirst()).contains { ["-o", "--output"].contains($0) && $1 == "json" }
  }

  /// Refuses a command that does not exist and suggests the likely one. The argument parser would complain about its options instead.
  private static func checkCommand(_ arguments: [String]) throws {
    var command: any ParsableCommand.Type = Batonctl.self
    var path = "batonctl"
    for argument in arguments {
      let commands = command.configuration.subcommands
      guard !commands.isEmpty, !argument.hasPrefix("-") else { return }
      if (path, argument) == ("batonctl", "help") { continue }
      let known = commands.first { $0._commandName == argument || $0.configuration.aliases.contains(argument) }
      guard let known else {
        // If the command has a default subcommand, this is an argument of it.
        guard command.configuration.defaultSubcommand == nil else { return }
        let names = commands.map { $0._commandName }
        let hint =
          Nearest.to(argument, among: names).map { "Did you mean '\($0)'?" }
          ?? "The commands are \(names.joined(separator: ", "))."
        throw ValidationError("There is no command '\(path) \(argument)'. \(hint)")
      }
      path += " \(known._commandName)"
      command = known
    }
  }
}

struct Version: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Print the version of batonctl", shouldDisplay: false)
  @OptionGroup var global: GlobalOptions

  func run() throws {
    try Output.line(
      global.json ? JSONValue.object(["version": .string(Batonctl.version)]).text : "batonctl \(Batonctl.version)")
  }
}
