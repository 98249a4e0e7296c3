/// Earlier names of commands and options, which still work but are not shown.
enum OldWords {
  private struct Word {
    let old: [String]
    let new: [String]
    /// Options that the old command implied.
    var added: [String] = []
    /// The new name of an option. Empty if its value is an argument now.
    var options: [String: String] = [:]
  }

  private static let words = [
    Word(old: ["channel", "update"], new: ["channel", "edit"]), Word(old: ["relay", "update"], new: ["relay", "edit"]),
    Word(old: ["operator", "update"], new: ["operator", "edit"]), Word(old: ["server", "update"], new: ["server", "edit"]),
    Word(old: ["channel", "mute"], new: ["channel", "edit"], added: ["--mute"]),
    Word(old: ["channel", "unmute"], new: ["channel", "edit"], added: ["--no-mute"]),
    Word(old: ["channel", "pin"], new: ["channel", "edit"], added: ["--pin"]),
    Word(old: ["channel", "unpin"], new: ["channel", "edit"], added: ["--no-pin"]),
    Word(old: ["channel", "hide"], new: ["channel", "edit"], added: ["--hide"]),
    Word(old: ["channel", "unhide"], new: ["channel", "edit"], added: ["--no-hide"]),
    Word(old: ["channel", "freeze"], new: ["channel", "edit"], added: ["--freeze"]),
    Word(old: ["channel", "unfreeze"], new: ["channel", "edit"], added: ["--no-freeze"]),
    Word(
      old: ["channel", "following"], new: ["channel", "edit"],
      added: ["--read", "--read-days=default", "--read-count=default", "--keep-messages=default"],
      options: ["--days": "--read-days", "--count": "--read-count", "--keep": "--keep-messages"]),
    Word(old: ["channel", "history"], new: ["history"]),
    Word(old: ["history"], new: ["history"], options: ["--channel": ""]),
    Word(old: ["channel", "create"], new: ["channel", "create"], options: ["--key": "--signing-key"]),
    Word(old: ["messages", "read"], new: ["messages", "mark-read"]),
    Word(old: ["messages", "unread"], new: ["messages", "mark-unread"]),
    Word(old: ["messages"], new: ["messages"], options: ["--key": "--idempotency-key"]),
    Word(old: ["post", "export"], new: ["post", "export"], options: ["--output": "--to", "-o": "--to"]),
    Word(old: ["post"], new: ["post"], options: ["--key": "--idempotency-key"]),
  ]

  /// The same command line in the current words.
  static func replaced(in arguments: [String]) -> [String] {
    if arguments.first == "help" {
      let word = words.first { arguments.dropFirst().starts(with: $0.old) }
      return word.map { ["help"] + $0.new + arguments.dropFirst(1 + $0.old.count) } ?? arguments
    }
    guard let word = words.first(where: { arguments.starts(with: $0.old) }) else { return arguments }
    let rest = arguments.dropFirst(word.old.count)
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    let options = rest[..<end].flatMap { argument -> [String] in
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      guard let name = parts.first, let new = word.options[name] else { return [argument] }
      if new.isEmpty { return Array(parts.dropFirst()) }
      return [parts.count > 1 ? "\(new)=\(parts[1])" : new]
    }
    let opposites = Set(options.compactMap { $0.hasPrefix("--no-") ? "--" + $0.dropFirst(5) : nil })
    let added =
      options.contains("--help") || options.contains("-h")
      ? [] : word.added.filter { !opposites.contains($0) && !options.contains($0) }
    return word.new + added + options + rest[end...]
  }
}
