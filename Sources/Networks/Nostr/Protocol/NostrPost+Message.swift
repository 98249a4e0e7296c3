internal import Channels
internal import RelayNetwork

extension NostrPost {
  /// Gives a draft its form: kind 42 in a channel (NIP-28), kind 9 in a group (NIP-29, NIP-C7).
  /// - Parameters:
  ///   - channel: where it is published.
  ///   - relays: normal addresses of the relays where the channel was read back, best first. Groups do not use them.
  ///   - author: the key that signs.
  ///   - attempt: used in groups only.
  /// - Throws: `PostRefusal` with the change to make in the draft.
  init(
    _ draft: PostDraft, in channel: ChannelContent, at relays: [String] = [], by author: String, attempt: Attempt = Attempt()
  ) throws(PostRefusal) {
    try draft.validate()
    for (field, words, text) in draft.published where PostLinks.holdsSecretKey(text) {
      throw PostRefusal(field, "\(words) contains a secret key (nsec1…), which every reader could use. Remove it")
    }
    let links = PostLinks(in: draft.text)
    let names = try PostNames(of: draft, links, in: channel)
    switch channel.kind {
    case .channel:
      let root = PostReference(networkID: channel.networkID, author: channel.trustAnchor, relays: relays)
      self = Self.channelMessage(draft, names, links, root: root, by: author)
    case .group: self = Self.groupMessage(draft, names, links, in: channel, by: author, attempt)
    }
  }

  /// Exactly one tag is marked as the root. Replies notify the people who wrote the parent, or were mentioned in it.
  private static func channelMessage(
    _ draft: PostDraft, _ names: PostNames, _ links: PostLinks, root: PostReference, by author: String
  ) -> NostrPost {
    var tags = [["e", root.networkID, root.hint, "root"]]
    if let parent = names.parent { tags.append(["e", parent.networkID, parent.hint, "reply", parent.author]) }
    tags += PostTags.quotes(names.quotes, links)
    tags += PostTags.people(names.concerned + names.mentions + links.people, except: author)
    let additions = names.quotes.filter { !links.names($0) }.map(\.link) + missing(draft)
    return NostrPost(
      author: author, kind: channelMessageKind, tags: tags + PostTags.extras(of: draft),
      content: ([draft.text] + additions).lines)
  }

  /// A reply in a group is a post that quotes its parent, with the link above its own text. The parent's author is notified.
  private static func groupMessage(
    _ draft: PostDraft, _ names: PostNames, _ links: PostLinks, in group: ChannelContent, by author: String, _ attempt: Attempt
  ) -> NostrPost {
    let quotes = names.quotes.filter { $0.networkID != names.parent?.networkID }
    let parent = names.parent.map { [$0] } ?? []
    let above = parent.filter { !links.names($0) }.map(\.link)
    let below = quotes.filter { !links.names($0) }.map(\.link) + missing(draft)
    let tags =
      PostTags.quotes(parent + quotes, links)
      + PostTags.people(parent.map(\.author) + names.mentions + links.people, except: author)
      + PostTags.extras(of: draft)
    return NostrPost(
      author: author, kind: groupMessageKind, tags: attempt.around(tags, in: group),
      content: (above + [draft.text] + below).lines)
  }

  /// The addresses of attachments that are not in the text: readers may ignore a file whose address is not there (NIP-92).
  private static func missing(_ draft: PostDraft) -> [String] {
    draft.attachments.map(\.url).filter { !PostLinks.holds(draft.text, url: $0) }
  }
}

extension PostDraft {
  /// All texts that are published unchanged, with their fields and the words for them.
  fileprivate var published: [(field: PostRefusal.Field, words: String, text: String)] {
    [(.text, "the text", text), (.contentWarning, "the warning", contentWarning ?? "")]
      + hashtags.enumerated().map { (.hashtags, "hashtag \($0 + 1)", $1) }
      + emoji.sorted { $0.key < $1.key }.map { (.emoji, "the address of the emoji '\($0.key)'", $0.value) }
      + attachments.enumerated().flatMap { index, file in
        [
          ("the address", file.url), ("the description", file.altText ?? ""),
          ("another address", file.fallbacks.joined(separator: " ")),
        ]
        .map { (.attachments, "\($0) of attachment \(index + 1)", $1) }
      }
  }
}

extension [String] {
  /// The texts below each other. Empty texts add no line.
  fileprivate var lines: String {
    reduce(into: "") { text, line in
      if !text.isEmpty, !line.isEmpty, text.utf8.last != UInt8(ascii: "\n") { text += "\n" }
      text += line
    }
  }
}

extension NostrPost.Attempt {
  /// In groups, these tags behind the tag of the group to which an event belongs (NIP-29), and before the tag by which this attempt is
  /// found again. In channels, these tags alone.
  func around(_ tags: [[String]], in channel: ChannelContent) -> [[String]] {
    guard channel.kind == .group else { return tags }
    return [["h", channel.networkID]] + tags + (clientID.map { $0.isEmpty ? [] : [[Self.clientTag, $0]] } ?? [])
  }
}
