internal import Channels
internal import RelayNetwork

extension NostrPost {
  /// A report (kind 1984, NIP-56) of a message in a channel or group. It is public, and names its author.
  /// - Parameters:
  ///   - author: the key that signs.
  ///   - attempt: used in groups only.
  /// - Throws: `PostRefusal` for the field `text`.
  static func report(
    _ report: Report, of target: PostReference, in channel: ChannelContent, by author: String, attempt: Attempt = Attempt()
  ) throws(PostRefusal) -> NostrPost {
    guard report.words.utf8.count <= Report.wordsBytesMax else {
      throw PostRefusal(.text, "the words of a report have at most \(Report.wordsBytesMax) bytes. Shorten them")
    }
    guard NostrEvent.isSignable(report.words) else {
      throw PostRefusal(.text, "the words hold control characters that relays read differently. Remove them")
    }
    guard !PostLinks.holdsSecretKey(report.words) else {
      throw PostRefusal(.text, "the words contain a secret key (nsec1…), which every reader could use. Remove it")
    }
    guard target.isOfNostr, !channel.ownIDs.contains(target.networkID) else {
      throw PostRefusal(.text, "only messages can be reported. Name one")
    }
    let tags = [["e", target.networkID, report.category.rawValue], ["p", target.author]]
    return NostrPost(
      author: author, kind: reportKind, tags: attempt.around(tags, in: channel), content: report.words)
  }
}
