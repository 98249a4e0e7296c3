internal import Channels
internal import StrictJSON

/// A relay's lists of the members of its groups (NIP-29): kind 39002 names the members, as far as the relay wants to, and kind 39001 the
/// members with a role.
enum GroupMembers {
  static let membersKind = 39002
  /// Both lists of these groups.
  static func filter(_ ids: [String]) -> JSONValue {
    [
      "kinds": [.integer(Int64(RelayGroup.adminsKind)), .integer(Int64(membersKind))],
      "#d": .array(ids.map(JSONValue.string)),
    ]
  }
  /// Kinds after which the lists may have changed: someone was added or removed, or left.
  static let changingKinds: Set<Int> = [RelayGroup.Request.putUser.rawValue, RelayGroup.Request.removeUser.rawValue, 9022]
  /// Someone asks to be let in.
  static let joinRequestKind = 9021

  /// Whether a text can be the name of a role.
  static func isRole(_ text: String) -> Bool {
    (1...ReadMembers.roleBytesMax).contains(text.utf8.count)
      && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

extension ReadMembers {
  /// - Parameters:
  ///   - event: that the relay has signed.
  ///   - ownKey: the key that signs for us there.
  /// - Returns: `nil` if it is not a list of people.
  init?(_ event: NostrEvent, ownKey: String?) {
    switch event.kind {
    case RelayGroup.adminsKind: self.init(.roles, event, ownKey)
    case GroupMembers.membersKind: self.init(.members, event, ownKey)
    default: return nil
    }
  }

  private init(_ list: List, _ event: NostrEvent, _ ownKey: String?) {
    var known: Set<String> = []
    var entries: [Entry] = []
    for tag in event.tags where tag.count > 1 && tag[0] == "p" {
      guard NostrEvent.isID(tag[1]), known.insert(tag[1]).inserted, entries.count < Self.entriesMax else { continue }
      let roles = list == .roles ? Array(tag.dropFirst(2).filter(GroupMembers.isRole).prefix(Self.rolesMax)) : []
      entries.append(Entry(author: tag[1], roles: roles, isOwn: tag[1] == ownKey))
    }
    self.init(list: list, entries: entries, count: known.count)
  }
}
