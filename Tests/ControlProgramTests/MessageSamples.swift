import ControlAPI

@testable import ControlProgram

/// Messages as a daemon sends them.
enum MessageSamples {
  static let time = "2026-11-21T14:52:33.464Z"
  static let author = String(repeating: "ab12", count: 16)
  /// What may be written with the wish to do harm.
  static let nasty = "a\u{1B}[2J\u{202E}b\r\nc\u{0}\t\u{2028}d\u{85}e 漢字 👩‍👩‍👧"

  static func message(_ id: Int64, _ text: String = "Is the bridge open?", name: String? = nil, own: Bool = false) -> Message {
    Message(
      id: id, channelId: 3, channelName: "City\nNews", network: "nostr", networkId: "e\(id)", author: author, authorName: name,
      text: text, own: own, mention: false, attachments: [], reactions: [], relayIds: [1], place: Int(id), time: time,
      createdAt: time, receivedAt: time, hidden: false, pinned: false, revision: id)
  }

  /// A message in which everything is from someone who wishes to do harm.
  static func nastyMessage(_ id: Int64, _ text: String = nasty) -> Message {
    var message = message(id, text, name: nasty)
    message.author = nasty
    message.networkId = nasty
    message.replyTo = 1
    message.mention = true
    message.editedAt = time
    message.attachments = [MessageAttachment(url: "https://e.example/\(nasty)", mimeType: nasty, sizeBytes: -1, altText: nasty)]
    message.reactions = [MessageReaction(reaction: nasty, count: 1 << 52, own: true)]
    message.post = OwnPost(id: 7, phase: nasty, summary: nasty, relayCount: 1 << 52, shownCount: -1)
    return message
  }

  static func conversation(
    unread: Int = 0, mentions: Int = 0, readThrough: Int = 0, relays: [Freshness] = []
  ) -> Conversation {
    Conversation(
      channelId: 3, channelName: "City\nNews", owned: true, unread: unread, unreadMentions: mentions, readThrough: readThrough,
      lastMessageAt: time, lastMessage: nasty, lastMessageId: 5, relays: relays, muted: false, pinned: false,
      hidden: false, revision: 9)
  }

  static func view(width: Int? = 80, namesChannel: Bool = false) -> MessageView {
    MessageView(
      terminal: Terminal(noColor: true), times: Times(isExact: true), width: width, namesChannel: namesChannel)
  }
}
