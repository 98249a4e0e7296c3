public import Channels

/// The newest post of a channel that is not a reaction and was not deleted, as channels show it.
public struct LastPost: Hashable, Sendable {
  public var createdAt: Timestamp
  /// The beginning of its text, or `nil` if the post is damaged or was forgotten.
  public var preview: String?

  public init(createdAt: Timestamp, preview: String?) {
    self.createdAt = createdAt
    self.preview = preview
  }

  /// The length of a preview, in Unicode scalars.
  public static let previewMax = 100

  /// The beginning of a text on one line: words with single spaces between them, and an ellipsis if something was left out. A character
  /// that consists of several scalars is there as a whole or not at all.
  public static func preview(of text: String) -> String {
    var line = ""
    var (count, fitting, hasGap) = (0, 0, false)
    for character in text {
      guard !character.isWhitespace else {
        hasGap = !line.isEmpty
        continue
      }
      let part = (hasGap ? " " : "") + String(character)
      hasGap = false
      count += part.unicodeScalars.count
      guard count <= previewMax else { return String(line.unicodeScalars.prefix(fitting)) + "…" }
      line += part
      // There is room for the ellipsis behind it.
      if count < previewMax { fitting = count }
    }
    return line
  }
}
