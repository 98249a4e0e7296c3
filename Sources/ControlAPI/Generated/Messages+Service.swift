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
  /// A page of messages, the last one first. The order is that of arrival for what came as it was said, and that of time for what was read
  /// later; it never changes. Every answer comes from the database at once: conversation says how fresh it is, and Sync asks the relays.
  /// A channel that has no conversation has no messages. If the daemon reads no messages, there are none of all channels together, and
  /// whatever is asked of one channel is refused with NotFollowed.
  func list(_ request: MessagesListRequest) async throws -> MessagesListReply
  /// One message.
  func get(_ request: MessagesGetRequest) async throws -> MessageReply
  /// Messages that hold all of the words, whatever their case and accents. A word that ends in * may go on; what stands between quotation
  /// marks is next to each other. If the daemon reads no messages, none of all channels together hold them.
  func search(_ request: MessagesSearchRequest) async throws -> MessagesSearchReply
  /// Conversations that have a message, the one with the last message first. A conversation that gets a message while pages are read moves to
  /// the front. If the daemon reads no messages, there are no conversations.
  func inbox(_ request: MessagesInboxRequest) async throws -> MessagesInboxReply
  /// Marks messages of a channel as read: all up to one, in the order of arrival, or all there are.
  func markRead(_ request: MessagesMarkReadRequest) async throws -> ConversationReply
  /// Marks a message, and everything that arrived after it, as unread. Own messages, and those from before Baton began to read the channel,
  /// stay read.
  func markUnread(_ request: MessagesMarkUnreadRequest) async throws -> ConversationReply
  /// Hides a message here, or shows it again: pages, searches, counts and previews do without it. Relays and other readers go on showing it, and
  /// replies and reactions to it stay. Posts of Baton's own and messages that were deleted are refused with InvalidMessage.
  func setHidden(_ request: MessagesSetHiddenRequest) async throws -> MessageReply
  /// Pins a message here, or takes that away: List has those that are pinned, and they are not dropped when a channel has too many messages. No one
  /// else learns of it. Messages that were deleted, and more than 100 of a channel, are refused with InvalidMessage.
  func setPinned(_ request: MessagesSetPinnedRequest) async throws -> MessageReply
  /// Asks the relays of a channel for everything that they serve within the window that is read, and returns when each has answered, or
  /// failed to, or time is up.
  func sync(_ request: MessagesSyncRequest) async throws -> MessagesSyncReply
  /// Has those relays of a channel look for words that say that they search (NIP-50), and returns when each has answered, or failed to, or
  /// time is up. What they find is stored like all else that is read, as far as there is room, also what is older than the window; then
  /// Search finds it. A relay gives at most 200 messages, has its own idea of what fits, and learns the words. Refused with NotSupported on
  /// SimpleX, where relays do not search.
  func searchRelays(_ request: MessagesSearchRelaysRequest) async throws -> MessagesSearchRelaysReply
  /// Sends messages and conversations that change, each as it is when its turn comes: a client that reads slowly misses none, and sees each
  /// once for several changes. The first reply has the revision from which it goes on, unless since says so. Messages that were dropped
  /// because there are too many, and those of a channel that was deleted, are not sent again. If the daemon reads no messages, none are sent.
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
