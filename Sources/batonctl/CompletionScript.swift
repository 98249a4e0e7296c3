internal import ArgumentParser
internal import Foundation

/// The script with which a shell completes command lines. The argument parser's script leaves out the aliases of commands, such as `ls`, so
/// that nothing is completed after them. This type adds them, without offering them as words.
struct CompletionScript {
  private(set) var text: String

  /// - Parameter text: the argument parser's script for any shell.
  init(_ text: String) {
    self.text = text
    addNames(below: Batonctl.self, function: "_" + Batonctl._commandName)
  }

  /// - Parameter function: the function for the command in the scripts of bash and zsh.
  private mutating func addNames(below command: any ParsableCommand.Type, function: String) {
    let commands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    for command in commands {
      let name = command._commandName
      addFunctions(command.configuration.aliases, of: "\(function)_\(name)", in: function)
      addCases(command.configuration.aliases, of: name)
      addNames(below: command, function: "\(function)_\(name)")
    }
    let first = commands.map { $0._commandName }.joined(separator: "|")
    let all = commands.flatMap { [$0._commandName] + $0.configuration.aliases }.joined(separator: "|")
    if all != first { replace(" \(first))\n", with: " \(all))\n") }
  }

  /// In bash and zsh, the function of the parent command calls the function with the typed name.
  private mutating func addFunctions(_ names: [String], of function: String, in above: String) {
    let beginning = "\n\(function)() {\n"
    for name in names {
      replace(beginning, with: "\n\(above)_\(name)() {\n    \(function) \"${@}\"\n}\n\(beginning)")
    }
  }

  /// In fish, a typed alias matches the case of the command's first name, and is then replaced by that name.
  private mutating func addCases(_ names: [String], of first: String) {
    guard !names.isEmpty else { return }
    let quoted = names.map { "'\($0)'" }.joined(separator: " ")
    replace("case '\(first)'\n", with: "case '\(first)' \(quoted); set unparsed_tokens[1] '\(first)'\n")
  }

  private mutating func replace(_ words: String, with others: String) {
    text = text.replacingOccurrences(of: words, with: others)
  }
}
