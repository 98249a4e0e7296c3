internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// What Baton stores of a reaction on SimpleX: which one it is, to which item, and what became of it as far as the core does not say. The
/// core gives reactions no name, so neither do documents.
struct ReactionForm: Hashable {
  /// What became of a reaction.
  struct Course: Hashable {
    /// The relays whose connections were ready when the turn of the reaction came; `nil` if nothing of it has left.
    var reached: Set<CoreMember.ID>?
    /// When it was known that the core has the reaction; `nil` before.
    var sentAt: Timestamp?
    /// The relays that were told that it was taken back; `nil` if it was not.
    var withdrawn: Set<CoreMember.ID>?
  }

  let reaction: CoreReaction
  /// The item that it is a reaction to.
  let target: CoreItem.ID
  /// The name of that item (`ItemPlace`).
  private let targetName: String
  var course = Course()

  private static let emojiMark = "\u{FE0F}"

  /// - Throws: what must be changed.
  init(_ draft: ReactionDraft) throws(PostRefusal) {
    guard draft.emoji.isEmpty else {
      throw PostRefusal(.emoji, "reactions on SimpleX have no pictures; write one of \(Self.all)")
    }
    guard let reaction = Self.reaction(draft.text) else {
      throw PostRefusal(.reaction, "SimpleX has eight reactions, and this is none of them; write one of \(Self.all)")
    }
    guard let target = ItemPlace(name: draft.target.networkID)?.item else {
      throw PostRefusal(.reaction, "the core has not sent the post yet that this is a reaction to; react once it has")
    }
    (self.reaction, self.target, targetName) = (reaction, target, draft.target.networkID)
  }

  private static let all = CoreReaction.allCases.map(\.rawValue).joined(separator: " ")

  private static func reaction(_ text: String) -> CoreReaction? {
    switch text {
    case "+": .thumbsUp
    case "-": .thumbsDown
    case CoreReaction.heart.rawValue + emojiMark: .heart
    default: CoreReaction(rawValue: text)
    }
  }

  /// The reaction that operations are about; `nil` if they are about a post. All of them are about the same one.
  init?(in operations: [DeliveryOperation]) {
    guard let form = operations.lazy.compactMap({ ReactionForm($0.document) }).first else { return nil }
    self = form
  }

  /// Reads what was stored; `nil` if it is not what Baton writes.
  init?(_ document: PostDocument) {
    guard document.author == PostForm.author, document.networkID.isEmpty,
      let json = (try? JSONParser.parse(document.text))?.object,
      Set(json.keys).isSubset(of: ["reaction", "target", "reached", "sentAt", "withdrawn"]),
      let reaction = json["reaction"]?.string.flatMap(CoreReaction.init(rawValue:)), let name = json["target"]?.string,
      let target = ItemPlace(name: name)?.item
    else { return nil }
    (self.reaction, self.target, targetName) = (reaction, target, name)
    do throws(PostForm.Unreadable) {
      course.reached = try PostForm.read(json["reached"], CoreMember.ids)
      course.sentAt = try PostForm.read(json["sentAt"]) { $0.integer.map(Timestamp.init(milliseconds:)) }
      course.withdrawn = try PostForm.read(json["withdrawn"], CoreMember.ids)
    } catch {
      return nil
    }
  }

  /// The form as it is stored.
  var document: PostDocument {
    var members: [String: JSONValue] = ["reaction": .string(reaction.rawValue), "target": .string(targetName)]
    members["reached"] = course.reached.map(CoreMember.json)
    members["sentAt"] = course.sentAt.map { .integer($0.milliseconds) }
    members["withdrawn"] = course.withdrawn.map(CoreMember.json)
    return PostDocument(networkID: "", author: PostForm.author, text: JSONValue.object(members).text)
  }
}

extension CoreMember {
  /// Reads numbers of members that were stored.
  static func ids(_ json: JSONValue) -> Set<ID>? {
    guard let list = json.array, list.count <= CoreItemInfo.deliveriesMax else { return nil }
    let ids = list.compactMap(\.integer)
    return ids.count == list.count ? Set(ids.map(ID.init(rawValue:))) : nil
  }

  /// Numbers of members as they are stored.
  static func json(_ ids: Set<ID>) -> JSONValue { .array(ids.sorted().map { .integer($0.rawValue) }) }
}
