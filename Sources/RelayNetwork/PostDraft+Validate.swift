internal import Channels

extension PostDraft {
  /// Checks the draft against the rules that hold on every network. A network may have more.
  /// - Parameter takesFiles: whether the network itself sends files of this machine, so that an attachment may be one.
  /// - Throws: `PostRefusal` with the first field that must be changed, in the order in which the fields are declared.
  public func validate(takesFiles: Bool = false) throws(PostRefusal) {
    try validateText()
    try validateReferences()
    try validateWords()
    try validateEmoji()
    try validateAttachments(takesFiles)
  }

  private func validateText() throws(PostRefusal) {
    let count = text.utf8.count
    guard count <= Self.textBytesMax else {
      throw PostRefusal(.text, "the text has \(count) bytes, at most \(Self.textBytesMax) are allowed. Shorten it")
    }
    if let scalar = Self.control(in: text, allowsLines: true) {
      let advice = scalar == "\r" ? "End lines with a line feed alone" : "Remove it"
      throw PostRefusal(.text, "the text contains the control character \(scalar.notation). \(advice)")
    }
    let isBlank = text.unicodeScalars.allSatisfy { $0.properties.isWhitespace }
    guard !isBlank || !attachments.isEmpty || !quotes.isEmpty else {
      throw PostRefusal(.text, "the post is empty. Write a text, attach a file or quote a post")
    }
  }

  private func validateReferences() throws(PostRefusal) {
    if let replyTo, !Self.isName(replyTo.networkID) || !Self.isName(replyTo.author) {
      throw PostRefusal(.replyTo, "the parent lacks its name or its author. Refer to a post that was read back")
    }
    try Self.check(quotes.count, .quotes, "quotes", max: Self.quotesMax)
    for (index, quote) in quotes.enumerated() where !Self.isName(quote.networkID) || !Self.isName(quote.author) {
      throw PostRefusal(.quotes, "quote \(index + 1) lacks its name or its author. Refer to a post that was read back")
    }
    try Self.check(mentions.count, .mentions, "mentions", max: Self.mentionsMax)
    for (index, mention) in mentions.enumerated() where !Self.isName(mention) {
      throw PostRefusal(.mentions, "mention \(index + 1) is not a public name. Write the name without spaces")
    }
  }

  private func validateWords() throws(PostRefusal) {
    if let contentWarning {
      guard contentWarning.utf8.count <= Self.contentWarningBytesMax else {
        let max = Self.contentWarningBytesMax
        throw PostRefusal(.contentWarning, "the warning has \(contentWarning.utf8.count) bytes, at most \(max) are allowed")
      }
      guard Self.control(in: contentWarning, allowsLines: false) == nil else {
        throw PostRefusal(.contentWarning, "the warning contains a control character. Write it in one line")
      }
    }
    try Self.check(hashtags.count, .hashtags, "hashtags", max: Self.hashtagsMax)
    for (index, hashtag) in hashtags.enumerated() {
      guard !hashtag.isEmpty, hashtag.utf8.count <= Self.hashtagBytesMax else {
        throw PostRefusal(.hashtags, "hashtag \(index + 1) must have 1 to \(Self.hashtagBytesMax) bytes")
      }
      guard !hashtag.unicodeScalars.contains(where: { $0 == "#" || Self.isGap($0) }) else {
        throw PostRefusal(.hashtags, "hashtag \(index + 1) contains a space or a '#'. Write one word without '#'")
      }
    }
  }

  private func validateEmoji() throws(PostRefusal) {
    try Self.check(emoji.count, .emoji, "emoji", max: Self.emojiMax)
    // The order makes the same draft fail for the same reason each time.
    for (shortcode, url) in emoji.sorted(by: { $0.key < $1.key }) {
      try Self.check(shortcode: shortcode, url: url, .emoji)
    }
  }

  /// Checks a custom emoji.
  /// - Throws: `PostRefusal` with `field`.
  public static func check(shortcode: String, url: String, _ field: PostRefusal.Field) throws(PostRefusal) {
    guard (1...shortcodeBytesMax).contains(shortcode.utf8.count), shortcode.utf8.allSatisfy(isOfShortcode) else {
      throw PostRefusal(
        field, "a shortcode has 1 to \(shortcodeBytesMax) of the characters A to Z, a to z, 0 to 9 and '_'. Change it")
    }
    if let flaw = flaw(ofURL: url) { throw PostRefusal(field, "the address of the emoji '\(shortcode)' \(flaw)") }
  }

  private func validateAttachments(_ takesFiles: Bool) throws(PostRefusal) {
    try Self.check(attachments.count, .attachments, "attachments", max: Self.attachmentsMax)
    var places: [String: Int] = [:]
    for (index, attachment) in attachments.enumerated() {
      let name = "attachment \(index + 1)"
      if let flaw = attachment.flaw(takesFiles: takesFiles) {
        throw PostRefusal(.attachments, "\(flaw.subject) of \(name) \(flaw.reason)")
      }
      if let first = places.updateValue(index, forKey: attachment.url) {
        throw PostRefusal(.attachments, "\(name) has the same address as attachment \(first + 1). Remove one of them")
      }
    }
  }

  private static func check(_ count: Int, _ field: PostRefusal.Field, _ things: String, max: Int) throws(PostRefusal) {
    guard count <= max else {
      throw PostRefusal(field, "there are \(count) \(things), at most \(max) are allowed. Remove some")
    }
  }

  // MARK: - Characters

  /// The first control character of `text` that is not allowed.
  static func control(in text: String, allowsLines: Bool) -> Unicode.Scalar? {
    text.unicodeScalars.first { scalar in
      scalar.properties.generalCategory == .control && !(allowsLines && (scalar == "\n" || scalar == "\t"))
    }
  }

  /// Whether a scalar ends a word.
  private static func isGap(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
  }

  private static func isName(_ text: String) -> Bool {
    (1...nameBytesMax).contains(text.utf8.count) && !text.unicodeScalars.contains(where: isGap)
  }

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  private static func isOfShortcode(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || byte == UInt8(ascii: "_") }

  /// Describes the fault of an address that everyone is to open, as the end of a sentence, or returns `nil` if it is valid.
  static func flaw(ofURL url: String) -> String? {
    guard url.utf8.count <= urlBytesMax else { return "has \(url.utf8.count) bytes, at most \(urlBytesMax) are allowed" }
    let scheme = ["https://", "http://"].first { url.lowercased().utf8.starts(with: $0.utf8) }
    guard let scheme else { return "must begin with https:// or http://" }
    guard !url.unicodeScalars.contains(where: isGap) else {
      return "contains a space or a control character. Write it as %20 or the like"
    }
    let host = url.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
    guard !host.contains(UInt8(ascii: "@")) else {
      return "holds a user name or password, which every reader would see. Remove it"
    }
    guard let first = host.first, first != UInt8(ascii: ":") else { return "names no host" }
    return nil
  }
}
