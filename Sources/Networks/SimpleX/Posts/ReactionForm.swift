internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The stored form of a reaction on SimpleX: the reaction, its item, and its progress as far as the core does not show it. The core gives
/// reactions no name, so neither do documents.
struct ReactionForm: Hashable {
  let reaction: CoreReaction
  /// The item that it is a reaction to.
  let target: CoreItem.ID
  /// The name of that item (`ItemPlace`).
  private let targetName: String
  var course = ActCourse()

  private static let emojiMark = "\u{FE0F}"

  /// - Throws: `PostRefusal` with the part that must be changed.
  init(_ draft: ReactionDraft) throws(PostRefusal) {
    guard draft.emoji.isEmpty else {
      throw PostRefusal(.emoji, "reactions on SimpleX have no pictures. Write one of \(Self.all)")
    }
    guard let reaction = Self.reaction(draft.text) else {
      throw PostRefusal(.reaction, "SimpleX has eight reactions, and this is not one of them. Write one of \(Self.all)")
    }
    guard let target = ItemPlace(name: draft.target.networkID)?.item else {
      throw PostRefusal(.reaction, "the core has not sent the post yet that this is a reaction to. React once it has")
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

  /// The reaction that operations are about, or `nil` if they are about a post. All of them are about the same one.
  init?(in operations: [DeliveryOperation]) {
    guard let form = operations.lazy.compactMap({ ReactionForm($0.document) }).first else { return nil }
    self = form
  }

  /// Reads a stored form. `nil` if it is not in Baton's format.
  init?(_ document: PostDocument) {
    guard document.author == PostForm.author, document.networkID.isEmpty,
      let json = (try? JSONParser.parse(document.text))?.object,
      Set(json.keys).isSubset(of: ["reaction", "target", "reached", "sentAt", "withdrawn"]),
      let reaction = json["reaction"]?.string.flatMap(CoreReaction.init(rawValue:)), let name = json["target"]?.string,
      let target = ItemPlace(name: name)?.item
    else { return nil }
    (self.reaction, self.target, targetName) = (reaction, target, name)
    do throws(PostForm.Unreadable) { course = try ActCourse(json) } catch { return nil }
  }

  /// The form for the store.
  var document: PostDocument {
    let members: [String: JSONValue] = ["reaction": .string(reaction.rawValue), "target": .string(targetName)]
    return PostDocument(
      networkID: "", author: PostForm.author, text: JSONValue.object(members.merging(course.json) { own, _ in own }).text)
  }
}
