internal import Channels
internal import RelayNetwork

extension NostrPost {
  /// An answer to a post without words.
  enum Reaction: Hashable, Sendable {
    case like, dislike
    /// One emoji of Unicode.
    case emoji(String)
    /// A picture, with the shortcode that stands for it.
    case custom(shortcode: String, url: String)

    /// - Throws: `PostRefusal` if the draft has a picture for something else, or none for its shortcode.
    init(_ draft: ReactionDraft) throws(PostRefusal) {
      let text = draft.text
      if let (shortcode, url) = draft.emoji.min(by: { $0.key < $1.key }) {
        guard draft.emoji.count == 1, text == ":\(shortcode):" else {
          throw PostRefusal(
            .emoji, "the reaction must be the shortcode of its picture between colons. Correct one")
        }
        self = .custom(shortcode: shortcode, url: url)
      } else if text == "+" {
        self = .like
      } else if text == "-" {
        self = .dislike
      } else {
        guard text.utf8.count < 2 || text.utf8.first != UInt8(ascii: ":") || text.utf8.last != UInt8(ascii: ":") else {
          throw PostRefusal(.emoji, "a shortcode between colons stands for a picture. Give its address")
        }
        self = .emoji(text)
      }
    }

    /// How NIP-25 writes it.
    fileprivate var content: String {
      switch self {
      case .like: "+"
      case .dislike: "-"
      case .emoji(let emoji): emoji
      case .custom(let shortcode, _): ":\(shortcode):"
      }
    }

    fileprivate var tags: [[String]] {
      switch self {
      case .like, .dislike, .emoji: []
      case .custom(let shortcode, let url): [PostTags.emojiTag(shortcode, url)]
      }
    }

    fileprivate func validate() throws(PostRefusal) {
      switch self {
      case .like, .dislike: break
      case .emoji(let emoji):
        guard Self.isEmoji(emoji) else {
          throw PostRefusal(.reaction, "the reaction is not one emoji. Write one, or '+' or '-'")
        }
      case .custom(let shortcode, let url):
        try PostDraft.check(shortcode: shortcode, url: url, .reaction)
        guard !PostLinks.holdsSecretKey(url) else {
          throw PostRefusal(
            .reaction, "the address of the emoji contains a secret key (nsec1…), which every reader could use. Remove it")
        }
      }
    }

    /// The most bytes of one emoji: families and flags are long.
    private static let emojiBytesMax = 64

    /// Digits are the beginning of emoji: they are one in the form of a keycap, and neither by themselves nor with an accent.
    private static func isEmoji(_ text: String) -> Bool {
      text.count == 1 && text.utf8.count <= emojiBytesMax && NostrEvent.isSignable(text)
        && text.unicodeScalars.first?.properties.isEmoji == true
        && text.unicodeScalars.contains { $0.properties.isEmoji && !$0.isASCII || $0 == keycap }
    }

    private static let keycap: Unicode.Scalar = "\u{20E3}"
  }

  /// A reaction (kind 7, NIP-25) to a post of a channel or group.
  /// - Parameters:
  ///   - target: the post. The reaction names its kind where that is known.
  ///   - author: the key that signs.
  ///   - attempt: used in groups only.
  /// - Throws: `PostRefusal` for the field `reaction`.
  static func reaction(
    _ reaction: Reaction, to target: PostReference, in channel: ChannelContent, by author: String, attempt: Attempt = Attempt()
  ) throws(PostRefusal) -> NostrPost {
    try reaction.validate()
    guard target.isOfNostr else {
      throw PostRefusal(.reaction, "the post's id and author must have 64 lower-case hexadecimal digits each")
    }
    guard !channel.ownIDs.contains(target.networkID) else {
      throw PostRefusal(.reaction, "only posts can be reacted to, and this is the channel itself. Name one of its posts")
    }
    let about = [["p", target.author]] + (target.kind.map { [["k", "\($0)"]] } ?? []) + reaction.tags
    // The last `e` counts.
    let place = [["e", target.networkID, target.hint, target.author]]
    return NostrPost(
      author: author, kind: reactionKind, tags: attempt.around(about, in: channel) + place, content: reaction.content)
  }
}
