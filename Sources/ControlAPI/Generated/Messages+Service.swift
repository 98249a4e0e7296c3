// Written by `make generate` from org.batond.Messages.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Messages`.
public enum MessagesMethod: String, InterfaceMethod {
  case list = "org.batond.Messages.List"
  case get = "org.batond.Messages.Get"
  case search = "org.batond.Messages.Search"
  case inbox = "org.batond.Messages.Inbox"
  case markRead = "org.batond.Messages.MarkRead"
  case markUnread = "org.batond.Messages.MarkUnread"
  case setHidden = "org.batond.Messages.SetHidden"
  case setPinned = "org.batond.Messages.SetPinned"
  case sync = "org.batond.Messages.Sync"
  case searchRelays = "org.batond.Messages.SearchRelays"
  case watch = "org.batond.Messages.Watch"
}

/// What a server of `org.batond.Messages` does.
public protocol MessagesService: InterfaceService where Method == MessagesMethod, Refusal == MessagesRefusal {
  /// Returns a page of messages, the last one first. Live messages are in order of arrival, and messages that Baton read later are in order of
  /// time. The order never changes. Every reply comes immediately from the database: conversation shows how fresh the data is, and Sync asks
  /// the relays. A channel without a conversation has no messages. If the daemon reads no messages, a list of all channels is empty, and a
  /// request for one channel is refused with NotFollowed.
  func list(_ request: MessagesListRequest) async throws -> MessagesListReply
  /// Returns one message.
  func get(_ request: MessagesGetRequest) async throws -> MessageReply
  /// Returns messages that contain all the words, regardless of case and accents. A * at the end of a word matches any ending. Words in
  /// quotation marks must be next to each other. If the daemon reads no messages, a search of all channels finds none.
  func search(_ request: MessagesSearchRequest) async throws -> MessagesSearchReply
  /// Returns conversations that have a message, the one with the last message first. A conversation that gets a message while you read pages
  /// moves to the front. If the daemon reads no messages, there are no conversations.
  func inbox(_ request: MessagesInboxRequest) async throws -> MessagesInboxReply
  /// Marks messages of a channel as read: all up to one in order of arrival, or all of them.
  func markRead(_ request: MessagesMarkReadRequest) async throws -> ConversationReply
  /// Marks a message, and everything that arrived after it, as unread. Own messages, and messages from before Baton began to read the channel,
  /// remain read.
  func markUnread(_ request: MessagesMarkUnreadRequest) async throws -> ConversationReply
  /// Hides a message in Baton, or shows it again. Pages, searches, counts and previews leave a hidden message out. Relays and other readers
  /// continue to show it, and its replies and reactions remain. Baton's own posts and deleted messages are refused with InvalidMessage.
  func setHidden(_ request: MessagesSetHiddenRequest) async throws -> MessageReply
  /// Pins a message in Baton, or removes its pin. List can return only the pinned messages, and Baton does not drop them when a channel has too
  /// many messages. The pin is not shown to anyone else. Deleted messages, and more than 100 pins in a channel, are refused with
  /// InvalidMessage.
  func setPinned(_ request: MessagesSetPinnedRequest) async throws -> MessageReply
  /// Asks the relays of a channel for everything that they serve within the window that Baton reads. Returns when each relay has answered or
  /// failed, or when the time is up.
  func sync(_ request: MessagesSyncRequest) async throws -> MessagesSyncReply
  /// Searches the relays of a channel that announce search (NIP-50). Returns when each relay has answered or failed, or when the time is up.
  /// Baton stores the messages found like all others, as far as there is room, even if they are older than the window. Search then finds them.
  /// A relay returns at most 200 messages, applies its own idea of a match, and sees the words. Refused with NotSupported on SimpleX, where
  /// relays do not search.
  func searchRelays(_ request: MessagesSearchRelaysRequest) async throws -> MessagesSearchRelaysReply
  /// Sends messages and conversations that change, each in its state at the time of sending. A slow client misses none, and gets each object
  /// once for several changes. The first reply has the revision from which Watch continues, unless since is given. Messages that were dropped
  /// because there are too many, and messages of a deleted channel, are not sent again. If the daemon reads no messages, none are sent.
  /// - Parameter stream: takes all replies but the last one.
  func watch(
    _ request: MessagesWatchRequest, _ stream: ReplyStream<MessagesWatchReply>
  ) async throws -> MessagesWatchReply
}

extension MessagesService {
  public func answer(
    _ method: MessagesMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .list: return try await list(call.request())
    case .get: return try await get(call.request())
    case .search: return try await search(call.request())
    case .inbox: return try await inbox(call.request())
    case .markRead: return try await markRead(call.request())
    case .markUnread: return try await markUnread(call.request())
    case .setHidden: return try await setHidden(call.request())
    case .setPinned: return try await setPinned(call.request())
    case .sync: return try await sync(call.request())
    case .searchRelays: return try await searchRelays(call.request())
    case .watch: return try await watch(call.request(), ReplyStream(stream))
    }
  }
}
