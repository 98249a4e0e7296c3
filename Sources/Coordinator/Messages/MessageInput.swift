internal import Channels
internal import RelayNetwork
internal import Storage

/// An input of the task that reads messages.
enum MessageInput: Sendable {
  /// What a network has read.
  case read(MessageBatch)
  /// A relay was asked for all that it holds of a channel's messages.
  case synced(ChannelID, RelayID, MessageSync)
  /// A relay was asked for messages with certain words.
  case searched(ChannelID, RelayID, number: Int, RelaySearchOutcome)
  /// A relay has served these messages of a channel; its network waits to know which ones are missing.
  case served(MessageInventory)
  /// A channel was created, changed or deleted, or got a relay, or left one.
  case channelChanged(ChannelID)
  /// It is not known what has changed: look at all channels again.
  case everythingChanged
  /// Posts have changed.
  case postsChanged
  /// Another daemon has stored what someone decided.
  case decisionsChanged
  case markRead(ChannelID, through: MessageID?, Reply<ConversationRow>)
  /// - channel: that of the message.
  case markUnread(MessageID, in: ChannelID, Reply<ConversationRow>)
  /// Leave a conversation out of the inbox, or show it again.
  case hide(ChannelID, Bool, Reply<ConversationRow>)
  /// Hide a message, or show it again.
  case hideMessage(MessageID, Bool, Reply<Void>)
  /// Pin a message, or take that away.
  case pinMessage(MessageID, Bool, Reply<Void>)
  /// Hide the messages of an author, or show them again.
  case mute(String, Bool, Reply<Void>)
  /// Leave out that someone asks to be let into a channel; the reply says whether they did.
  case decline(String, in: ChannelID, Reply<Bool>)
  /// Answers once what was decided about a channel before is stored.
  case settle(ChannelID, Reply<Void>)
  /// Ask the relays of a channel; the reply comes when each has answered, or failed to: whether all were read.
  case sync(ChannelID, number: Int, Reply<Bool>)
  /// Ask the relays of a channel for messages with certain words; the reply comes when each has answered, or failed to.
  case search(RelaySearch, Reply<[RelayID: RelaySearchOutcome]>)
  /// No one waits for this `sync` or `search` any more.
  case syncEnded(ChannelID, number: Int)
  /// Something is due.
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
