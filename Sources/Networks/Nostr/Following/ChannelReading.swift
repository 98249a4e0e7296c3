internal import Channels
internal import RelayNetwork

/// A followed channel in the form in which a session reads it.
struct ChannelReading: Hashable, Sendable {
  let id: ChannelID
  let kind: ChannelKind
  /// The id of the channel's first event, or of the group.
  let networkID: String
  /// The key that signs our messages there, which is the identity's key in someone else's channel, or `nil` while it is not known.
  let ownKey: String?
  /// Whether it is one of our own channels.
  let isOwned: Bool
  /// Our keys, which people mention when they speak to us.
  let ourKeys: Set<String>
  /// The key of the relay that keeps the group, or `nil` for channels.
  let relayKey: String?
  let window: MessageWindow

  /// - Parameter identityKey: the public key of the channel's identity, or `nil` while it is not known.
  init(_ channel: FollowedChannel, identityKey: String?) {
    let content = channel.content
    (id, kind, networkID, window) = (channel.id, content.kind, content.networkID, channel.window)
    isOwned = channel.isOwned
    switch content.kind {
    case .channel: (ownKey, relayKey) = (channel.isOwned ? content.trustAnchor : identityKey, nil)
    case .group: (ownKey, relayKey) = (identityKey, content.trustAnchor)
    }
    ourKeys = Set([ownKey, identityKey].compactMap { $0 })
  }

  /// The kinds that are asked for in groups, where reactions and deletions name the group. Deletions by admins are among them.
  static let groupKinds: Set<Int> = [
    NostrPost.deletionKind, NostrPost.reactionKind, NostrPost.groupMessageKind, NostrPost.adminDeletionKind,
    GroupMembers.joinRequestKind,
  ]

  /// The kinds that live subscriptions to groups include: also that someone came or went.
  static let heardInGroups = groupKinds.union(GroupMembers.changingKinds)

  /// Everything that belongs to these channels, which are of one kind.
  /// - Parameter isLive: whether it is listened to.
  static func filter(_ kind: ChannelKind, _ networkIDs: [String], isLive: Bool = false) -> HistoryFilter {
    switch kind {
    case .channel: HistoryFilter(kinds: [NostrPost.channelMessageKind], tags: ["e": Set(networkIDs)])
    case .group: HistoryFilter(kinds: isLive ? heardInGroups : groupKinds, tags: ["h": Set(networkIDs)])
    }
  }

  /// The news in an event, or nothing if it is not worth reporting.
  /// - Parameter event: a verified event of this channel.
  func news(of event: NostrEvent, isLive: Bool) -> [MessageNews] {
    func news(_ what: MessageNews.What) -> MessageNews { MessageNews(channel: id, isLive: isLive, what: what) }
    switch event.kind {
    case NostrPost.channelMessageKind, NostrPost.groupMessageKind: return message(event).map { [news(.message($0))] } ?? []
    case NostrPost.reactionKind: return reaction(event).map { [news(.reaction($0))] } ?? []
    case NostrPost.deletionKind:
      return event.deletedIDs.map { news(.deleted(networkID: $0, author: event.publicKey)) }
    case NostrPost.adminDeletionKind:
      // The relay itself may do so, and we in our own groups. The relay's list names everyone else with a role.
      guard event.publicKey != relayKey, !isOwned || event.publicKey != ownKey else {
        return event.deletedIDs.map { news(.deleted(networkID: $0, author: nil)) }
      }
      return event.deletedIDs.map { news(.removed(networkID: $0, by: event.publicKey)) }
    case GroupMembers.joinRequestKind:
      return [
        news(
          .joinRequest(
            ReadJoinRequest(
              networkID: event.id, author: event.publicKey, text: event.content.cut(toBytes: ReadJoinRequest.textMax),
              createdAt: Timestamp(seconds: max(0, event.createdAt)))))
      ]
    default: return []
    }
  }

