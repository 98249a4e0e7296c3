internal import Channels
internal import RelayNetwork

/// The posts and people that a draft names, in the notation of Nostr.
struct PostNames {
  let parent: PostReference?
  /// Each post once.
  let quotes: [PostReference]
  /// Public keys.
  let mentions: [String]

  /// - Parameter links: the links in the draft's text.
  /// - Throws: `PostRefusal` if a name is not one of Nostr's, the parent is the channel itself, or names and links are too many together.
  init(of draft: PostDraft, _ links: PostLinks, in channel: ChannelContent) throws(PostRefusal) {
    if let parent = draft.replyTo {
      guard parent.isOfNostr else {
        throw PostRefusal(.replyTo, "the parent's id and author must have 64 lower-case hexadecimal digits each")
      }
      guard !channel.ownIDs.contains(parent.networkID) else {
        throw PostRefusal(
          .replyTo, "the parent is the channel itself. Leave it out, because a post without parent answers the channel")
      }
    }
    var quotes: [PostReference] = []
    for (index, quote) in draft.quotes.enumerated() {
      guard quote.isOfNostr else {
        throw PostRefusal(
          .quotes, "the id and the author of quote \(index + 1) must have 64 lower-case hexadecimal digits each")
      }
      if !quotes.contains(where: { $0.networkID == quote.networkID }) { quotes.append(quote) }
    }
    var mentions: [String] = []
    for (index, mention) in draft.mentions.enumerated() {
      guard let key = Self.publicKey(mention) else {
        throw PostRefusal(
          .mentions, "mention \(index + 1) is not a public key. Write npub1…, nprofile1… or 64 hexadecimal digits")
      }
      mentions.append(key)
    }
    // Each link becomes a tag like each name, and the lists alone keep their bounds.
    let linkedOrQuoted = Set(quotes.map(\.networkID) + links.events.map(\.id))
    try Self.check(linkedOrQuoted.count, "quotes", "posts", max: PostDraft.quotesMax)
    try Self.check(Set(mentions + links.people).count, "mentions", "people", max: PostDraft.mentionsMax)
    parent = draft.replyTo
    self.quotes = quotes
    self.mentions = mentions
  }

  private static func check(_ count: Int, _ verb: String, _ things: String, max: Int) throws(PostRefusal) {
    guard count <= max else {
      throw PostRefusal(
        .text, "with the links in its text the post \(verb) \(count) \(things), at most \(max) are allowed. Remove links")
    }
  }

  /// The author of the parent and everyone that it mentions. Strangers may have written anything there, and any number.
  var concerned: [String] {
    guard let parent else { return [] }
    var known: Set<String> = [parent.author]
    let people = parent.participants.filter { Hex.decode($0, count: 32) != nil && known.insert($0).inserted }
    return [parent.author] + people.prefix(PostReference.participantsMax)
  }

  /// Reads a public key as people write it.
  static func publicKey(_ text: String) -> String? {
    let link = HumanText.link(text)
    guard let name = NIP19.name(inLink: link, NIP19.personMarks) else {
      let key = link.lowercased()
      return Hex.decode(key, count: 32) == nil ? nil : key
    }
    switch try? NIP19(name) {
    case .npub(let key), .nprofile(let key, _): return key
    case .nsec, .note, .nevent, .naddr, nil: return nil
    }
  }
}

extension ChannelContent {
  /// The ids of the events that are the channel itself, and not posts: to delete them is to delete the channel. They are empty for a group,
  /// because a group is not one of our events.
  var ownIDs: Set<String> {
    guard kind == .channel else { return [] }
    return Set([networkID] + (newestEdition.map { [$0.networkID] + $0.earlier } ?? []))
  }
}

extension PostReference {
  /// Whether id and author have the form of Nostr.
  var isOfNostr: Bool { Hex.decode(networkID, count: 32) != nil && Hex.decode(author, count: 32) != nil }

  /// The relays to which readers are sent: none is guessed.
  private var hints: [String] { relays.filter { (try? RelayURL($0)) != nil } }

  /// The relay in tags about this post, or empty if it was not read back.
  var hint: String { hints.first ?? "" }

  /// The link to the post (NIP-21).
  var link: String {
    let relays = Array(hints.prefix(PublicChannel.hintsMax))
    return "nostr:"
      + NIP19.nevent(id: networkID, relays: relays, author: author, kind: kind.flatMap { UInt32(exactly: $0) }).text
  }
}
