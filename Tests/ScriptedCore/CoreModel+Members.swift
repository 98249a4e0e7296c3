internal import StrictJSON

// What others say in a channel, as its relays bring it to the core.
extension CoreModel {
  /// Who wrote a message.
  enum Writer: Hashable, Sendable {
    case user
    /// Another owner, as the channel.
    case otherOwner
    case member(Int64)
    /// A member joined; no one wrote it.
    case joined(Int64)
  }

  /// What a member writes.
  public struct Message: Sendable {
    public var text: String
    /// The file that goes along.
    public var file: (name: String, size: Int64)?
    /// The link that is previewed, and what it is called.
    public var link: (uri: String, title: String)?
    /// The message that it answers.
    public var quoted: Int64?
    /// Whether it names the core's user.
    public var isMention = false
    /// For how long it was on its way, in seconds.
    public var lateness: Int64 = 0

    public init(_ text: String) { self.text = text }

    var content: JSONValue {
      if let link {
        let preview: JSONValue = ["uri": .string(link.uri), "title": .string(link.title), "description": "", "image": ""]
        return ["type": "link", "text": .string(text), "preview": preview]
      }
      return ["type": file == nil ? "text" : "file", "text": .string(text)]
    }
  }

  /// The words that the core's user is named with.
  static let mention = "@owner"

  /// A member writes; another owner of the channel if it is `nil`. The event says so.
  /// - Returns: the number of the message; `nil` if there is no such channel.
  @discardableResult
  public mutating func say(_ message: Message, by member: Int64?, channel: Int64) -> Int64? {
    guard let index = groups.firstIndex(where: { $0.id == channel }) else { return nil }
    let writer = member.map(Writer.member) ?? .otherOwner
    if let member, groups[index].people[member] == nil { groups[index].people[member] = Person(role: "member") }
    let quote = message.quoted.flatMap { id in groups[index].items.first { $0.id == id } }
      .map { quoteJSON($0, in: groups[index]) }
    var message = message
    if message.isMention { message.text = "\(Self.mention) \(message.text)" }
    let id = add(
      Item(
        id: nextItem, sharedID: "shared-\(groups[index].serial)-\(nextItem)", sentAt: now - 1000 * message.lateness,
        isAsGroup: false, isSigned: false, quote: quote, versions: [message.content], mentions: [:], deliveries: []),
      by: writer, index)
    if let file = message.file, let at = groups[index].items.firstIndex(where: { $0.id == id }) {
      groups[index].items[at].receivedFile = [
        "fileId": .integer(id), "fileName": .string(file.name), "fileSize": .integer(file.size),
        "fileStatus": ["type": "rcvInvitation"], "fileProtocol": "XFTP",
      ]
    }
    tellNew(id, index)
    return id
  }

  /// A member joins: the core notes it among the messages, and the event says so.
  public mutating func join(_ member: Int64, channel: Int64) {
    guard let index = groups.firstIndex(where: { $0.id == channel }) else { return }
    let item = Item(
      id: nextItem, sharedID: "", sentAt: now, isAsGroup: false, isSigned: false, quote: nil,
      versions: [["type": "text", "text": "connected"]], mentions: [:], deliveries: [])
    groups[index].people[member] = Person()
    tellNew(add(item, by: .joined(member), index), index)
    events.append(
      answer(
        "joinedGroupMember", groups[index],
        ["member": memberJSON(of: member, in: groups[index])]))
  }

  /// A member leaves by itself.
  public mutating func leave(_ member: Int64, channel: Int64) {
    guard let index = groups.firstIndex(where: { $0.id == channel }), groups[index].people[member] != nil else { return }
    events.append(
      answer("leftMember", groups[index], ["member": memberJSON(of: member, in: groups[index], status: "left")]))
    groups[index].people[member] = nil
  }

  // MARK: - Commands

