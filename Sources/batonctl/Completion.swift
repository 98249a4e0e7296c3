internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Dispatch
internal import Foundation
internal import ProgramEnd
internal import StrictJSON

extension CompletionKind {
  /// Completes names of objects, which batonctl requests from the daemon when a shell needs them.
  /// - Parameter others: words that are allowed in place of a name.
  static func names(of kind: NamedKind, or others: [String] = []) -> CompletionKind {
    .custom { words, index, typed in
      await Completion(words: words, index: index, typed: typed, shell: CompletionShell.requesting).lines(kind, others)
    }
  }

  static var networks: CompletionKind { .list(Words.networks) }
}

/// The kinds of objects that commands name.
enum NamedKind {
  case channel, identity, message, post, provider, relay, server

  /// The method that lists such objects, the list in its reply, and the field with the name. Servers have several names, posts and messages
  /// do not have a name.
  fileprivate var listing: (method: String, list: String, field: String?) {
    switch self {
    case .channel: (ChannelsMethod.list.rawValue, "channels", "profile.displayName")
    case .identity: (IdentitiesMethod.list.rawValue, "identities", "name")
    case .message: (MessagesMethod.list.rawValue, "messages", nil)
    case .post: (PostsMethod.list.rawValue, "posts", nil)
    case .provider: (OperatorsMethod.list.rawValue, "operators", "name")
    case .relay: (RelaysMethod.list.rawValue, "relays", "name")
    case .server: (ServersMethod.list.rawValue, "servers", nil)
    }
  }

