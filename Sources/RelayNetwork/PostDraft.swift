/// A post that an owner wants to publish in a channel, before the network gives it a form.
public struct PostDraft: Hashable, Sendable {
  /// The text as readers see it. Its only control characters are line feed and tab.
  public var text: String
  /// The post that this one answers.
  public var replyTo: PostReference?
  /// The posts that this one quotes. The network adds to the text what readers need to find them, unless it is there.
  public var quotes: [PostReference]
  /// The public names of people that the post mentions, in the network's notation. People that the text links need not be listed.
  public var mentions: [String]
  /// Why readers may prefer not to look. Empty for a warning without a reason, `nil` for no warning.
  public var contentWarning: String?
  /// Words under which the post is found, without `#`.
  public var hashtags: [String]
  /// The addresses of pictures, by the shortcodes that stand for them in the text as `:shortcode:`.
  public var emoji: [String: String]
  /// Files that the post shows. The network adds an address to the text that is not in it.
  public var attachments: [Attachment]
  /// Whether this draft is only a check that it could be published. Its form is dropped, and later posts take no account of it.
  public var isTrial = false

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
  /// Upper bound of `text`, in UTF-8 bytes: half of the 64 KiB that common relays accept, because JSON writes some characters with two
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
  /// Upper bound of each address, in UTF-8 bytes. With the word that precedes it, it fits into the 1,024 bytes that relays accept for one
  /// value of a tag.
  public static let urlBytesMax = 1_000
  /// Upper bound of names of posts and people, in UTF-8 bytes.
  public static let nameBytesMax = 1_000
}
