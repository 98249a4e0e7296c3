internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The stored form of an order to the core about someone's message, or about a member: the order, and its progress as far as the core does
/// not show it. The core gives orders no name, so neither do documents.
struct OrderForm: Hashable {
  enum Order: Hashable {
    /// Someone else's message is to be removed for everyone.
    case removeMessage
    case removeMember
    case setRole(CoreMember.Role)
    /// A member is to be blocked for everyone, or unblocked.
    case block(Bool)
  }

  let order: Order
  /// The name of the message (`ItemPlace`), or of the member (`ReadMessage.author`).
  let target: String
  /// The progress. An order is never taken back.
  var course = ActCourse()

  /// The roles that the core gives.
  static let roles: [CoreMember.Role] = [.observer, .member, .moderator, .admin, .owner]

  /// The order to remove a message, or `nil` if the core has no such message.
  init?(removing name: String) {
    guard ItemPlace(name: name)?.item != nil else { return nil }
    (order, target) = (.removeMessage, name)
  }

  /// - Throws: `PostRefusal` with the part that must be changed.
  init(_ change: MembershipChange) throws(PostRefusal) {
    guard Self.isMember(change.person) else {
      throw PostRefusal(
        .author, "it must be a member of the channel as lists and messages name it. batonctl member list has them")
    }
    guard change.reason.isEmpty else {
      throw PostRefusal(.reason, "SimpleX shows no reason. Leave it out")
    }
    switch change.wish {
    case .removed: order = .removeMember
    case .banned: order = .block(true)
    case .unbanned: order = .block(false)
    case .member:
      guard change.roles.count <= 1 else { throw PostRefusal(.roles, "a member has one role on SimpleX. Write one of them") }
      let word = change.roles.first ?? CoreMember.Role.observer.rawValue
      guard let role = Self.roles.first(where: { $0.rawValue == word }) else {
        let words = Self.roles.map(\.rawValue).joined(separator: ", ")
        throw PostRefusal(.roles, "SimpleX has no such role. Write one of \(words)")
      }
      order = .setRole(role)
    }
    target = change.person
  }

  /// Whether a name can be a member's: someone else's, and not the channel's.
  static func isMember(_ name: String) -> Bool {
    if name.hasPrefix("#") { return number(name) != nil }
    return name != PostForm.author && ItemPlace.isWritable(name)
  }

  /// The number of a member in the core, if the name is that (`ItemNews.name`).
  static func number(_ name: String) -> CoreMember.ID? {
    guard name.hasPrefix("#"), let number = Int64(name.dropFirst()), number >= 0, "#\(number)" == name else { return nil }
    return CoreMember.ID(rawValue: number)
  }

  /// The order that operations are about, or `nil` if they are about something else. All of them are about the same one.
  init?(in operations: [DeliveryOperation]) {
    guard let form = operations.lazy.compactMap({ OrderForm($0.document) }).first else { return nil }
    self = form
  }

  /// Reads a stored form. `nil` if it is not in Baton's format.
  init?(_ document: PostDocument) {
    guard document.author == PostForm.author, document.networkID.isEmpty,
      let json = (try? JSONParser.parse(document.text))?.object,
      Set(json.keys).isSubset(of: ["order", "role", "target", "reached", "sentAt"]),
      let target = json["target"]?.string,
      let order = Self.order(json["order"]?.string, role: json["role"]?.string)
    else { return nil }
    guard order == .removeMessage ? ItemPlace(name: target)?.item != nil : Self.isMember(target) else { return nil }
    (self.order, self.target) = (order, target)
    do throws(PostForm.Unreadable) { course = try ActCourse(json) } catch { return nil }
  }

  private static func order(_ word: String?, role: String?) -> Order? {
    switch (word, role) {
    case ("removeMessage", nil): .removeMessage
    case ("removeMember", nil): .removeMember
    case ("block", nil): .block(true)
    case ("unblock", nil): .block(false)
    case ("setRole", let role?): roles.first { $0.rawValue == role }.map(Order.setRole)
    default: nil
    }
  }

  /// The form for the store.
  var document: PostDocument {
    var members = course.json
    members["target"] = .string(target)
    switch order {
    case .removeMessage: members["order"] = "removeMessage"
    case .removeMember: members["order"] = "removeMember"
    case .block(let isBlocked): members["order"] = isBlocked ? "block" : "unblock"
    case .setRole(let role): (members["order"], members["role"]) = ("setRole", .string(role.rawValue))
    }
    return PostDocument(networkID: "", author: PostForm.author, text: JSONValue.object(members).text)
  }
}
