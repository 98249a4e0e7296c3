public import Channels

extension RelayID {
  /// Stands for a network as a whole, where it reads a channel from no relay in particular. No relay has this number.
  public static let network = RelayID(rawValue: 0)
}

/// A channel whose messages are read from its relays, or, where only members read, through the network.
public struct FollowedChannel: Hashable, Sendable {
  public let id: ChannelID
  public let content: ChannelContent
  /// Normal addresses of the relays from which it is read. Empty for someone else's channel that was joined.
  public let relays: [RelayID: String]
  public let window: MessageWindow
  /// Whether it is one of our own channels. Someone else's channel is read as anyone reads it.
  public let isOwned: Bool

  public init(
    id: ChannelID, content: ChannelContent, relays: [RelayID: String], window: MessageWindow = MessageWindow(),
    isOwned: Bool = true
  ) {
    self.isOwned = isOwned
    self.id = id
    self.content = content
    self.relays = relays
    self.window = window
  }

  /// The places that report how far the channel was read: its relays, or the network as a whole.
  /// - Parameter asMember: whether readers of someone else's channel on its network are members of it (`RelayAddressing.readsAsMember`).
  public func places(asMember: Bool) -> Set<RelayID> { asMember && !isOwned ? [.network] : Set(relays.keys) }
}

/// How many of the earlier messages are read.
public struct MessageWindow: Hashable, Sendable {
  /// How old messages may be, in days, or `nil` for any age.
  public var days: Int?
  /// How many messages of a channel are read from one relay, the newest ones.
  public var count: Int

  public init(days: Int? = 30, count: Int = 1_000) {
    self.days = days
    self.count = count
  }
}

/// Data that a network has read from a relay, in reading order. The network reads at most a few batches ahead of the last processed batch
/// (`RelayNetwork.took`).
public struct MessageBatch: Hashable, Sendable {
  public struct ID: Hashable, Sendable {
    public let network: NetworkKind
    /// Counts the batches of the network.
    public let number: Int

    public init(network: NetworkKind, number: Int) {
      self.network = network
      self.number = number
    }
  }
  public let id: ID
  /// The relay that it is from, or `nil` if the network does not report one.
  public let relay: RelayID?
  public let news: [MessageNews]

  public init(id: ID, relay: RelayID?, news: [MessageNews]) {
    self.id = id
    self.relay = relay
    self.news = news
  }
}

/// The messages of a channel that a relay has served, when it was asked for all. A network that has read them asks with it for all others
/// that are stored: whichever relay served a message, each may hold deletions of it and reactions to it, which are found by its name.
public struct MessageInventory: Hashable, Sendable {
  public let network: NetworkKind
  public let channel: ChannelID
  public let relay: RelayID
  /// Distinguishes the questions of one network about a relay.
  public let number: Int
  /// The network's names of the messages.
  public let served: Set<String>

  public init(network: NetworkKind, channel: ChannelID, relay: RelayID, number: Int, served: Set<String>) {
    self.network = network
    self.channel = channel
    self.relay = relay
    self.number = number
    self.served = served
  }

  /// How many messages an answer names, the newest ones, and how many reactions.
  public static let missingMax = 20_000
}

/// The outcome of asking a relay for a channel's messages.
public enum MessageSync: Hashable, Sendable {
  /// Everything that the relay serves within the window was read and processed.
  case complete
  /// The relay could not be asked, or does not show the channel to readers.
  case failed(Trouble)
}

/// A question for the messages of a followed channel that hold certain words, for its relays.
public struct RelaySearch: Hashable, Sendable {
  public let channel: ChannelID
  /// Distinguishes questions.
  public let number: Int
  /// The words, in the relays' own way of reading them.
  public let text: String

  public init(channel: ChannelID, number: Int, text: String) {
    self.channel = channel
    self.number = number
    self.text = text
  }
}

/// The outcome of a `RelaySearch` at one relay.
public enum RelaySearchOutcome: Hashable, Sendable {
  /// All messages that the relay found were read and processed.
  case complete
  /// The relay does not offer search.
  case notOffered
  /// The relay could not be asked, or did not answer.
  case failed(Trouble)
}

// Networks that cannot read messages implement none of this.
extension RelayNetwork {
  public func follow(_ channel: FollowedChannel) {}
  public func unfollow(_ channel: ChannelID) {}
  public func took(_ batch: MessageBatch.ID) {}
  public func sync(_ channel: ChannelID) {}
  public func lacks(_ missing: StoredNames, in inventory: MessageInventory) {}
  public func search(_ search: RelaySearch) {}
}
