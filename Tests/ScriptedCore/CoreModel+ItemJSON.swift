internal import StrictJSON

// Posts as the core shows them.
extension CoreModel {
  func page(_ group: Group, _ place: ItemCommand.Place, _ count: Int) -> JSONValue {
    let all = group.items.sorted { ($0.sentAt, $0.id) < ($1.sentAt, $1.id) }
    let items: ArraySlice<Item>
    switch place {
    case .newest: items = all.suffix(count)
    case .before(let id):
      guard let at = all.firstIndex(where: { $0.id == id }) else { return notFound(id) }
      items = all[..<at].suffix(count)
    case .after(let id):
      guard let at = all.firstIndex(where: { $0.id == id }) else { return notFound(id) }
      items = all[(at + 1)...].prefix(count)
    }
    let statistics: JSONValue = [
      "unreadCount": 0, "unreadMentions": 0, "reportsCount": 0, "minUnreadItemId": 0, "unreadChat": false,
    ]
    let chat: JSONValue = [
      "chatInfo": chatJSON(group), "chatItems": .array(items.map { itemJSON($0, in: group) }), "chatStats": statistics,
    ]
    return ["type": "apiChat", "user": userJSON(group.user), "chat": chat]
  }

  func info(_ group: Group, _ id: Int64) -> JSONValue {
    guard let item = group.items.first(where: { $0.id == id }) else { return notFound(id) }
    // Only with the first edit the core begins to keep versions.
    let kept = item.versions.count > 1 ? item.versions : []
    let versions = kept.enumerated().map { number, content -> JSONValue in
      [
        "chatItemVersionId": .integer(Int64(number + 1)), "msgContent": content, "itemVersionTs": .string(time(item.sentAt)),
        "createdAt": .string(time(item.sentAt)),
      ]
    }
    var info: [String: JSONValue] = ["itemVersions": .array(versions.reversed()), "fileXftpServers": []]
    if !item.deliveries.isEmpty {
      info["memberDeliveryStatuses"] = .array(
        item.deliveries.map { ["groupMemberId": .integer($0.member), "memberDeliveryStatus": $0.state, "sentViaProxy": false] })
    }
    return [
      "type": "chatItemInfo", "user": userJSON(group.user), "chatItem": chatItemJSON(item, in: group),
      "chatItemInfo": .object(info),
    ]
  }

  func chatJSON(_ group: Group) -> JSONValue { ["type": "group", "groupInfo": groupJSON(group)] }

  func chatItemJSON(_ item: Item, in group: Group) -> JSONValue {
    ["chatInfo": chatJSON(group), "chatItem": itemJSON(item, in: group)]
  }

  func itemJSON(_ item: Item, in group: Group) -> JSONValue {
    var members: [String: JSONValue] = [
      "chatDir": directionJSON(item.writer, in: group), "meta": metaJSON(item, in: group), "content": contentJSON(item),
      "mentions": .object(item.mentions.mapValues { ["memberId": .string("member-\($0)")] }),
      "reactions": reactionsJSON(item),
    ]
    members["quotedItem"] = item.quote
    members["file"] = item.file?.json ?? item.receivedFile
    return .object(members)
  }

  private func reactionsJSON(_ item: Item) -> JSONValue {
    let emoji = item.reactions + item.othersReactions.keys.sorted().filter { !item.reactions.contains($0) }
    return .array(
      emoji.map { emoji in
        let isOwn = item.reactions.contains(emoji)
        let count = (item.othersReactions[emoji]?.count ?? 0) + (isOwn ? 1 : 0)
        return [
          "reaction": ["type": "emoji", "emoji": .string(emoji)], "userReacted": .bool(isOwn),
          "totalReacted": .integer(Int64(count)),
        ]
      })
  }

  private func metaJSON(_ item: Item, in group: Group) -> JSONValue {
    var meta: [String: JSONValue] = [
      "itemId": .integer(item.id), "itemTs": .string(time(item.sentAt)), "itemText": item.content["text"] ?? "",
      "itemStatus": item.status, "itemSharedMsgId": .string(item.sharedID), "itemEdited": .bool(item.versions.count > 1),
      "userMention": .bool(isMention(item)), "hasLink": .bool(item.content["type"] == "link"),
      "deletable": .bool(isEditable(item)),
      "editable": .bool(isEditable(item)), "showGroupAsSender": .bool(item.isAsGroup), "createdAt": .string(time(item.sentAt)),
      "updatedAt": .string(time(item.sentAt)),
    ]
    // What the core notes about the group has no name.
    if item.sharedID.isEmpty { meta["itemSharedMsgId"] = nil }
    meta["itemDeleted"] = deletionJSON(item, in: group)
    if item.isSigned { meta["msgVerified"] = ["type": "signed", "sigStatus": "verified"] }
    return .object(meta)
  }

  func quoteJSON(_ item: Item, in group: Group) -> JSONValue {
    [
      "chatDir": directionJSON(item.writer, in: group), "itemId": .integer(item.id), "sharedMsgId": .string(item.sharedID),
      "sentAt": .string(time(item.sentAt)), "content": item.content,
    ]
  }
}
