// Written by `make generate` from org.batond.Messages.varlink.

public import ControlAPI

extension BatonClient {
  /// The calls of `org.batond.Messages`.
  public var messages: MessagesClient { MessagesClient(client: self) }
}

/// Calls the methods of `org.batond.Messages`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `MessagesRefusal` turns into a case with fields.
public struct MessagesClient: Sendable {
  let client: BatonClient

  /// Returns a page of messages, the last one first. Live messages are in order of arrival, and messages that Baton read later are in order of
  /// time. The order never changes. Every reply comes immediately from the database: conversation shows how fresh the data is, and Sync asks
  /// the relays. A channel without a conversation has no messages. If the daemon reads no messages, a list of all channels is empty, and a
  /// request for one channel is refused with NotFollowed.
  public func list(_ request: MessagesListRequest = MessagesListRequest()) async throws -> MessagesListReply {
    try await client.reply(to: MessagesMethod.list, request)
  }

  /// Returns one message.
  public func get(_ request: MessagesGetRequest) async throws -> Message {
    let reply: MessageReply = try await client.reply(to: MessagesMethod.get, request)
    return reply.message
  }

  /// Returns one message.
  public func get(id: Int64) async throws -> Message {
    try await get(MessagesGetRequest(id: id))
  }

  /// Returns messages that contain all the words, regardless of case and accents. A * at the end of a word matches any ending. Words in
  /// quotation marks must be next to each other. If the daemon reads no messages, a search of all channels finds none.
  public func search(_ request: MessagesSearchRequest) async throws -> MessagesSearchReply {
    try await client.reply(to: MessagesMethod.search, request)
  }

  /// Returns conversations that have a message, the one with the last message first. A conversation that gets a message while you read pages
  /// moves to the front. If the daemon reads no messages, there are no conversations.
  public func inbox(_ request: MessagesInboxRequest = MessagesInboxRequest()) async throws -> MessagesInboxReply {
    try await client.reply(to: MessagesMethod.inbox, request)
  }

  /// Marks messages of a channel as read: all up to one in order of arrival, or all of them.
  public func markRead(_ request: MessagesMarkReadRequest) async throws -> Conversation {
    let reply: ConversationReply = try await client.reply(to: MessagesMethod.markRead, request)
    return reply.conversation
  }

  /// Marks messages of a channel as read: all up to one in order of arrival, or all of them.
  public func markRead(channelId: Int64, through: Int? = nil) async throws -> Conversation {
    try await markRead(MessagesMarkReadRequest(channelId: channelId, through: through))
  }

  /// Marks a message, and everything that arrived after it, as unread. Own messages, and messages from before Baton began to read the channel,
  /// remain read.
  public func markUnread(_ request: MessagesMarkUnreadRequest) async throws -> Conversation {
    let reply: ConversationReply = try await client.reply(to: MessagesMethod.markUnread, request)
    return reply.conversation
  }

  /// Marks a message, and everything that arrived after it, as unread. Own messages, and messages from before Baton began to read the channel,
  /// remain read.
  public func markUnread(id: Int64) async throws -> Conversation {
    try await markUnread(MessagesMarkUnreadRequest(id: id))
  }

  /// Hides a message in Baton, or shows it again. Pages, searches, counts and previews leave a hidden message out. Relays and other readers
  /// continue to show it, and its replies and reactions remain. Baton's own posts and deleted messages are refused with InvalidMessage.
  public func setHidden(_ request: MessagesSetHiddenRequest) async throws -> Message {
    let reply: MessageReply = try await client.reply(to: MessagesMethod.setHidden, request)
    return reply.message
  }

  /// Hides a message in Baton, or shows it again. Pages, searches, counts and previews leave a hidden message out. Relays and other readers
  /// continue to show it, and its replies and reactions remain. Baton's own posts and deleted messages are refused with InvalidMessage.
  public func setHidden(id: Int64, hidden: Bool) async throws -> Message {
    try await setHidden(MessagesSetHiddenRequest(id: id, hidden: hidden))
  }