  fileprivate func name(of object: JSONValue) -> String? {
    switch self {
    case .channel: object["profile"]?["displayName"]?.string
    case .identity, .provider, .relay: object["name"]?.string
    case .server: object["hosts"]?.array?.first?.string
    // People recognise these by their texts.
    case .message, .post: object["text"]?.string?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// The number of objects to request if their names are selected here.
  fileprivate var pageMax: Int64 {
    switch self {
    case .channel, .identity, .provider, .relay, .server: 1000
    // People usually mean the latest ones.
    case .message, .post: 100
    }
  }

  /// Whether such objects have only ids.
  fileprivate var hasOnlyIDs: Bool {
    switch self {
    case .message, .post: true
    case .channel, .identity, .provider, .relay, .server: false
    }
  }
}

/// One press of the tab key. If anything goes wrong, nothing is offered, because errors must not appear while a shell completes.
struct Completion {
  struct Object {
    let id: Int64
    let name: String
  }

  let words: [String]
  /// The text before the cursor, as the command would receive it.
  let typed: String
  /// The shell, or `nil` if words need no quoting.
  let shell: CompletionShell?

  /// The largest number of names that are offered.
  private static let namesMax = 100
  /// The time limit: a shell should not wait longer.
  private static let patienceMilliseconds = 900

  /// - Parameters:
  ///   - words: the command line that the user typed.
  ///   - index: the index of the word to complete.
  ///   - typed: the part of that word before the cursor.
  init(words: [String], index: Int, typed: String, shell: CompletionShell?) {
    // Up to version 3, fish removes the quotes itself.
    let isQuoted = shell != .fish || !(CompletionShell.requestingVersion ?? "").hasPrefix("3.")
    func plain(_ word: String) -> String { isQuoted ? Self.unquoted(word) : word }
    self.words = words.map(plain)
    let word = words.indices.contains(index) && index < words.count - 1 ? words[index] : typed
    self.typed = plain(word)
    self.shell = shell
  }

  /// The lines for the shell.
  func lines(_ kind: NamedKind, _ others: [String]) async -> [String] {
    let end = DispatchSource.makeTimerSource()
    end.schedule(deadline: .now() + .milliseconds(Self.patienceMilliseconds))
    end.setEventHandler { endProgram(0) }
    end.resume()
    defer { end.cancel() }
    let words = others.filter { $0.hasPrefix(typed) }.map { line($0) }
    let objects = (try? await objects(kind)) ?? []
    return words + (kind.hasOnlyIDs ? ids(objects) : names(objects))
  }

  // MARK: - The daemon

  private var socket: String {
    let setting = words.prefix { $0.contains("=") }.last { $0.hasPrefix("BATON_SOCKET=") }
    return GlobalOptions.path(option ?? setting.map { String($0.dropFirst("BATON_SOCKET=".count)) })
  }

  /// The value of `--socket`. In bash, words end at `=` and `:`.
  private var option: String? {
    let before = words.prefix { $0 != "--" }
    for (index, word) in before.enumerated() {
      if word.hasPrefix("--socket=") { return Self.withHome(String(word.dropFirst("--socket=".count))) }
      guard word == "--socket" else { continue }
      var rest = before.dropFirst(index + 1)
      if rest.first == "=" { rest = rest.dropFirst() }
      if rest.starts(with: ["unix", ":"]) { rest = rest.dropFirst(2) }
      return rest.first.map(Self.withHome)
    }
    return nil
  }

  private static func withHome(_ path: String) -> String {
    path.hasPrefix("~/") ? (ProcessInfo.processInfo.environment["HOME"] ?? "") + path.dropFirst() : path
  }

  private func objects(_ kind: NamedKind) async throws -> [Object] {
    let client = try await BatonClient(socket: socket, timeout: .milliseconds(Self.patienceMilliseconds))
    let (method, list, field) = kind.listing
    var parameters: [String: JSONValue] = ["limit": .integer(field == nil ? kind.pageMax : Int64(Self.namesMax))]
    if let field { parameters["sort"] = [["field": .string(field)]] }
    var found: [Object] = []
    for condition in conditions(field) where found.isEmpty {
      parameters["filter"] = condition
      found = (try await client.call(method, parameters)[list]?.array ?? []).compactMap { object in
        guard let id = object["id"]?.integer, let name = kind.name(of: object) else { return nil }
        return Object(id: id, name: name)
      }
    }
    await client.close()
    if kind.hasOnlyIDs { return found }
    return field == nil ? Array(found.filter { $0.name.hasPrefix(prefix) }.prefix(Self.namesMax)) : found
  }

  /// The beginning of the name.
  private var prefix: String { typed.hasPrefix("name:") ? String(typed.dropFirst(5)) : typed.hasPrefix("id:") ? "" : typed }

  /// The conditions to try in turn, until there are results: names with this beginning, or, for shells that ignore case and match anywhere,
  /// names that contain it.
  private func conditions(_ field: String?) -> [JSONValue?] {
    guard let field, !prefix.isEmpty else { return [nil] }
    // Texts are compared by their bytes, and hardly any name contains the last character of Unicode.
    let begins: JSONValue = [field: ["$gte": .string(prefix), "$lt": .string(prefix + "\u{10FFFD}")]]
    return [begins, [field: ["$q": .string(prefix)]]]
  }
}

// The words that name objects.
extension Completion {
  /// The objects as words of a command line, in the shell's syntax.
  func names(_ objects: [Object]) -> [String] {
    let count = Dictionary(objects.map { ($0.name, 1) }, uniquingKeysWith: +)
    return objects.map { object in
      let canBeTyped = object.name.shown == object.name && !(shell == .bash && Self.isRewritten(object.name))
      guard canBeTyped, count[object.name] == 1, !typed.hasPrefix("id:") else {
        return line("id:\(object.id)", note: object.name.shown)
      }
      let isPlain = (try? ObjectName(object.name)) == ObjectName.name(object.name) && !object.name.hasPrefix("-")
      return line(isPlain && !typed.hasPrefix("name:") ? object.name : "name:\(object.name)")
    }
  }

  /// Posts or messages as words of a command line: their ids, with the beginning of their text if the shell shows notes.
  func ids(_ objects: [Object]) -> [String] {
    let isMarked = typed.hasPrefix("id:")
    return objects.map { (word: isMarked ? "id:\($0.id)" : "\($0.id)", text: $0.name) }.filter { $0.word.hasPrefix(typed) }
      .map { line($0.word, note: $0.text.shown.cut(to: Self.noteWidth)) }
  }

  /// How much of a text is shown next to its id, in columns.
  private static let noteWidth = 50

  /// Whether bash would expand the word, and so run a command inside it.
  private static func isRewritten(_ name: String) -> Bool {
    name.contains("$") || name.contains("`") || name.hasPrefix("~")
  }

  /// A word in the form that the script from `--generate-completion-script` expects.
  private func line(_ word: String, note: String = "") -> String {
    switch shell?.rawValue {
    // compgen expands its argument, even commands in it.
    case "bash": return "'\(word.replacingOccurrences(of: "'", with: #"'\''"#))'"
    case "zsh":
      let text = word.replacingOccurrences(of: #"\"#, with: #"\\"#).replacingOccurrences(of: ":", with: #"\:"#)
      return note.isEmpty ? text : "\(text):\(note)"
    case "fish": return note.isEmpty ? word : "\(word)\t\(note)"
    default: return word
    }
  }

  /// A word without the quotes and backslashes of shells.
  static func unquoted(_ word: String) -> String {
    var text = ""
    var quote: Character?
    var rest = word[...]
    while let next = rest.popFirst() {
      switch (next, quote) {
      case ("'", nil), ("\"", nil): quote = next
      case (_, let open?) where next == open: quote = nil
      case ("\\", nil): if let escaped = rest.popFirst() { text.append(escaped) }
      case ("\\", "\""?):
        // Only characters with a special meaning there are escaped.
        let isEscape = rest.first.map { "\\\"$`".contains($0) } ?? false
        text.append(isEscape ? rest.removeFirst() : next)
      default: text.append(next)
      }
    }
    return text
  }
}