  /// - Returns: `nil` if the text is too large.
  private func message(_ event: NostrEvent) -> ReadMessage? {
    guard event.content.utf8.count <= ReadMessage.textMax else { return nil }
    return ReadMessage(
      networkID: event.id, author: event.publicKey, text: event.content,
      createdAt: Timestamp(seconds: max(0, event.createdAt)), replyTo: answered(by: event), attachments: event.attachments,
      participants: kind == .channel ? Array(event.ids(of: "p").prefix(PostReference.participantsMax)) : [],
      isMention: mentionsUs(event), isOwn: event.publicKey == ownKey)
  }

  /// - Returns: `nil` if it names no event, or its text is too large.
  func reaction(_ event: NostrEvent) -> ReadReaction? {
    guard let target = event.reactionTarget, event.content.utf8.count <= ReadReaction.textMax else { return nil }
    return ReadReaction(
      networkID: event.id, target: target, author: event.publicKey, text: event.content.isEmpty ? "+" : event.content,
      isOwn: event.publicKey == ownKey)
  }

  private func mentionsUs(_ event: NostrEvent) -> Bool {
    guard !ourKeys.contains(event.publicKey) else { return false }
    return event.tags.contains { $0.count > 1 && $0[0] == "p" && ourKeys.contains($0[1]) }
      || !ourKeys.isDisjoint(with: PostLinks(in: event.content).people)
  }

  /// The message that another one answers: in groups the message that it quotes (NIP-C7), otherwise as in NIP-10.
  private func answered(by event: NostrEvent) -> String? {
    if kind == .group, let quoted = event.ids(of: "q").first { return quoted }
    let named = event.tags.filter { $0.count > 1 && $0[0] == "e" && $0[1] != networkID && NostrEvent.isID($0[1]) }
    if let reply = named.first(where: { $0.count > 3 && $0[3] == "reply" }) { return reply[1] }
    // Without marks, the last one counts. A mention answers nothing.
    let marks = event.tags.filter { $0.first == "e" && $0.count > 3 && !$0[3].isEmpty }
    return marks.isEmpty ? named.last?[1] : nil
  }
}

extension NostrEvent {
  /// The number of events that one request for deletion may name. The rest are left out.
  private static let deletedMax = 100
  private static let urlBytesMax = 1_000
  private static let altBytesMax = 1_000
  private static let mimeTypeBytesMax = 100

  static func isID(_ text: String) -> Bool { Hex.decode(text, count: 32) != nil }

  /// The events or keys that tags with this name have, each once, in their order.
  func ids(of name: String) -> [String] {
    var known: Set<String> = []
    return tags.compactMap { tag in
      guard tag.count > 1, tag[0] == name, Self.isID(tag[1]), known.insert(tag[1]).inserted else { return nil }
      return tag[1]
    }
  }

  /// The events that a request for deletion names.
  var deletedIDs: [String] { Array(ids(of: "e").prefix(Self.deletedMax)) }

  /// The event that a reaction is about: the last event that it names (NIP-25).
  var reactionTarget: String? {
    tags.last { $0.count > 1 && $0[0] == "e" }.flatMap { Self.isID($0[1]) ? $0[1] : nil }
  }

  /// The files that it shows (NIP-92).
  fileprivate var attachments: [ReadAttachment] {
    Array(tags.lazy.filter { $0.first == "imeta" }.compactMap(Self.attachment).prefix(ReadMessage.attachmentsMax))
  }

  private static func attachment(_ tag: [String]) -> ReadAttachment? {
    func fact(_ name: String) -> String? {
      tag.dropFirst().first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
    }
    guard let url = fact("url"), url.utf8.count <= urlBytesMax, url.hasPrefix("https://") || url.hasPrefix("http://") else {
      return nil
    }
    return ReadAttachment(
      url: url, mimeType: fact("m").flatMap { $0.utf8.count <= mimeTypeBytesMax ? $0 : nil },
      sizeBytes: fact("size").flatMap(Int64.init).flatMap { $0 >= 0 ? $0 : nil },
      altText: fact("alt").map { $0.cut(toBytes: altBytesMax) })
  }
}
