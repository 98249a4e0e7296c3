/// A post that an owner wants to publish in a channel, before the network gives it a form.
public struct PostDraft: Hashable, Sendable {
  /// The text as readers see it. Its only control characters are line feed and tab.
  public var text: String
  /// The post that this one answers.
  public var replyTo: PostReference?
  /// The posts that this one quotes. The network adds to the text what readers need to find them, unless it is there.
  public var quotes: [PostReference]
  /// The public names of people whom the post mentions, in the network's notation. People whom the text links need not be here.
  public var mentions: [String]
  /// Why readers may prefer not to look; empty for a warning that gives no reason, `nil` for no warning.
  public var contentWarning: String?
  /// Words under which the post is found, without `#`.
  public var hashtags: [String]
  /// The addresses of pictures, by the shortcodes that stand for them in the text as `:shortcode:`.
  public var emoji: [String: String]
  /// Files that the post shows. The network adds an address to the text that is not in it.
  public var attachments: [Attachment]

  public init(
    text: String, replyTo: PostReference? = nil, quotes: [PostReference] = [], mentions: [String] = [],
    contentWarning: String? = nil, hashtags: [String] = [], emoji: [String: String] = [:], attachments: [Attachment] = []
  ) {
    self.text = text
    self.replyTo = replyTo
    self.quotes = quotes
    self.mentions = mentions
    self.contentWarning = contentWarning
    self.hashtags = hashtags
    self.emoji = emoji
    self.attachments = attachments
  }
}

extension PostDraft {
  /// Upper bound of `text`, in UTF-8 bytes: half of the 64 KiB that common relays take, because JSON writes some characters with two
  /// bytes and a post has more than text.
  public static let textBytesMax = 32_768
  /// Upper bound of `quotes`. Where links in the text become quotes, it holds for both together.
  public static let quotesMax = 20
  /// Upper bound of `mentions`. Where links in the text become mentions, it holds for both together.
  public static let mentionsMax = 50
  /// Upper bound of `contentWarning`, in UTF-8 bytes.
  public static let contentWarningBytesMax = 500
  public static let hashtagsMax = 30
  /// Upper bound of one hashtag, in UTF-8 bytes.
  public static let hashtagBytesMax = 100
  public static let emojiMax = 50
  /// Upper bound of one shortcode, in bytes.
  public static let shortcodeBytesMax = 50
  public static let attachmentsMax = 10
  /// Upper bound of each address, in UTF-8 bytes. With the word that precedes it, it fits into the 1,024 bytes that relays take for one
  /// value of a tag.
  public static let urlBytesMax = 1_000
  /// Upper bound of names of posts and people, in UTF-8 bytes.
  public static let nameBytesMax = 1_000
}

/// A post that is already on the network, as others refer to it.
public struct PostReference: Hashable, Sendable {
  /// The network's name for the post (nostr: the id of its event).
  public var networkID: String
  /// The public name of its author, in the network's notation.
  public var author: String
  /// What sort of post it is, in the network's numbers (nostr: the kind of its event); `nil` if that is not known.
  public var kind: Int?
  /// Normal addresses of the relays where the post was read back, best first. Readers are sent to these and to no others.
  public var relays: [String]
  /// The public names of the people whom the post mentions: they hear of replies to it.
  public var participants: [String]

  /// Upper bound of the participants who hear of a reply. A post of a stranger may name any number; those beyond are left out.
  public static let participantsMax = 50

  public init(
    networkID: String, author: String, kind: Int? = nil, relays: [String] = [], participants: [String] = []
  ) {
    self.networkID = networkID
    self.author = author
    self.kind = kind
    self.relays = relays
    self.participants = participants
  }
}

extension PostDraft {
  /// A file that a post shows. It is found by its address; relays never hold it.
  public struct Attachment: Hashable, Sendable {
    /// Width and height of a picture or film, in pixels.
    public struct Dimensions: Hashable, Sendable {
      public var width: Int
      public var height: Int

      public init(width: Int, height: Int) {
        self.width = width
        self.height = height
      }
    }

    /// The http or https address.
    public var url: String
    /// The SHA-256 of the file, 64 hexadecimal digits.
    public var sha256: String?
    /// The type and subtype, such as `image/jpeg`.
    public var mimeType: String?
    /// The size of the file in bytes.
    public var sizeBytes: Int64?
    public var dimensions: Dimensions?
    /// A description for those who cannot see the file.
    public var altText: String?
    /// A blurred preview, in the notation of blurha.sh.
    public var blurhash: String?
    /// Other addresses of the same file, best first.
    public var fallbacks: [String]

    /// Upper bound of `altText`, in UTF-8 bytes.
    public static let altTextBytesMax = 1_000
    public static let fallbacksMax = 4
    /// Upper bound of width and height.
    public static let pixelsMax = 1_000_000

    public init(
      url: String, sha256: String? = nil, mimeType: String? = nil, sizeBytes: Int64? = nil, dimensions: Dimensions? = nil,
      altText: String? = nil, blurhash: String? = nil, fallbacks: [String] = []
    ) {
      self.url = url
      self.sha256 = sha256
      self.mimeType = mimeType
      self.sizeBytes = sizeBytes
      self.dimensions = dimensions
      self.altText = altText
      self.blurhash = blurhash
      self.fallbacks = fallbacks
    }
  }
}

/// A post cannot be published as it is.
public struct PostRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The field that must be changed.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    case text, replyTo, quotes, mentions, contentWarning, hashtags, emoji, attachments, reaction
  }
  public let field: Field
  /// A sentence that says what is wrong and what to change. It repeats nothing that could hold control characters.
  public let reason: String

  public init(_ field: Field, _ reason: String) {
    self.field = field
    self.reason = reason
  }

  public var description: String { "\(field.rawValue): \(reason)" }
}
