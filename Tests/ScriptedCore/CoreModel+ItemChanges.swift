internal import StrictJSON

// What becomes of posts afterwards.
extension CoreModel {
  mutating func update(_ index: Int, _ id: Int64, _ message: ItemCommand.Composed) -> JSONValue {
    let group = groups[index]
    if let refusal = roleRefusal(group, "author") { return refusal }
    guard let at = group.items.firstIndex(where: { $0.id == id }) else { return notFound(id) }
    guard isEditable(group.items[at]) else { return CoreErrors.answer(CoreErrors.own("invalidChatItemUpdate")) }
    // Mentions alone do not count.
    guard message.content != group.items[at].content else { return itemAnswer("chatItemNotChanged", group.items[at], index) }
    if let refusal = mentionRefusal(group, message) { return refusal }
    guard Self.size(message, nil, event: "x.msg.update") <= Self.messageBytesMax else {
      return CoreErrors.answer(CoreErrors.store("largeMsg"))
    }
    groups[index].items[at].versions.append(message.content)
    groups[index].items[at].mentions = message.mentions
    // Relays that never had the post take it from the edit; there are no new rows.
    groups[index].items[at].holders.formUnion(group.rows.filter(isReachable).map(\.member))
    return itemAnswer("chatItemUpdated", groups[index].items[at], index)
  }

  mutating func delete(_ index: Int, _ ids: [Int64], _ mode: ItemCommand.Mode) -> JSONValue {
    let group = groups[index]
    let found = ids.compactMap { id in group.items.first { $0.id == id } }
    let missing = ids.filter { id in !group.items.contains { $0.id == id } }
    if !missing.isEmpty {
      let errors = missing.map { CoreErrors.store("chatItemNotFound", ["itemId": .integer($0)]) }
      events.append(["type": "chatErrors", "chatErrors": .array(errors)])
    }
    if mode == .broadcast, !found.allSatisfy(isDeletable) {
      return CoreErrors.answer(CoreErrors.own("invalidChatItemDelete"))
    }
    let reached = Set(group.rows.filter(isReachable).map(\.member))
    let isFull = group.profile["groupPreferences"]?["fullDelete"]?["enable"] == "on"
    var deletions: [JSONValue] = []
    for item in found {
      guard let at = groups[index].items.firstIndex(where: { $0.id == item.id }) else { continue }
      var deletion: [String: JSONValue] = ["deletedChatItem": chatItemJSON(item, in: group)]
      groups[index].items[at].deletedAt = now
      groups[index].items[at].holders.subtract(reached)
      if isFull {
        groups[index].items.remove(at: at)
      } else {
        deletion["toChatItem"] = chatItemJSON(groups[index].items[at], in: groups[index])
      }
      deletions.append(.object(deletion))
    }
    return [
      "type": "chatItemsDeleted", "user": userJSON(group.user), "chatItemDeletions": .array(deletions), "byUser": true,
      "timed": false,
    ]
  }

  mutating func react(_ index: Int, _ id: Int64, _ emoji: String, _ isAdded: Bool) -> JSONValue {
    let group = groups[index]
    guard let at = group.items.firstIndex(where: { $0.id == id }) else { return notFound(id) }
    let item = group.items[at]
    func refused(_ words: String) -> JSONValue { CoreErrors.answer(CoreErrors.command(words)) }
    if group.profile["groupPreferences"]?["reactions"]?["enable"] == "off" {
      return refused("feature not allowed Message reactions")
    }
    if item.deletedAt != nil { return refused("reaction not allowed - chat item has no content") }
    if item.reactions.contains(emoji) == isAdded { return refused("reaction already \(isAdded ? "added" : "removed")") }
    if isAdded, item.reactions.count >= 3 { return refused("too many reactions") }
    if isAdded {
      groups[index].items[at].reactions.append(emoji)
    } else {
      groups[index].items[at].reactions.removeAll { $0 == emoji }
    }
    let reaction: JSONValue = [
      "chatDir": ["type": "groupSnd"], "chatItem": itemJSON(groups[index].items[at], in: groups[index]),
      "sentAt": .string(time(now)), "reaction": ["type": "emoji", "emoji": .string(emoji)],
    ]
    return [
      "type": "chatItemReaction", "user": userJSON(group.user), "added": .bool(isAdded),
      "reaction": ["chatInfo": chatJSON(groups[index]), "chatReaction": reaction],
    ]
  }

  /// Own posts can be edited for a day.
  func isEditable(_ item: Item) -> Bool { item.writer == .user && item.deletedAt == nil && now - item.sentAt < 24 * Self.hour }

  /// Six hours longer than the core shows.
  private func isDeletable(_ item: Item) -> Bool {
    item.writer == .user && item.deletedAt == nil && now - item.sentAt < 30 * Self.hour
  }

  private func itemAnswer(_ tag: String, _ item: Item, _ index: Int) -> JSONValue {
    ["type": .string(tag), "user": userJSON(groups[index].user), "chatItem": chatItemJSON(item, in: groups[index])]
  }
}
