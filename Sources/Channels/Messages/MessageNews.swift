/// Something that was read in a channel. It was verified as far as its network allows that.
public struct MessageNews: Hashable, Sendable {
  public enum What: Hashable, Sendable {
    case message(ReadMessage)
    /// The message, or the reaction, with this name says something else from now on.
    case edited(networkID: String, text: String)
    /// The message, or the reaction, with this name was deleted.
    /// - author: who asked for it: it counts only if they are the author. `nil` if the network itself says that it is gone, or that a
    ///   moderator removed it.
    case deleted(networkID: String, author: String?)
    /// The message with this name was deleted as moderators do, which counts if `by` has a role in the channel, or wrote it.
    case removed(networkID: String, by: String)
    case reaction(ReadReaction)
    /// What someone who wrote in the channel, or belongs to it, calls themselves.
    case profile(ReadProfile)
    case members(ReadMembers)
    /// How many people belong to the channel, where its network does not say who.
    case memberCount(Int)
    case joinRequest(ReadJoinRequest)
  }
  public let channel: ChannelID
  /// Whether it came as it was said. What was asked for may be of any age.
  public let isLive: Bool
  public let what: What

  public init(channel: ChannelID, isLive: Bool, what: What) {
    self.channel = channel
    self.isLive = isLive
    self.what = what
  }
}

/// A message as it was read. Anyone may have written anything there, except where it says otherwise.
public struct ReadMessage: Hashable, Sendable {
  /// What the network calls it: on Nostr the id of its event; on SimpleX as in `PostDocument.networkID`.
  public let networkID: String
  /// In the network's notation: on Nostr a public key, which was verified.
  public let author: String
  /// What the author calls itself, if the network says so along with the message.
  public let authorName: String?
  /// At most `textMax` bytes; it may hold control characters.
  public let text: String
  /// When it was written, by the author's own account.
  public let createdAt: Timestamp
  /// The network's name of the message that this one answers.
  public let replyTo: String?
  public let attachments: [ReadAttachment]
  /// Whom it names, in the network's notation, as far as they hear of answers to it.
  public let participants: [String]
  /// Whether it speaks to whoever runs the channel, by a key of ours.
  public let isMention: Bool
  /// Whether it was signed by a key of ours.
  public let isOwn: Bool

  /// The size of the largest text that is taken, in UTF-8 bytes.
  public static let textMax = 65_536
  /// The number of attachments that are taken; others are left out.
  public static let attachmentsMax = 10

  public init(
    networkID: String, author: String, authorName: String? = nil, text: String, createdAt: Timestamp, replyTo: String? = nil,
    attachments: [ReadAttachment] = [], participants: [String] = [], isMention: Bool = false, isOwn: Bool = false
  ) {
    self.networkID = networkID
    self.author = author
    self.authorName = authorName
    self.text = text
    self.createdAt = createdAt
    self.replyTo = replyTo
    self.attachments = attachments
    self.participants = participants
    self.isMention = isMention
    self.isOwn = isOwn
  }
}

/// A file that a message shows.
public struct ReadAttachment: Hashable, Sendable {
  /// An http or https address, or on SimpleX the name of a file; at most 1,000 bytes.
  public let url: String
  /// At most 100 bytes.
  public let mimeType: String?
  public let sizeBytes: Int64?
  /// What it shows, at most 1,000 bytes.
  public let altText: String?

  public init(url: String, mimeType: String? = nil, sizeBytes: Int64? = nil, altText: String? = nil) {
    self.url = url
    self.mimeType = mimeType
    self.sizeBytes = sizeBytes
    self.altText = altText
  }
}

/// What someone says about a message without words.
public struct ReadReaction: Hashable, Sendable {
  /// The network's name of the reaction; where reactions have none, one that follows from message, author and text.
  public let networkID: String
  /// The network's name of the message.
  public let target: String
  public let author: String
  /// Such as `+`, an emoji or `:shortcode:`; at most 64 bytes.
  public let text: String
  /// Whether it was signed by a key of ours.
  public let isOwn: Bool

  /// The size of the largest text that is taken, in UTF-8 bytes.
  public static let textMax = 64

  public init(networkID: String, target: String, author: String, text: String, isOwn: Bool = false) {
    self.networkID = networkID
    self.target = target
    self.author = author
    self.text = text
    self.isOwn = isOwn
  }
}

/// What someone calls themselves. Anyone may take any name.
public struct ReadProfile: Hashable, Sendable {
  /// In the network's notation: on Nostr a public key, which was verified.
  public let author: String
  /// At most `nameMax` bytes; it may hold control characters.
  public let name: String
  /// The name at a domain that they claim, such as `ada@example.com`; at most `domainNameMax` bytes of printable ASCII. No one has checked it.
  public let domainName: String?
  /// Since when, by their own account. What they called themselves before counts no more.
  public let createdAt: Timestamp

  /// The size of the longest name that is taken, in UTF-8 bytes; longer ones are cut.
  public static let nameMax = 100
  /// The size of the longest name at a domain that is taken, in UTF-8 bytes; longer ones are left out.
  public static let domainNameMax = 200

  public init(author: String, name: String, domainName: String? = nil, createdAt: Timestamp) {
    self.domainName = domainName
    self.author = author
    self.name = name
    self.createdAt = createdAt
  }
}

/// The network's names of the stored messages of a channel.
public struct StoredNames: Hashable, Sendable {
  public var messages: [String]
  public var reactions: [String]

  public init(messages: [String] = [], reactions: [String] = []) {
    self.messages = messages
    self.reactions = reactions
  }
}
