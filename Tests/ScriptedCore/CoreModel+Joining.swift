internal import StrictJSON

// Channels of others, which the core's user may join.
extension CoreModel {
  /// A channel of others that can be found under its link.
  public struct Offer: Hashable, Sendable {
    /// What happens to whoever follows the link.
    public enum Fate: Hashable, Sendable {
      case joins
      /// No relay can be reached.
      case unreachable
      case noRelays, tooOld
      /// The link leads to someone, and not to a channel.
      case person
    }
    public var fate: Fate
    let serial: Int64
    let profile: JSONValue
  }

  /// Someone runs a channel.
  /// - Returns: its link.
  public mutating func offer(_ name: String, about: String = "", _ fate: Offer.Fate = .joins) -> String {
    let serial = makeID()
    var profile: [String: JSONValue] = ["displayName": .string(name), "fullName": ""]
    if !about.isEmpty { profile["shortDescr"] = .string(about) }
    let link = shortLink(serial)
    offers[link] = Offer(fate: fate, serial: serial, profile: publicProfile(.object(profile), serial))
    return link
  }

  public mutating func change(_ link: String, to fate: Offer.Fate) { offers[link]?.fate = fate }

  /// Whoever runs a channel changes the user's status in it.
  public mutating func setStatus(_ status: String, channel: Int64) {
    guard let index = groups.firstIndex(where: { $0.id == channel }) else { return }
    groups[index].status = status
  }

  /// How the user belongs to each channel of others: `joined`, `prepared`, or another status, by number.
  public var memberships: [Int64: String] {
    let others = groups.filter { $0.isJoinStarted != nil }
    return Dictionary(
      uniqueKeysWithValues: others.map { group in
        (group.id, group.isJoinStarted == false ? "prepared" : group.status == "connected" ? "joined" : group.status)
      })
  }

  func joinLinkJSON(_ serial: Int64) -> JSONValue {
    let full =
      "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2FLcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI%3D%40smp8.simplex.im%2F\(serial)"
    return ["connFullLink": .string(full), "connShortLink": .string(shortLink(serial))]
  }

  mutating func execute(_ command: JoiningCommand) -> JSONValue {
    switch command {
    case .plan(let user, let link): return plan(user, link)
    case .prepare(let user, _, let short, let data): return prepare(user, short, data)
    case .join(let id, let isIncognito):
      guard let index = groups.firstIndex(where: { $0.id == id && $0.user == activeUser }) else {
        return CoreErrors.answer(CoreErrors.store("groupNotFound", ["groupId": .integer(id)]))
      }
      return join(index, isIncognito: isIncognito)
    }
  }

  private func plan(_ user: Int64, _ link: String) -> JSONValue {
    func reply(_ serial: Int64, _ plan: JSONValue) -> JSONValue {
      [
        "type": "connectionPlan", "user": userJSON(user), "connLink": joinLinkJSON(serial),
        "connectionPlan": ["type": "groupLink", "groupLinkPlan": plan],
      ]
    }
    if let group = groups.first(where: { $0.user == user && shortLink($0.serial) == link }) {
      guard group.isJoinStarted != nil else {
        return reply(group.serial, ["type": "ownLink", "groupInfo": groupJSON(group)])
      }
      if group.status == "accepted" {
        return reply(group.serial, ["type": "connectingProhibit", "groupInfo_": groupJSON(group)])
      }
      return reply(
        group.serial, ["type": "known", "groupInfo": groupJSON(group), "groupUpdated": false, "linkOwners": []])
    }
    guard let offer = offers[link] else { return CoreErrors.answer(CoreErrors.agent(.deadLink, address: link)) }
    let data: JSONValue = ["groupProfile": offer.profile, "publicGroupData": ["publicMemberCount": 12]]
    switch offer.fate {
    case .joins, .unreachable:
      return reply(
        offer.serial,
        [
          "type": "ok", "groupSLinkData_": data,
          "groupSLinkInfo_": [
            "direct": false, "groupRelays": ["https://smp5.simplex.im/g#relay"],
            "publicGroupId": .string("public-\(offer.serial)"),
          ],
        ])
    case .noRelays: return reply(offer.serial, ["type": "noRelays", "groupSLinkData_": data])
    case .tooOld: return reply(offer.serial, ["type": "updateRequired", "groupSLinkData_": data])
    case .person:
      return [
        "type": "connectionPlan", "user": userJSON(user), "connLink": joinLinkJSON(offer.serial),
        "connectionPlan": ["type": "contactAddress", "contactAddressPlan": ["type": "ok"]],
      ]
    }
  }

  private mutating func prepare(_ user: Int64, _ link: String, _ data: JSONValue) -> JSONValue {
    guard let offer = offers[link], let profile = data["groupProfile"], profile["displayName"]?.string != nil else {
      return CoreErrors.answer(CoreErrors.command("Failed reading: group"))
    }
    let number = (groups.map(\.id).max() ?? 0) + 1
    var group = Group(id: number, serial: offer.serial, user: user, createdAt: now, profile: profile)
    (group.role, group.status, group.isJoinStarted, group.isInProgress) = ("observer", "unknown", false, false)
    groups.append(group)
    return [
      "type": "newPreparedChat", "user": userJSON(user),
      "chat": [
        "chatInfo": ["type": "group", "groupInfo": groupJSON(group)], "chatItems": [],
        "chatStats": ["unreadCount": 0, "unreadMentions": 0, "reportsCount": 0, "minUnreadItemId": 0, "unreadChat": false],
      ],
    ]
  }

  private mutating func join(_ index: Int, isIncognito: Bool) -> JSONValue {
    let group = groups[index]
    guard let isStarted = group.isJoinStarted, !isStarted else {
      return CoreErrors.answer(CoreErrors.command("group is not prepared for connection"))
    }
    let link = shortLink(group.serial)
    if offers[link]?.fate == .unreachable { return CoreErrors.answer(CoreErrors.agent(.unreachable, address: link)) }
    (groups[index].isJoinStarted, groups[index].status) = (true, "connected")
    let relay = memberJSON(
      id: group.id * 1000 + 1, group: group.id, role: "relay", category: "host", status: "accepted", connection: nil)
    var reply = answer("startedConnectionToGroup", groups[index], ["relayResults": [["relayMember": relay]]]).object ?? [:]
    if isIncognito { reply["customUserProfile"] = ["displayName": "RandomName", "fullName": ""] }
    return .object(reply)
  }
}