  /// Pins a message in Baton, or removes its pin. List can return only the pinned messages, and Baton does not drop them when a channel has too
  /// many messages. The pin is not shown to anyone else. Deleted messages, and more than 100 pins in a channel, are refused with
  /// InvalidMessage.
  public func setPinned(_ request: MessagesSetPinnedRequest) async throws -> Message {
    let reply: MessageReply = try await client.reply(to: MessagesMethod.setPinned, request)
    return reply.message
  }

  /// Pins a message in Baton, or removes its pin. List can return only the pinned messages, and Baton does not drop them when a channel has too
  /// many messages. The pin is not shown to anyone else. Deleted messages, and more than 100 pins in a channel, are refused with
  /// InvalidMessage.
  public func setPinned(id: Int64, pinned: Bool) async throws -> Message {
    try await setPinned(MessagesSetPinnedRequest(id: id, pinned: pinned))
  }

  /// Asks the relays of a channel for everything that they serve within the window that Baton reads. Returns when each relay has answered or
  /// failed, or when the time is up.
  public func sync(_ request: MessagesSyncRequest) async throws -> MessagesSyncReply {
    try await client.reply(to: MessagesMethod.sync, request)
  }

  /// Asks the relays of a channel for everything that they serve within the window that Baton reads. Returns when each relay has answered or
  /// failed, or when the time is up.
  public func sync(channelId: Int64, timeout: Int? = nil) async throws -> MessagesSyncReply {
    try await sync(MessagesSyncRequest(channelId: channelId, timeout: timeout))
  }

  /// Searches the relays of a channel that announce search (NIP-50). Returns when each relay has answered or failed, or when the time is up.
  /// Baton stores the messages found like all others, as far as there is room, even if they are older than the window. Search then finds them.
  /// A relay returns at most 200 messages, applies its own idea of a match, and sees the words. Refused with NotSupported on SimpleX, where
  /// relays do not search.
  public func searchRelays(_ request: MessagesSearchRelaysRequest) async throws -> [SearchedRelay] {
    let reply: MessagesSearchRelaysReply = try await client.reply(to: MessagesMethod.searchRelays, request)
    return reply.relays
  }

  /// Searches the relays of a channel that announce search (NIP-50). Returns when each relay has answered or failed, or when the time is up.
  /// Baton stores the messages found like all others, as far as there is room, even if they are older than the window. Search then finds them.
  /// A relay returns at most 200 messages, applies its own idea of a match, and sees the words. Refused with NotSupported on SimpleX, where
  /// relays do not search.
  public func searchRelays(channelId: Int64, text: String, timeout: Int? = nil) async throws -> [SearchedRelay] {
    try await searchRelays(MessagesSearchRelaysRequest(channelId: channelId, text: text, timeout: timeout))
  }

  /// Sends messages and conversations that change, each in its state at the time of sending. A slow client misses none, and gets each object
  /// once for several changes. The first reply has the revision from which Watch continues, unless since is given. Messages that were dropped
  /// because there are too many, and messages of a deleted channel, are not sent again. If the daemon reads no messages, none are sent.
  public func watch(_ request: MessagesWatchRequest) async throws -> some AsyncSequence<MessagesWatchReply, any Error>
    & Sendable
  {
    try await client.replies(to: MessagesMethod.watch, request, of: MessagesWatchReply.self)
  }

  /// Sends messages and conversations that change, each in its state at the time of sending. A slow client misses none, and gets each object
  /// once for several changes. The first reply has the revision from which Watch continues, unless since is given. Messages that were dropped
  /// because there are too many, and messages of a deleted channel, are not sent again. If the daemon reads no messages, none are sent.
  public func watch(channelIds: [Int64]? = nil, since: Int64? = nil) async throws -> some AsyncSequence<
    MessagesWatchReply, any Error
  > & Sendable {
    try await watch(MessagesWatchRequest(channelIds: channelIds, since: since))
  }
}
