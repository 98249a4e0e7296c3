internal import RelayNetwork

/// Tags of posts.
enum PostTags {
  /// A tag for each post that is quoted or linked (NIP-10, NIP-18): first the draft's quotes, with author and place of reading back, then
  /// other posts that the text links.
  static func quotes(_ quotes: [PostReference], _ links: PostLinks) -> [[String]] {
    var tags = quotes.map { ["q", $0.networkID, $0.hint, $0.author] }
    var ids = Set(quotes.map(\.networkID))
    for event in links.events where ids.insert(event.id).inserted {
      tags.append(["q", event.id] + (event.author.map { ["", $0] } ?? []))
    }
    return tags
  }

  /// A tag for each person, once, in the order in which they are named.
  static func people(_ keys: [String], except author: String) -> [[String]] {
    var known: Set<String> = [author]
    return keys.filter { known.insert($0).inserted }.map { ["p", $0] }
  }

  /// The tags that are the same wherever the post is published.
  static func extras(of draft: PostDraft) -> [[String]] {
    var words: Set<String> = []
    let hashtags = draft.hashtags.map { $0.lowercased() }.filter { words.insert($0).inserted }.map { ["t", $0] }
    let warning = draft.contentWarning.map { [["content-warning"] + ($0.isEmpty ? [] : [$0])] } ?? []
    // Dictionaries have no order, and the same draft must have the same form.
    let emoji = draft.emoji.sorted { $0.key < $1.key }.map { emojiTag($0.key, $0.value) }
    return hashtags + warning + emoji + draft.attachments.compactMap(file)
  }

  /// A picture that stands for `:shortcode:` (NIP-30).
  static func emojiTag(_ shortcode: String, _ url: String) -> [String] { ["emoji", shortcode, url] }

  /// The facts about a file (NIP-92), or `nil` if only its address is known.
  private static func file(_ attachment: PostDraft.Attachment) -> [String]? {
    var facts: [String] = []
    func fact(_ name: String, _ value: String?) { if let value, !value.isEmpty { facts.append("\(name) \(value)") } }
    fact("m", attachment.mimeType?.lowercased())
    fact("x", attachment.sha256?.lowercased())
    fact("size", attachment.sizeBytes.map(String.init))
    fact("dim", attachment.dimensions.map { "\($0.width)x\($0.height)" })
    fact("alt", attachment.altText)
    fact("blurhash", attachment.blurhash)
    for fallback in attachment.fallbacks { fact("fallback", fallback) }
    return facts.isEmpty ? nil : ["imeta", "url \(attachment.url)"] + facts
  }
}
