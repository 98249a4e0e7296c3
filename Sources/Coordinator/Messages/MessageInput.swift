internal import Channels
internal import RelayNetwork
internal import Storage

/// An input of the task that reads messages.
enum MessageInput: Sendable {
  /// Messages that a network has read.
  case read(MessageBatch)
  /// A relay's messages of a channel were read, or that failed.
  case synced(ChannelID, RelayID, MessageSync)
  /// A relay was searched for messages.
  case searched(ChannelID, RelayID, number: Int, RelaySearchOutcome)
  /// A relay has served these messages of a channel. Its network waits for the missing ones.
  case served(MessageInventory)
  /// A channel was created, changed or deleted, or got a relay, or left one.
  case channelChanged(ChannelID)
  /// It is unknown which channels have changed: check all of them.
  case everythingChanged
  /// Posts have changed.
  case postsChanged
  /// Another daemon has stored a decision.
  case decisionsChanged
  case markRead(ChannelID, through: MessageID?, Reply<ConversationRow>)
  /// - channel: the message's channel.
  case markUnread(MessageID, in: ChannelID, Reply<ConversationRow>)
  /// Leave a conversation out of the inbox, or show it again.
  case hide(ChannelID, Bool, Reply<ConversationRow>)
  /// Hide a message, or show it again.
  case hideMessage(MessageID, Bool, Reply<Void>)
  /// Pin a message, or unpin it.
  case pinMessage(MessageID, Bool, Reply<Void>)
  /// Hide the messages of an author, or show them again.
  case mute(String, Bool, Reply<Void>)
  /// Leave a request to join a channel out of lists. The reply is whether there was one.
  case decline(String, in: ChannelID, Reply<Bool>)
  /// Answers once earlier decisions about a channel are stored.
  case settle(ChannelID, Reply<Void>)
  /// Read the relays of a channel. The reply follows when each has answered or failed, and is whether all were read.
  case sync(ChannelID, number: Int, Reply<Bool>)
  /// Search messages on a channel's relays. The reply follows when each has answered or failed.
  case search(RelaySearch, Reply<[RelayID: RelaySearchOutcome]>)
  /// This `sync` or `search` has reached its time limit.
  case syncEnded(ChannelID, number: Int)
  /// An alarm is due.
  case timersDue
  /// There is more to do than one turn does.
  case goOn
  /// Answers once everything before it is done.
  case barrier(Reply<Void>)

  /// Answers a request that will not be carried out.
  func refuse(_ error: BatonError) {
    switch self {
    case .markRead(_, _, let reply), .markUnread(_, _, let reply), .hide(_, _, let reply): reply.send(.failure(error))
    case .sync(_, _, let reply), .decline(_, _, let reply): reply.send(.failure(error))
    case .search(_, let reply): reply.send(.failure(error))
    case .barrier(let reply), .settle(_, let reply), .hideMessage(_, _, let reply), .pinMessage(_, _, let reply),
      .mute(_, _, let reply):
      reply.send(.failure(error))
    case .read, .synced, .searched, .served, .channelChanged, .everythingChanged, .postsChanged, .decisionsChanged, .syncEnded,
      .timersDue, .goOn:
      break
    }
  }
}
