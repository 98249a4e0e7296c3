public import Channels
public import RelayNetwork
public import Storage
internal import StrictJSON

/// A request to publish a post.
public struct PostRequest: Hashable, Sendable {
  public var channel: ChannelID
  public var text: String
  /// The post of the same channel that this one answers.
  public var replyTo: PostID?
  /// The post of the same channel that this one replaces.
  public var replaces: PostID?
  /// Baton's posts that this one quotes.
  public var quotes: [PostID]
  /// The public names of people that the post mentions.
  public var mentions: [String]
  public var contentWarning: String?
  public var hashtags: [String]
  public var emoji: [String: String]
  public var attachments: [PostDraft.Attachment]
  /// The same key with the same request gives the same post; 1 to 200 bytes.
  public var idempotencyKey: String?
  /// The time of day of publication. `nil` means immediately.
  public var at: Timestamp?
  /// How late it may still be published, in seconds. `nil` means `toleranceDefault`.
  public var tolerance: Int?
  /// Whether it is only stored until it is released.
  public var isDraft: Bool
  /// The post of the same channel that this one is a reaction to. `text` is the reaction, and `emoji` has its picture, if any.
  public var reactionTo: PostID?
  /// The other person's message in the channel that the post answers, or is a reaction to.
  public var about: AboutMessage?
  /// Details of that message at the time of the request.
  public var aboutPlace: MessagePlace?
  /// The refusal, unless an earlier request was granted. `nil` if it is not refused.
  public var refusalIfNew: BatonError?

  public init(
    channel: ChannelID, text: String, replyTo: PostID? = nil, replaces: PostID? = nil, quotes: [PostID] = [],
    mentions: [String] = [], contentWarning: String? = nil, hashtags: [String] = [], emoji: [String: String] = [:],
    attachments: [PostDraft.Attachment] = [], idempotencyKey: String? = nil, at: Timestamp? = nil, tolerance: Int? = nil,
    isDraft: Bool = false, reactionTo: PostID? = nil, about: AboutMessage? = nil, aboutPlace: MessagePlace? = nil
  ) {
    self.channel = channel
    self.text = text
    self.replyTo = replyTo
    self.replaces = replaces
    self.quotes = quotes
    self.mentions = mentions
    self.contentWarning = contentWarning
    self.hashtags = hashtags
    self.emoji = emoji
    self.attachments = attachments
    self.idempotencyKey = idempotencyKey
    self.at = at
    self.tolerance = tolerance
    self.isDraft = isDraft
    self.reactionTo = reactionTo
    self.about = about
    self.aboutPlace = aboutPlace
  }
}

extension PostRequest {
  /// - Throws: `invalidPost` if the key is not valid.
  func checkKey() throws(BatonError) {
    guard let key = idempotencyKey else { return }
    let max = ChannelRequest.idempotencyKeyBytesMax
    guard (1...max).contains(key.utf8.count), key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw .post(
        .invalidPost(field: "idempotencyKey", reason: "it must have 1 to \(max) bytes and no control characters. Change it"))
    }
  }

  /// The draft for the network, without the posts that it answers or quotes.
  var draft: PostDraft {
    PostDraft(
      text: text, mentions: mentions, contentWarning: contentWarning, hashtags: hashtags, emoji: emoji, attachments: attachments
    )
  }

  /// Equal for equal requests, so that another request with the same key is noticed.
  var digest: String { ContentDigest.of(json(withPlace: false).bytes) }

  /// Everything except the key, as it is stored.
  var json: JSONValue { json(withPlace: true) }

  /// - Parameter withPlace: whether it includes the place of the message that the post is about, which a repeated request may know better.
  private func json(withPlace: Bool) -> JSONValue {
    var members: [String: JSONValue] = [
      "channel": .integer(channel.rawValue), "text": .string(text), "quotes": .array(quotes.map { .integer($0.rawValue) }),
      "mentions": .array(mentions.map(JSONValue.string)), "hashtags": .array(hashtags.map(JSONValue.string)),
      "emoji": .object(emoji.mapValues(JSONValue.string)), "attachments": .array(attachments.map(\.json)),
    ]
    members["replyTo"] = replyTo.map { .integer($0.rawValue) }
    members["replaces"] = replaces.map { .integer($0.rawValue) }
    members["contentWarning"] = contentWarning.map(JSONValue.string)
    members["at"] = at.map { .integer($0.milliseconds) }
    members["tolerance"] = tolerance.map { .integer(Int64($0)) }
    if isDraft { members["draft"] = true }
    members["reactionTo"] = reactionTo.map { .integer($0.rawValue) }
    members["about"] = about?.json
    if withPlace { members["aboutPlace"] = aboutPlace?.json }
    return .object(members)
  }
}

extension PostDraft.Attachment {
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = ["url": .string(url), "fallbacks": .array(fallbacks.map(JSONValue.string))]
    members["sha256"] = sha256.map(JSONValue.string)
    members["mimeType"] = mimeType.map(JSONValue.string)
    members["sizeBytes"] = sizeBytes.map(JSONValue.integer)
    members["dimensions"] = dimensions.map { .array([.integer(Int64($0.width)), .integer(Int64($0.height))]) }
    members["altText"] = altText.map(JSONValue.string)
    members["blurhash"] = blurhash.map(JSONValue.string)
    return .object(members)
  }
}
