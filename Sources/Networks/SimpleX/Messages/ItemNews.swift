internal import Channels
internal import RelayNetwork

/// Turns items of the core into news of a channel. Other people write them, so anything may be in them.
struct ItemNews {
  let group: CoreGroup
  let now: Timestamp

  private static let urlBytesMax = 1_000
  private static let altTextBytesMax = 1_000

  /// The news of an item that is not known: the message, and its changes. Empty if it is not a message.
  func all(_ item: CoreItem) -> [MessageNews.What] {
    if item.deletion != nil { return changes(item) }
    return message(item).map { [.message($0)] + changes(item) } ?? []
  }

  /// The changes of an item whose message is known.
  /// - Parameter isUpdate: whether the core reported a change.
  func changes(_ item: CoreItem, isUpdate: Bool = false) -> [MessageNews.What] {
    let name = ItemPlace(item).name
    // Of a message that was moderated the core keeps neither text nor kind.
    if item.deletion != nil { return [.deleted(networkID: name, author: nil)] }
    guard item.isEdited || isUpdate, let message = message(item) else { return [] }
    return [.edited(networkID: name, text: message.text)]
  }

  /// A reaction that was added or removed. `nil` if it is Baton's own, which is a post, or cannot be named.
  func reaction(_ change: CoreReactionChange) -> MessageNews.What? {
    guard let author = author(change.author, change.sender), !author.isOwn, !change.emoji.isEmpty,
      change.emoji.utf8.count <= ReadReaction.textMax
    else { return nil }
    let target = ItemPlace(change.item).name
    // Names and authors hold no spaces.
    let name = "\(target) \(author.id) \(change.emoji)"
    // A reader who adds it again gives it the same name, so no deletion may wait for it.
    guard change.isAdded else { return .deleted(networkID: name, author: nil) }
    return .reaction(ReadReaction(networkID: name, target: target, author: author.id, text: change.emoji))
  }

  /// The message in an item. `nil` for the core's notes about the group, and for reports to the people who run it.
  private func message(_ item: CoreItem) -> ReadMessage? {
    guard let content = item.content, content.kind != .known(.report), let author = author(item.author, item.sender) else {
      return nil
    }
    return ReadMessage(
      networkID: ItemPlace(item).name, author: author.id, authorName: author.name,
      text: item.text.isEmpty ? content.text : item.text.cut(toBytes: ReadMessage.textMax),
      createdAt: Timestamp(core: item.sentAt) ?? now, replyTo: item.quote.flatMap(Self.name),
      attachments: attachments(of: item, content), isMention: item.isMention, isOwn: author.isOwn)
  }

  /// The name of a message that is answered, or `nil` if the core has no number for it.
  private static func name(_ quote: CoreItemQuote) -> String? {
    quote.item.map { item in
      ItemPlace.item(item, sharedID: quote.sharedID.flatMap { ItemPlace.isWritable($0) ? $0 : nil }).name
    }
  }

  private func attachments(of item: CoreItem, _ content: CoreItemContent) -> [ReadAttachment] {
    var attachments: [ReadAttachment] = []
    // A name is not an address, even if it looks like one.
    if let file = item.file, let name = file.name.split(separator: "/").last {
      attachments.append(ReadAttachment(url: String(name).cut(toBytes: Self.urlBytesMax), sizeBytes: file.size))
    }
    if let link = content.link, link.utf8.count <= Self.urlBytesMax, Self.isWeb(link) {
      let title = content.title.flatMap { $0.isEmpty ? nil : $0.cut(toBytes: Self.altTextBytesMax) }
      attachments.append(ReadAttachment(url: link, altText: title))
    }
    return attachments
  }

  private static func isWeb(_ link: String) -> Bool {
    let start = link.prefix(8).lowercased()
    return start.hasPrefix("https://") || start.hasPrefix("http://")
  }

  private struct Author {
    let id: String
    var name: String?
    var isOwn = false
  }

  /// - Returns: `nil` if the author does not write in groups.
  private func author(_ author: CoreItem.Author, _ sender: CoreSender?) -> Author? {
    switch author {
    case .channel: return Author(id: PostForm.author, isOwn: true)
    // The core does not name the owner. The owners of another channel are other people.
    case .otherOwner: return Author(id: "\(PostForm.author)#\(group.id.rawValue)")
    case .user: return Author(id: Self.name(of: group.membership.sharedID, group.membership.id), isOwn: true)
    case .member(let member): return Author(id: Self.name(of: sender?.sharedID, member), name: sender?.name)
    case .unknown: return nil
    }
  }

  /// The name that all members have for a member, or the core's own number if the name does not have the form that cores draw. No member
  /// passes for the channel.
  static func name(of sharedID: String?, _ member: CoreMember.ID) -> String {
    guard let sharedID, ItemPlace.isWritable(sharedID), sharedID != PostForm.author else { return "#\(member)" }
    return sharedID
  }
}
