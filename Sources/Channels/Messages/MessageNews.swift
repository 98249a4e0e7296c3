/// An item that was read in a channel. It was verified as far as its network allows that.
public struct MessageNews: Hashable, Sendable {
  public enum What: Hashable, Sendable {
    case message(ReadMessage)
    /// The message, or the reaction, with this name has a new text.
    case edited(networkID: String, text: String)
    /// The message, or the reaction, with this name was deleted.
    /// - author: the person who asked for it, which counts only if they are the author. `nil` if the network itself reports that it is
    ///   gone, or that a moderator removed it.
    case deleted(networkID: String, author: String?)
    /// The message with this name was deleted by a moderator, which counts if `by` has a role in the channel, or wrote it.
    case removed(networkID: String, by: String)
    case reaction(ReadReaction)
    /// The chosen name of someone who wrote in the channel, or belongs to it.
    case profile(ReadProfile)
    case members(ReadMembers)
    /// How many people belong to the channel, where its network does not list them.
    case memberCount(Int)
    case joinRequest(ReadJoinRequest)
  }
  public let channel: ChannelID
  /// Whether it arrived as soon as it was written. Requested messages may be of any age.
  public let isLive: Bool
  public let what: What

  public init(channel: ChannelID, isLive: Bool, what: What) {
    self.channel = channel
    self.isLive = isLive
    self.what = what
  }
}

/// A message as it was read. Any text in it may be false, except where a field's comment says otherwise.
public struct ReadMessage: Hashable, Sendable {
  /// The network's name of the message: on Nostr the id of its event, on SimpleX as in `PostDocument.networkID`.
  public let networkID: String
  /// In the network's notation: on Nostr a public key, which was verified.
  public let author: String
  /// The author's chosen name, if the network has it in the message.
  public let authorName: String?
  /// At most `textMax` bytes. It may contain control characters.
  public let text: String
  /// When it was written, by the author's own account.
  public let createdAt: Timestamp
  /// The network's name of the message that this one answers.
  public let replyTo: String?
  public let attachments: [ReadAttachment]
  /// The people that it names, in the network's notation, as far as they are notified of answers to it.
  public let participants: [String]
  /// Whether it names one of our keys, and so speaks to the channel owner.
  public let isMention: Bool
  /// Whether it was signed by one of our keys.
  public let isOwn: Bool

  /// The size of the largest text that is stored, in UTF-8 bytes.
  public static let textMax = 65_536
  /// The number of attachments that are stored. Further ones are left out.
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
  /// An http or https address, or on SimpleX the name of a file. At most 1,000 bytes.
  public let url: String
  /// At most 100 bytes.
  public let mimeType: String?
  public let sizeBytes: Int64?
  /// A description of the content, at most 1,000 bytes.
  public let altText: String?

  public init(url: String, mimeType: String? = nil, sizeBytes: Int64? = nil, altText: String? = nil) {
    self.url = url
    self.mimeType = mimeType
    self.sizeBytes = sizeBytes
    self.altText = altText
  }
}

/// A person's response to a message, without words.
public struct ReadReaction: Hashable, Sendable {
  /// The network's name of the reaction. Where reactions have no names, one that follows from message, author and text.
  public let networkID: String
  /// The network's name of the message.
  public let target: String
  public let author: String
  /// Such as `+`, an emoji or `:shortcode:`. At most 64 bytes.
  public let text: String
  /// Whether it was signed by one of our keys.
  public let isOwn: Bool

  /// The size of the largest text that is stored, in UTF-8 bytes.
  public static let textMax = 64

  public init(networkID: String, target: String, author: String, text: String, isOwn: Bool = false) {
    self.networkID = networkID
    self.target = target
    self.author = author
    self.text = text
    self.isOwn = isOwn
  }
}

/// A person's chosen name. Anyone may choose any name.
public struct ReadProfile: Hashable, Sendable {
  /// In the network's notation: on Nostr a public key, which was verified.
  public let author: String
  /// At most `nameMax` bytes. It may contain control characters.
  public let name: String
  /// The name at a domain that they claim, such as `ada@example.com`, at most `domainNameMax` bytes of printable ASCII. No one has checked
  /// it.
  public let domainName: String?
  /// The time of the choice, by their own account. Earlier names no longer count.
  public let createdAt: Timestamp

  /// The size of the longest name that is stored, in UTF-8 bytes. Longer ones are cut.
  public static let nameMax = 100
  /// The size of the longest name at a domain that is stored, in UTF-8 bytes. Longer ones are left out.
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