  mutating func setRole(_ index: Int, _ members: [Int64], _ role: String) -> JSONValue {
    let group = groups[index]
    if let refusal = roleRefusal(group, "admin") { return refusal }
    if group.rows.contains(where: { members.contains($0.member) }) {
      return CoreErrors.answer(CoreErrors.command("relay role can't be changed"))
    }
    guard members.allSatisfy({ group.people[$0] != nil }) else {
      return CoreErrors.answer(CoreErrors.own("groupMemberNotFound"))
    }
    for member in members { groups[index].people[member]?.role = role }
    return answer(
      "membersRoleUser", groups[index],
      [
        "members": .array(members.map { memberJSON(of: $0, in: groups[index]) }), "toRole": .string(role), "msgSigned": true,
      ])
  }

  mutating func block(_ index: Int, _ members: [Int64], _ isBlocked: Bool) -> JSONValue {
    let group = groups[index]
    if let refusal = roleRefusal(group, "moderator") { return refusal }
    guard members.allSatisfy({ group.people[$0] != nil }) else {
      return CoreErrors.answer(CoreErrors.own("groupMemberNotFound"))
    }
    for member in members { groups[index].people[member]?.isBlocked = isBlocked }
    return answer(
      "membersBlockedForAllUser", groups[index],
      [
        "members": .array(members.map { memberJSON(of: $0, in: groups[index]) }), "blocked": .bool(isBlocked),
        "msgSigned": true,
      ])
  }

  /// The user removes messages of members, whose roles must stand below.
  mutating func moderate(_ index: Int, _ ids: [Int64]) -> JSONValue {
    if let refusal = roleRefusal(groups[index], "moderator") { return refusal }
    var deletions: [JSONValue] = []
    for id in ids {
      guard let at = groups[index].items.firstIndex(where: { $0.id == id }) else { return notFound(id) }
      guard case .member(let member) = groups[index].items[at].writer, groups[index].items[at].deletedAt == nil,
        Self.isAbove(groups[index].role, groups[index].people[member]?.role ?? "observer")
      else { return CoreErrors.answer(CoreErrors.own("invalidChatItemDelete")) }
      let before = chatItemJSON(groups[index].items[at], in: groups[index])
      (groups[index].items[at].deletedAt, groups[index].items[at].deletion) = (now, "moderated")
      deletions.append(["deletedChatItem": before, "toChatItem": chatItemJSON(groups[index].items[at], in: groups[index])])
    }
    return [
      "type": "chatItemsDeleted", "user": userJSON(groups[index].user), "chatItemDeletions": .array(deletions),
      "byUser": true, "timed": false,
    ]
  }

