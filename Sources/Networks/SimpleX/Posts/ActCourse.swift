internal import Channels
internal import StrictJSON

/// The progress of an act that the core does once for all relays: a reaction, or an order.
struct ActCourse: Hashable {
  /// The relays whose connections were ready when its turn came, or `nil` if nothing of it has left.
  var reached: Set<CoreMember.ID>?
  /// When it was known that the core has done it, or `nil`.
  var sentAt: Timestamp?
  /// The relays that were told to take it back. `nil` if it was not taken back.
  var withdrawn: Set<CoreMember.ID>?
}

extension ActCourse {
  /// Reads the members that were stored with a form.
  init(_ json: [String: JSONValue]) throws(PostForm.Unreadable) {
    reached = try PostForm.read(json["reached"], CoreMember.ids)
    sentAt = try PostForm.read(json["sentAt"]) { $0.integer.map(Timestamp.init(milliseconds:)) }
    withdrawn = try PostForm.read(json["withdrawn"], CoreMember.ids)
  }

  /// The members that are stored with a form.
  var json: [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    members["reached"] = reached.map(CoreMember.json)
    members["sentAt"] = sentAt.map { .integer($0.milliseconds) }
    members["withdrawn"] = withdrawn.map(CoreMember.json)
    return members
  }
}

extension CoreMember {
  /// Reads numbers of members that were stored.
  static func ids(_ json: JSONValue) -> Set<ID>? {
    guard let list = json.array, list.count <= CoreItemInfo.deliveriesMax else { return nil }
    let ids = list.compactMap(\.integer)
    return ids.count == list.count ? Set(ids.map(ID.init(rawValue:))) : nil
  }

  /// Numbers of members in stored form.
  static func json(_ ids: Set<ID>) -> JSONValue { .array(ids.sorted().map { .integer($0.rawValue) }) }
}
