internal import StrictJSON

/// A message that the core is asked to send, or to put in place of another one.
public struct CoreMessage: Hashable, Sendable {
  /// The reason why a message cannot be made.
  public enum Fault: Error, Hashable, Sendable {
    /// There are more mentions than the core sends.
    case tooManyMentions
    /// One member is mentioned under two names.
    case mentionedTwice
    /// The text does not name this member as `@name`, or as `@'name'` if the name contains spaces.
    case mentionNotInText(String)
  }

  /// How many members a message may mention.
  public static let mentionsMax = 3

  /// The text. Readers see its markup, such as `*bold*`.
  public let text: String
  /// The link that readers see with a title and a picture, or `nil`.
  public let preview: CoreLinkPreview?
  /// The absolute path of a file on the core's machine, which readers can fetch, or `nil`. An edit does not change the file.
  public let file: String?
  /// The members that are mentioned, by the name under which the text mentions them.
  public let mentions: [String: CoreMember.ID]

  /// A message without mentions.
  /// - Parameters:
  ///   - text: any text.
  ///   - preview: a link. The text should contain it too, for readers whose programs show no previews.
  ///   - file: the absolute path of a file. A message with one has no preview.
  public init(text: String, preview: CoreLinkPreview? = nil, file: String? = nil) {
    (self.text, self.preview, self.file, mentions) = (text, preview, file, [:])
  }

  /// A message with mentions.
  /// - Throws: `Fault` if the core would refuse the mentions.
  public init(text: String, preview: CoreLinkPreview? = nil, mentions: [String: CoreMember.ID]) throws(Fault) {
    guard mentions.count <= Self.mentionsMax else { throw .tooManyMentions }
    guard Set(mentions.values).count == mentions.count else { throw .mentionedTwice }
    for name in mentions.keys.sorted() where !Self.mentions(name, in: text) { throw .mentionNotInText(name) }
    (self.text, self.preview, file, self.mentions) = (text, preview, nil, mentions)
  }

  private static func mentions(_ name: String, in text: String) -> Bool {
    !name.isEmpty && (text.contains("@\(name)") || text.contains("@'\(name)'"))
  }

  /// The `MsgContent`.
  var content: JSONValue {
    if file != nil { return ["type": "file", "text": .string(text)] }
    guard let preview else { return ["type": "text", "text": .string(text)] }
    return ["type": "link", "text": .string(text), "preview": preview.json]
  }

  /// The `UpdatedMessage`.
  var json: JSONValue { .object(members) }

  /// The `ComposedMessage`.
  /// - Parameter quoting: the message that this one replies to, or `nil`.
  func json(quoting: CoreItem.ID?) -> JSONValue {
    var members = members
    members["fileSource"] = file.map { ["filePath": .string($0)] }
    members["quotedItemId"] = quoting.map { .integer($0.rawValue) }
    return .object(members)
  }

  private var members: [String: JSONValue] {
    ["msgContent": content, "mentions": .object(mentions.mapValues { .integer($0.rawValue) })]
  }
}

/// A description for logs: without the text.
extension CoreMessage: CustomStringConvertible, CustomReflectable {
  public var description: String { "a message of \(text.utf8.count) bytes" }
  public var customMirror: Mirror { Mirror(self, children: ["bytes": text.utf8.count, "mentions": mentions.count]) }
}