  /// Members who are no relays, as lines for people.
  public func peopleSeen(of channel: Int64) -> [String] {
    let people = groups.first { $0.id == channel }?.people ?? [:]
    return people.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.role)\($0.value.isBlocked ? " blocked" : "")" }
  }

  private mutating func add(_ item: Item, by writer: Writer, _ index: Int) -> Int64 {
    var item = item
    item.writer = writer
    groups[index].items.append(item)
    nextItem += 1
    return item.id
  }

  private mutating func tellNew(_ id: Int64, _ index: Int) {
    guard let item = groups[index].items.first(where: { $0.id == id }) else { return }
    events.append([
      "type": "newChatItems", "user": userJSON(groups[index].user), "chatItems": [chatItemJSON(item, in: groups[index])],
    ])
  }

  /// The author of a message edits it.
  public mutating func edit(_ id: Int64, to text: String, channel: Int64) {
    guard let (index, at) = place(of: id, in: channel) else { return }
    groups[index].items[at].versions.append(["type": "text", "text": .string(text)])
    events.append([
      "type": "chatItemUpdated", "user": userJSON(groups[index].user),
      "chatItem": chatItemJSON(groups[index].items[at], in: groups[index]),
    ])
  }

  /// A message is deleted by its author, or, with another word of the core's, by someone else.
  public mutating func remove(_ id: Int64, as word: String = "deleted", channel: Int64) {
    guard let (index, at) = place(of: id, in: channel) else { return }
    let before = chatItemJSON(groups[index].items[at], in: groups[index])
    (groups[index].items[at].deletedAt, groups[index].items[at].deletion) = (now, word)
    let deletion: JSONValue = [
      "deletedChatItem": before, "toChatItem": chatItemJSON(groups[index].items[at], in: groups[index]),
    ]
    events.append([
      "type": "chatItemsDeleted", "user": userJSON(groups[index].user), "chatItemDeletions": [deletion], "byUser": false,
      "timed": false,
    ])
  }

  /// A moderator removes messages: the event has their numbers only.
  public mutating func sweep(_ ids: [Int64], channel: Int64) {
    guard let index = groups.firstIndex(where: { $0.id == channel }) else { return }
    for id in ids {
      guard let at = groups[index].items.firstIndex(where: { $0.id == id }) else { continue }
      (groups[index].items[at].deletedAt, groups[index].items[at].deletion) = (now, "moderated")
    }
    events.append(
      answer(
        "groupChatItemsDeleted", groups[index], ["chatItemIDs": .array(ids.map(JSONValue.integer)), "byUser": false]))
  }

  /// A message is gone from the database, without a word.
  public mutating func vanish(_ id: Int64, channel: Int64) {
    if let (index, at) = place(of: id, in: channel) { groups[index].items.remove(at: at) }
  }

  /// A member reacts, or takes that back.
  public mutating func react(_ emoji: String, isAdded: Bool, to id: Int64, by member: Int64, channel: Int64) {
    guard let (index, at) = place(of: id, in: channel) else { return }
    if isAdded {
      groups[index].items[at].othersReactions[emoji, default: []].insert(member)
    } else {
      groups[index].items[at].othersReactions[emoji]?.remove(member)
    }
    let reaction: JSONValue = [
      "chatDir": directionJSON(.member(member), in: groups[index]),
      "chatItem": itemJSON(groups[index].items[at], in: groups[index]), "sentAt": .string(time(now)),
      "reaction": ["type": "emoji", "emoji": .string(emoji)],
    ]
    events.append([
      "type": "chatItemReaction", "user": userJSON(groups[index].user), "added": .bool(isAdded),
      "reaction": ["chatInfo": chatJSON(groups[index]), "chatReaction": reaction],
    ])
  }

  /// The events that no one took are lost.
  public mutating func loseEvents() { events = [] }

  private func place(of id: Int64, in channel: Int64) -> (index: Int, at: Int)? {
    guard let index = groups.firstIndex(where: { $0.id == channel }),
      let at = groups[index].items.firstIndex(where: { $0.id == id })
    else { return nil }
    return (index, at)
  }

  // MARK: - JSON

  func directionJSON(_ writer: Writer, in group: Group) -> JSONValue {
    switch writer {
    case .user: ["type": "groupSnd"]
    case .otherOwner: ["type": "channelRcv"]
    case .member(let id), .joined(let id): ["type": "groupRcv", "groupMember": memberJSON(of: id, in: group)]
    }
  }

  func peopleJSON(_ group: Group) -> [JSONValue] { group.people.keys.sorted().map { memberJSON(of: $0, in: group) } }

  func memberJSON(of id: Int64, in group: Group, status: String = "connected") -> JSONValue {
    let person = group.people[id] ?? Person(role: "member")
    var members =
      memberJSON(id: id, group: group.id, role: person.role, category: "post", status: status, connection: nil).object ?? [:]
    members["blockedByAdmin"] = .bool(person.isBlocked)
    return .object(members)
  }

  func contentJSON(_ item: Item) -> JSONValue {
    switch item.writer {
    case .user: ["type": "sndMsgContent", "msgContent": item.content]
    case .joined: ["type": "rcvGroupEvent", "rcvGroupEvent": ["type": "memberConnected"]]
    case .otherOwner, .member:
      // Of what was moderated nothing is kept.
      item.deletedAt != nil && item.deletion == "moderated"
        ? ["type": "rcvModerated"] : ["type": "rcvMsgContent", "msgContent": item.content]
    }
  }

  func deletionJSON(_ item: Item, in group: Group) -> JSONValue? {
    guard let at = item.deletedAt else { return nil }
    var deletion: [String: JSONValue] = ["type": .string(item.deletion), "deletedTs": .string(time(at))]
    switch item.deletion {
    case "deleted": deletion["chatType"] = "group"
    case "moderated": deletion["byGroupMember"] = memberJSON(of: group.id * 1000 + 1, in: group)
    default: break
    }
    return .object(deletion)
  }

  func isMention(_ item: Item) -> Bool {
    item.writer != .user && item.content["text"]?.string?.contains(Self.mention) == true
  }
}
