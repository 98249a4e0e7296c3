/// The link that readers open to join (`GroupLink`, docs/design/simplex.md#channels-in-a-core).
public struct CoreGroupLink: Hashable, Sendable {
  /// The short link. Channels always have one.
  public let short: String?
  /// The full link.
  public let full: String
}

extension CoreGroupLink: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let link = try reader.object("connLinkContact")
    short = try link.stringIfPresent("connShortLink")
    full = try link.string("connFullLink")
  }
}
