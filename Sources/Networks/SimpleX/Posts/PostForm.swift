internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The stored form of a post on SimpleX: the content that the core is to send, and its progress as far as no one else keeps it. The place
/// of the post in the core is its name (`ItemPlace`).
struct PostForm: Hashable {
  /// How the core was told to delete the post.
  struct Deletion: Hashable {
    let scope: CoreItemScope
    /// The relays that were told, because their connections were ready.
    let reached: Set<CoreMember.ID>
  }

  /// The author of all posts: readers see the channel.
  static let author = "channel"
  /// The longest title of a previewed link, in bytes.
  static let titleBytesMax = PostDraft.Attachment.altTextBytesMax

  /// The number of this edition.
  var edition = 1
  var text: String
  /// The link that readers see with a title.
  var preview: CoreLinkPreview?
  /// The file of the core's machine that goes along.
  var file: FileAddress?
  /// The item that the post answers.
  var quoted: CoreItem.ID?
  /// When the core sent it.
  var sentAt: Timestamp?
  var deletion: Deletion?
  /// The size of a quote of the post, in bytes, once its content is forgotten. `nil` before.
  var forgottenBytes: Int?

  var message: CoreMessage { CoreMessage(text: text, preview: preview, file: file?.path) }

  /// Whether an item of the core has the same content.
  func isShown(by item: CoreItem) -> Bool {
    guard !isForgotten, let content = item.content else { return false }
    return content.text == text && content.link == preview?.link && item.file?.name == file?.name
  }

  init(text: String, preview: CoreLinkPreview? = nil, file: FileAddress? = nil, quoted: CoreItem.ID? = nil) {
    (self.text, self.preview, self.file, self.quoted) = (text, preview, file, quoted)
  }

  /// Reads a stored form. `nil` if it is not in Baton's format.
  init?(_ document: PostDocument) {
    guard document.author == Self.author, let json = (try? JSONParser.parse(document.text))?.object,
      Set(json.keys).isSubset(of: ["edition", "text", "preview", "file", "quoted", "sentAt", "deletion", "forgottenBytes"]),
      let edition = json["edition"]?.integer, (1...Int64(Int32.max)).contains(edition),
      let text = json["text"]?.string ?? (json["forgottenBytes"] == nil ? nil : ""),
      text.utf8.count <= CoreItemContent.textBytesMax
    else { return nil }
    (self.edition, self.text) = (Int(edition), text)
    do throws(Unreadable) {
      preview = try Self.read(json["preview"]) { CoreLinkPreview(stored: $0) }
      file = try Self.read(json["file"]) { $0.string.flatMap { try? FileAddress($0) } }
      quoted = try Self.read(json["quoted"]) { $0.integer.map(CoreItem.ID.init(rawValue:)) }
      sentAt = try Self.read(json["sentAt"]) { $0.integer.map(Timestamp.init(milliseconds:)) }
      deletion = try Self.read(json["deletion"], Deletion.init)
      forgottenBytes = try Self.read(json["forgottenBytes"], Self.bytes)
    } catch {
      return nil
    }
  }

  struct Unreadable: Error {}

  /// The value of a member, or `nil` if it is missing.
  static func read<Value>(_ json: JSONValue?, _ value: (JSONValue) -> Value?) throws(Unreadable) -> Value? {
    guard let json else { return nil }
    guard let value = value(json) else { throw Unreadable() }
    return value
  }

  var json: JSONValue {
    var members: [String: JSONValue] = ["edition": .integer(Int64(edition))]
    members["text"] = isForgotten ? nil : .string(text)
    members["forgottenBytes"] = forgottenBytes.map { .integer(Int64($0)) }
    members["preview"] = preview.map { ["link": .string($0.link), "title": .string($0.title)] }
    members["file"] = file.map { .string($0.text) }
    members["quoted"] = quoted.map { .integer($0.rawValue) }
    members["sentAt"] = sentAt.map { .integer($0.milliseconds) }
    members["deletion"] = deletion?.json
    return .object(members)
  }

  /// The stored form of a post that is at `place`.
  func document(at place: ItemPlace) -> PostDocument {
    PostDocument(networkID: place.name, author: Self.author, text: json.text)
  }
}

extension PostForm.Deletion {
  init?(_ json: JSONValue) {
    guard let members = json.object, members.count == 2,
      let scope = members["scope"]?.string.flatMap(CoreItemScope.init(rawValue:)),
      let reached = members["reached"].flatMap(CoreMember.ids)
    else { return nil }
    self.init(scope: scope, reached: reached)
  }

  var json: JSONValue {
    ["scope": .string(scope.rawValue), "reached": CoreMember.json(reached)]
  }
}

extension CoreLinkPreview {
  fileprivate init?(stored json: JSONValue) {
    guard let members = json.object, members.count == 2, let link = members["link"]?.string,
      let title = members["title"]?.string,
      link.utf8.count <= PostDraft.urlBytesMax, title.utf8.count <= PostForm.titleBytesMax
    else { return nil }
    self.init(link: link, title: title)
  }
}

/// A description for logs: without the text.
extension PostForm: CustomStringConvertible, CustomReflectable {
  var description: String { "edition \(edition), \(text.utf8.count) bytes" }
  var customMirror: Mirror { Mirror(self, children: ["edition": edition, "bytes": text.utf8.count]) }
}
