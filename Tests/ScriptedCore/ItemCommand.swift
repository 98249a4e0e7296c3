internal import StrictJSON

/// A command about posts, read as the core reads it. Of what a core knows it has what Baton uses: one message at a time.
enum ItemCommand {
  enum Mode: String { case broadcast, history }
  enum Place { case newest, before(Int64), after(Int64) }

  case send(Composed, isAsGroup: Bool, isSigned: Bool)
  case update(Int64, Composed)
  case delete([Int64], Mode)
  /// Messages of members are removed.
  case moderate([Int64])
  case react(Int64, String, isAdded: Bool)
  case info(Int64)
  case page(Place, count: Int)

  /// The rest of a message to send, or to put in the place of another.
  struct Composed {
    let content: JSONValue
    let mentions: [String: Int64]
    let quoted: Int64?
    /// The path of the file that goes along.
    let file: String?

    /// nil: the core cannot read it.
    init?(_ json: JSONValue) {
      guard let content = json["msgContent"], content["text"]?.string != nil else { return nil }
      switch content["type"]?.string {
      case "text", "file": break
      case "link":
        let keys = ["uri", "title", "description", "image"]
        guard keys.allSatisfy({ content["preview"]?[$0]?.string != nil }) else { return nil }
      default: return nil
      }
      let mentions = json["mentions"]?.object ?? [:]
      guard mentions.values.allSatisfy({ $0.integer != nil }) else { return nil }
      self.content = content
      self.mentions = mentions.compactMapValues(\.integer)
      quoted = json["quotedItemId"]?.integer
      file = json["fileSource"]?["filePath"]?.string
      guard (json["fileSource"] == nil) == (file == nil) else { return nil }
    }
  }

  /// - Returns: the group and what is to be done in it; nil if it is another command.
  static func read(_ scanner: inout CommandScanner) -> (Int64, ItemCommand)? {
    let words: [(String, (inout CommandScanner) -> ItemCommand?)] = [
      ("/_send #", readSend), ("/_update item #", readUpdate), ("/_delete item #", readDelete),
      ("/_delete member item #", { $0.take(" ") ? $0.numbers().map(ItemCommand.moderate) : nil }),
      ("/_reaction #", readReaction),
      ("/_get item info #", { $0.take(" ") ? $0.number().map(ItemCommand.info) : nil }), ("/_get chat #", readPage),
    ]
    for (word, body) in words {
      var rest = scanner
      guard rest.take(word) else { continue }
      guard let group = rest.number(), let command = body(&rest) else { return nil }
      scanner = rest
      return (group, command)
    }
    return nil
  }

  private static func readSend(_ scanner: inout CommandScanner) -> ItemCommand? {
    let isAsGroup = scanner.take("(as_group=on)")
    let isSigned = scanner.take(" sign=on")
    guard scanner.take(" json "), let messages = scanner.json()?.array, messages.count == 1 else { return nil }
    return Composed(messages[0]).map { .send($0, isAsGroup: isAsGroup, isSigned: isSigned) }
  }

  private static func readUpdate(_ scanner: inout CommandScanner) -> ItemCommand? {
    guard scanner.take(" "), let item = scanner.number(), scanner.take(" json "), let json = scanner.json() else { return nil }
    return Composed(json).map { .update(item, $0) }
  }

  private static func readDelete(_ scanner: inout CommandScanner) -> ItemCommand? {
    guard scanner.take(" "), let items = scanner.numbers(), scanner.take(" ") else { return nil }
    return Mode(rawValue: scanner.word()).map { .delete(items, $0) }
  }

  private static func readReaction(_ scanner: inout CommandScanner) -> ItemCommand? {
    guard scanner.take(" "), let item = scanner.number(), scanner.take(" ") else { return nil }
    let isAdded = scanner.take("on ")
    guard isAdded || scanner.take("off "), let json = scanner.json(), json["type"] == "emoji" else { return nil }
    // Of what it does not know it keeps the words, which this one refuses: nothing should send it.
    guard let emoji = json["emoji"]?.string, emoji.unicodeScalars.count == 1,
      "👍👎😀😂😢\u{2764}🚀✅".unicodeScalars.contains(where: emoji.unicodeScalars.contains)
    else { return nil }
    return .react(item, emoji, isAdded: isAdded)
  }

  private static func readPage(_ scanner: inout CommandScanner) -> ItemCommand? {
    guard scanner.take(" ") else { return nil }
    var place = Place.newest
    if scanner.take("before=") {
      guard let item = scanner.number(), scanner.take(" ") else { return nil }
      place = .before(item)
    } else if scanner.take("after=") {
      guard let item = scanner.number(), scanner.take(" ") else { return nil }
      place = .after(item)
    }
    guard scanner.take("count="), let count = scanner.number() else { return nil }
    return .page(place, count: Int(count))
  }
}
