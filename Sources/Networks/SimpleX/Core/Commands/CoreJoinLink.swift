/// Both forms of a link as the core gives them (`CreatedConnLink`).
public struct CoreGivenLink: Hashable, Sendable {
  /// The full form, which has the queue of the link.
  public let full: String
  /// The short form. Channels always have one.
  public let short: String?
}

extension CoreGivenLink: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    full = try reader.string("connFullLink")
    short = try reader.stringIfPresent("connShortLink")
  }
}

/// Both forms of a link, safe in a command.
public struct CoreJoinLink: Hashable, Sendable {
  let full: String
  let short: String

  /// - Returns: `nil` if one of them is missing, or is not a single word.
  public init?(_ given: CoreGivenLink) {
    guard let short = given.short, Self.isWord(given.full), Self.isWord(short) else { return nil }
    full = given.full
    self.short = short
  }

  private static func isWord(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= SimpleXLink.bytesMax && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
  }
}
