internal import StrictJSON

// Posts: what the core keeps of them, and how it sends them.
extension CoreModel {
  /// How far a post came with one relay.
  struct Delivery: Hashable, Sendable {
    let member: Int64
    var state: JSONValue = ["type": "new"]
    /// Whether the core still tries.
    var isOpen: Bool { state["type"] == "new" || state["type"] == "warning" }
  }

  struct Item: Hashable, Sendable {
    let id: Int64
    /// The name that is the same everywhere.
    let sharedID: String
    let sentAt: Int64
    let isAsGroup: Bool
    let isSigned: Bool
    let quote: JSONValue?
    /// What it said and says; the last one counts.
    var versions: [JSONValue]
    var mentions: [String: Int64]
    var deletedAt: Int64?
    var reactions: [String] = []
    var file: File?
    /// The file of someone else.
    var receivedFile: JSONValue?
    /// Who wrote it.
    var writer = Writer.user
    /// Why it is shown as deleted, once it is.
    var deletion = "deleted"
    /// How others reacted, by emoji.
    var othersReactions: [String: Set<Int64>] = [:]
    /// The relays to which it was sent; the others have no row.
    var deliveries: [Delivery]
    /// The relays that give it to new readers.
    var holders: Set<Int64> = []

    var content: JSONValue { versions.last ?? [:] }

    /// The status for all relays together.
    var status: JSONValue {
      if writer != .user { return ["type": "rcvNew"] }
      let sent = deliveries.filter { $0.state["type"] == "sent" }.count
      if sent == 0 { return ["type": "sndNew"] }
      return ["type": "sndSent", "sndProgress": sent == deliveries.count ? "complete" : "partial"]
    }
  }

  static let hour: Int64 = 3_600_000
  static let messageBytesMax = 15_602
  private static let roles = ["relay", "observer", "author", "member", "moderator", "admin", "owner"]

  mutating func aboutItem(_ command: ItemCommand, _ index: Int) -> JSONValue {
    if busyCommands > 0 {
      busyCommands -= 1
      return CoreErrors.answer(CoreErrors.store("dBBusyError", ["message": "database is locked"]))
    }
    switch command {
    case .send(let message, let isAsGroup, let isSigned): return send(index, message, isAsGroup: isAsGroup, isSigned: isSigned)
    case .update(let item, let message): return update(index, item, message)
    case .delete(let items, let mode): return delete(index, items, mode)
    case .moderate(let items): return moderate(index, items)
    case .react(let item, let emoji, let isAdded): return react(index, item, emoji, isAdded)
    case .info(let item): return info(groups[index], item)
    case .page(let place, let count): return page(groups[index], place, count)
    }
  }

  private mutating func send(_ index: Int, _ message: ItemCommand.Composed, isAsGroup: Bool, isSigned: Bool) -> JSONValue {
    let group = groups[index]
    if let refusal = roleRefusal(group, "author") ?? mentionRefusal(group, message) { return refusal }
    var quote: JSONValue?
    if let quoted = message.quoted {
      guard let item = group.items.first(where: { $0.id == quoted }) else { return notFound(quoted) }
      guard item.deletedAt == nil else { return CoreErrors.answer(CoreErrors.store("invalidQuote")) }
      quote = quoteJSON(item, in: group)
    }
    guard Self.size(message, quote, event: "x.msg.new") <= Self.messageBytesMax else {
      return CoreErrors.answer(CoreErrors.store("largeMsg"))
    }
    let file: File?
    switch readFile(message.file) {
    case .success(let found): file = found
    case .failure(let refusal): return CoreErrors.answer(refusal.error)
    }
    // There is no way to say that it is the same message as another: each command makes a new one.
    let reachable = group.rows.filter(isReachable)
    let item = Item(
      id: nextItem, sharedID: "shared-\(group.serial)-\(nextItem)", sentAt: now, isAsGroup: isAsGroup, isSigned: isSigned,
      quote: quote, versions: [message.content], mentions: message.mentions, file: file,
      deliveries: reachable.map { Delivery(member: $0.member) })
    nextItem += 1
    groups[index].items.append(item)
    outgoing += reachable.map { Outgoing(serial: group.serial, item: item.id, member: $0.member) }
    if file != nil { uploads.append(Upload(serial: group.serial, item: item.id)) }
    return ["type": "newChatItems", "user": userJSON(group.user), "chatItems": [chatItemJSON(item, in: groups[index])]]
  }

  func notFound(_ item: Int64) -> JSONValue {
    CoreErrors.answer(CoreErrors.store("chatItemNotFound", ["itemId": .integer(item)]))
  }

  /// Another owner gives the core's user another role.
  public mutating func setRole(_ role: String, channel: Int64) {
    for index in groups.indices where groups[index].id == channel { groups[index].role = role }
  }

  /// Whether one role stands above another.
  static func isAbove(_ role: String, _ other: String) -> Bool {
    (roles.firstIndex(of: role) ?? 0) > (roles.firstIndex(of: other) ?? 0)
  }

  /// nil: the user has at least this role.
  func roleRefusal(_ group: Group, _ role: String) -> JSONValue? {
    guard let own = Self.roles.firstIndex(of: group.role), let least = Self.roles.firstIndex(of: role), own < least else {
      return nil
    }
    return CoreErrors.answer(CoreErrors.own("groupUserRole", ["groupInfo": groupJSON(group), "requiredRole": .string(role)]))
  }

  /// nil: every mention names another member, and the text shows it.
  func mentionRefusal(_ group: Group, _ message: ItemCommand.Composed) -> JSONValue? {
    let text = message.content["text"]?.string ?? ""
    let members = Set(message.mentions.values)
    let areShown = message.mentions.keys.allSatisfy { text.contains("@\($0)") || text.contains("@'\($0)'") }
    guard message.mentions.count <= 3, members.count == message.mentions.count, areShown else {
      return CoreErrors.answer(CoreErrors.store("invalidMention"))
    }
    let known = Set(group.rows.map(\.member)).union(group.people.keys).union(1_000_000..<1_000_000 + Int64(subscribers.count))
    guard let stranger = members.subtracting(known).min() else { return nil }
    return CoreErrors.answer(CoreErrors.store("groupMemberNotFound", ["groupMemberId": .integer(stranger)]))
  }

  /// The bytes of the message on its way to a relay.
  static func size(_ message: ItemCommand.Composed, _ quote: JSONValue?, event: String) -> Int {
    let id: JSONValue = "MDEyMzQ1Njc4OWFi"
    var params: [String: JSONValue] = ["content": message.content, "asGroup": true]
    if !message.mentions.isEmpty { params["mentions"] = .object(message.mentions.mapValues { _ in ["memberId": id] }) }
    if event == "x.msg.update" { params["msgId"] = id }
    if event == "x.msg.new", let file = message.file {
      let description: JSONValue = ["fileDescrText": "", "fileDescrPartNo": 0, "fileDescrComplete": false]
      params["file"] = ["fileName": .string(name(ofFileAt: file)), "fileSize": 1_073_741_824, "fileDescr": description]
    }
    if let quote {
      let reference: JSONValue = ["msgId": id, "sentAt": quote["sentAt"] ?? "", "sent": true]
      params["quote"] = ["msgRef": reference, "content": quote["content"] ?? [:]]
    }
    let whole: JSONValue = ["v": "1-17", "msgId": id, "event": .string(event), "params": .object(params)]
    return whole.bytes.count
  }
}
