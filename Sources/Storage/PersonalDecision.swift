public import Channels

/// Someone's decision about other people's messages. It uses the relays' names of messages and the keys of people, so that it applies to
/// messages that are read again, and in every daemon.
public struct PersonalDecision: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A channel was read up to the date `at`, and up to the message called `message`.
    case read
    /// A message is hidden.
    case hidden
    /// A message is pinned.
    case pinned
    /// The messages of someone are hidden, in all channels.
    case muted
    /// Someone's requests to join the channel, up to that time, do not count.
    case declined
    /// A channel is left out of the inbox, until it gets a message that is not older.
    case channelHidden
  }
  public var kind: Kind
  /// 0 for `muted`.
  public var channel: ChannelID
  /// The name of the message, or the key of the person. Empty for decisions about the channel as a whole.
  public var name: String
  /// `nil` once it is withdrawn.
  public var at: Timestamp?
  /// Only for `read`. `nil` if there was nothing to read.
  public var message: String?
  /// Its place among all decisions, which storage gives it.
  public var revision: Int64

  public init(
    _ kind: Kind, channel: ChannelID = ChannelID(rawValue: 0), name: String = "", at: Timestamp?, message: String? = nil,
    revision: Int64 = 0
  ) {
    self.kind = kind
    self.channel = channel
    self.name = name
    self.at = at
    self.message = message
    self.revision = revision
  }
}

/// The storage that all daemons share for people's decisions. The rules of `CoordinatorStorage` hold.
public protocol DecisionStorage: Sendable {
  /// Makes decisions durable (`StoreMutation.decide`), among other writes. See `CoordinatorStorage`.
  @discardableResult
  func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt

  /// Decisions after `revision`, oldest first, at most `limit`, without replaced decisions, but with withdrawn ones.
  func decisions(after revision: Int64, limit: Int) async throws -> [PersonalDecision]
}
