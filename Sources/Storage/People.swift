public import Channels

/// A person who wrote a stored message, who is muted, or who belongs to a channel.
public struct StoredPerson: Hashable, Sendable {
  /// In the network's notation.
  public var author: String
  /// The name that they use, as far as known. Anyone may use any name.
  public var name: String?
  /// The name at a domain that they claim. No one has checked it.
  public var domainName: String?
  /// Since when their messages are hidden, or `nil` if they are not.
  public var mutedAt: Timestamp?
  /// How many of their messages are stored, in one channel if the question was about one.
  public var messages: Int
  /// The channels in which they wrote, by id, at most `channelsMax`.
  public var channels: [ChannelID]
  /// Their last message, and the time of it that people are shown, in one channel if the question was about one. `nil` without messages.
  public var last: MessageID?
  public var lastAt: Timestamp?

  public static let channelsMax = 100

  public init(
    author: String, name: String? = nil, domainName: String? = nil, mutedAt: Timestamp? = nil, messages: Int = 0,
    channels: [ChannelID] = [],
    last: MessageID? = nil, lastAt: Timestamp? = nil
  ) {
    self.author = author
    self.name = name
    self.domainName = domainName
    self.mutedAt = mutedAt
    self.messages = messages
    self.channels = channels
    self.last = last
    self.lastAt = lastAt
  }
}

/// A question for people, the latest author first.
public struct PeopleQuestion: Hashable, Sendable {
  /// Where a page ended.
  public struct Place: Hashable, Sendable {
    /// The minute of the last message, or 0 without one.
    public var minute: Int64
    public var author: String

    public init(minute: Int64, author: String) {
      self.minute = minute
      self.author = author
    }
  }
  /// Only people who wrote in this channel. With `text`, also its members.
  public var channel: ChannelID?
  /// Only people whose name contains this, in any case and with any accents, or whose author begins with it. Members of channels who wrote
  /// nothing are among them, after all others.
  public var text: String?
  /// Only muted people, or only people who are not muted.
  public var isMuted: Bool?
  public var after: Place?
  public var limit: Int

  public init(channel: ChannelID? = nil, text: String? = nil, isMuted: Bool? = nil, after: Place? = nil, limit: Int) {
    self.channel = channel
    self.text = text
    self.isMuted = isMuted
    self.after = after
    self.limit = limit
  }
}

public struct PeoplePage: Hashable, Sendable {
  public var people: [StoredPerson]
  /// Where the next page begins, or `nil` on the last.
  public var next: PeopleQuestion.Place?

  public init(people: [StoredPerson], next: PeopleQuestion.Place? = nil) {
    self.people = people
    self.next = next
  }
}
