/// A post cannot be published in its present form.
public struct PostRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The field that must be changed.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    case text, replyTo, quotes, mentions, contentWarning, hashtags, emoji, attachments, reaction, document, id, author, roles,
      reason
  }
  public let field: Field
  /// A sentence with the fault and its remedy. It repeats nothing that could contain control characters.
  public let reason: String

  public init(_ field: Field, _ reason: String) {
    self.field = field
    self.reason = reason
  }

  public var description: String { "\(field.rawValue): \(reason)" }
}
