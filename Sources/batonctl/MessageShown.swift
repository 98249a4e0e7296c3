internal import BatonClient
internal import ControlAPI
internal import StrictJSON

/// A message in a form that is safe for a terminal.
struct ShownMessage {
  /// The message with all of its texts escaped.
  let message: Message
  /// The text in one line, or that it was deleted or is hidden.
  let line: String
  /// The lines of the text.
  let lines: [String]
  /// The author's own name, in one line.
  private let name: String?

  /// - Parameter raw: the message as the daemon sent it.
  /// - Throws: an error if a message cannot be encoded as JSON, which does not happen.
  init(_ raw: Message) throws {
    message = try Message(json: try raw.json.shown)
    line = raw.deletedAt != nil ? "(deleted)" : raw.hidden ? "(hidden)" : raw.text.shownOnOneLine
    // Other programs end lines in other ways than posts do.
    lines = raw.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0).shown }
    name = raw.authorName?.shownOnOneLine
  }

  /// The author: `you`, a key, or a name with the key. Anyone may use any name, so a name never stands alone.
  /// - Parameter isWhole: whether nothing is cut.
  func author(isWhole: Bool) -> String {
    if message.own { return "you" }
    let key = message.author.isEmpty ? "unknown" : isWhole ? message.author : ShortKey.text(message.author)
    guard let name, !name.isEmpty else { return key }
    return "\(isWhole ? name : name.cut(to: Self.nameWidth)) (\(key))"
  }

  /// The room for a name, in columns.
  private static let nameWidth = 24
}

extension MessageAttachment {
  /// The address, type and size of the file, and its description. The texts must be escaped.
  var words: String {
    let facts = [mimeType, sizeBytes.flatMap(Self.size)].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
    let alt = altText?.shownOnOneLine ?? ""
    return [url, facts.isEmpty ? "" : "(\(facts))", alt].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// A size in bytes for people, or `nil` for an impossible one.
  static func size(_ bytes: Int) -> String? {
    guard bytes >= 0 else { return nil }
    guard bytes >= 1000 else { return "\(bytes) B" }
    var (value, unit) = (Double(bytes), 0)
    while value >= 999.5, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    let number = value < 9.95 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
    return "\(number) \(units[unit])"
  }

  private static let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
}

extension MessageReaction {
  /// Several reactions, each with its count. The texts must be escaped.
  static func words(_ reactions: [MessageReaction]) -> String {
    let shown = reactions.prefix(kindsMax).map { reaction in
      // Without spaces in it, a reaction does not look like several.
      let text = reaction.reaction.filter { !$0.isWhitespace }.cut(to: textWidth)
      return "\(reaction.count) \(text)\(reaction.own ? " (you)" : "")"
    }
    return (shown + (reactions.count > kindsMax ? [Marks.current.ellipsis] : [])).joined(separator: "  ")
  }

  /// How many kinds of reactions to one message are shown.
  private static let kindsMax = 12
  /// The room for a reaction, in columns.
  private static let textWidth = 16
}
