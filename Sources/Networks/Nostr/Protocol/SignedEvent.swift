internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// Why an event that was signed before is not published in a channel.
enum AdoptionFlaw: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLarge
  case notJSON(JSONParseError)
  case forged(NostrEvent.Flaw)
  case otherAuthor
  case otherKind(Int)
  case noRoot
  case severalRoots
  case otherChannel
  /// It has the tag of a group (NIP-29).
  case ofGroup
  /// It has a date after which relays drop it (NIP-40).
  case expires
  case beforeTheEpoch
  case tooFarAhead
  case controlCharacter
  case secretKey
  /// A deletion names no post, or several.
  case deletes(Int)
  case malformedTarget
  /// A deletion names the channel's own event, or one of its editions.
  case channelItself
  /// A deletion names something by its address (an `a` tag), which is not a post.
  case deletesAddress

  var description: String {
    switch self {
    case .tooLarge: "the event has more than \(SignedEvent.bytesMax) bytes"
    case .notJSON(let error): "the event is not JSON: \(error)"
    case .forged(let flaw): flaw.rawValue
    case .otherAuthor: "the event is signed by another key than the channel's, and Baton publishes only what its author signed"
    case .otherKind(let kind):
      "the event is of kind \(kind), but posts of channels are of kind \(NostrPost.channelMessageKind) and deletions of kind "
        + "\(NostrPost.deletionKind)"
    case .noRoot: "the event is in no channel: it has no 'e' tag that is marked as the root"
    case .severalRoots: "the event has several 'e' tags that are marked as the root, so readers disagree on its channel"
    case .otherChannel: "the event is in another channel. Import it there"
    case .ofGroup: "the event has an 'h' tag, so relays take it as part of a group"
    case .expires: "the event has an expiration date, after which relays drop it. Posts and deletions of Baton do not expire"
    case .beforeTheEpoch: "the event is dated before 1970"
    case .tooFarAhead: "the event is dated more than \(SignedEvent.aheadMax) seconds ahead. Import it when that time has come"
    case .controlCharacter: "the event holds a control character that relays read differently"
    case .secretKey: "the event contains a secret key (nsec1…), which every reader could use"
    case .deletes(let count):
      "the deletion names \(count) posts, and Baton imports only deletions of one post. Delete them with batonctl post delete"
    case .malformedTarget: "the deletion names a post by something that is not an event id"
    case .channelItself: "the deletion names the channel itself, so relays would delete the channel"
    case .deletesAddress: "the deletion has an 'a' tag, which names something that is not a post"
    }
  }
}

/// Events that were signed before, as people export them.
enum SignedEvent {
  /// Upper bound of an event as text, in bytes. Everything that Baton publishes is smaller.
  static let bytesMax = 256 << 10
  /// The number of seconds by which an event may be dated ahead, as new posts may be.
  static let aheadMax: Int64 = 60

  /// Reads and verifies a post or deletion that the author of a channel signed.
  /// - Parameters:
  ///   - channel: a public channel.
  ///   - now: Unix time in seconds.
  /// - Returns: the post or deletion. Its document is exactly the signed event, without anything else that stood in the text.
  static func read(_ text: String, in channel: ChannelContent, at now: Int64) throws(AdoptionFlaw) -> SignedPost {
    guard text.utf8.count <= bytesMax else { throw .tooLarge }
    let json: JSONValue
    do throws(JSONParseError) { json = try JSONParser.parse(text) } catch { throw .notJSON(error) }
    guard let event = NostrEvent(json: json) else { throw .forged(.malformed) }
    guard event.publicKey == channel.trustAnchor else { throw .otherAuthor }
    do throws(NostrEvent.Flaw) { try event.verify() } catch { throw .forged(error) }
    guard event.createdAt >= 0 else { throw .beforeTheEpoch }
    guard event.createdAt <= now + aheadMax else { throw .tooFarAhead }
    let texts = event.tags.joined() + [event.content]
    guard texts.allSatisfy(NostrEvent.isSignable) else { throw .controlCharacter }
    guard !texts.contains(where: PostLinks.holdsSecretKey) else { throw .secretKey }
    guard event.tag("h") == nil else { throw .ofGroup }
    guard !event.tags.contains(where: { $0.first == "expiration" }) else { throw .expires }
    switch event.kind {
    case NostrPost.channelMessageKind: return .post(try message(event, in: channel))
    case NostrPost.deletionKind: return .deletion(PostDocument(event), of: try target(of: event, in: channel))
    default: throw .otherKind(event.kind)
    }
  }

  private static func message(_ event: NostrEvent, in channel: ChannelContent) throws(AdoptionFlaw) -> SignedPost.Message {
    let roots = event.marked("root")
    guard let root = roots.first else { throw .noRoot }
    guard roots.count == 1 else { throw .severalRoots }
    guard root == channel.networkID else { throw .otherChannel }
    let quotes = event.values(of: "q").filter(isID)
    return SignedPost.Message(
      document: PostDocument(event), text: event.content, date: Timestamp(seconds: event.createdAt),
      replyTo: event.marked("reply").first(where: isID), quotes: Array(quotes.prefix(PostDraft.quotesMax)))
  }

  private static func target(of event: NostrEvent, in channel: ChannelContent) throws(AdoptionFlaw) -> String {
    guard !event.tags.contains(where: { $0.first == "a" }) else { throw .deletesAddress }
    let ids = event.values(of: "e")
    guard ids.allSatisfy(isID) else { throw .malformedTarget }
    guard channel.ownIDs.isDisjoint(with: ids) else { throw .channelItself }
    guard let id = ids.first, ids.count == 1 else { throw .deletes(ids.count) }
    return id
  }

  private static func isID(_ text: String) -> Bool { Hex.decode(text, count: 32) != nil }
}

extension NostrEvent {
  /// The events that 'e' tags with this mark name (NIP-10).
  fileprivate func marked(_ mark: String) -> [String] {
    tags.filter { $0.count > 3 && $0[0] == "e" && $0[3] == mark }.map { $0[1] }
  }

  /// The values of all tags of this name, each once, in their order.
  fileprivate func values(of name: String) -> [String] {
    var known: Set<String> = []
    return tags.filter { $0.count > 1 && $0[0] == name }.map { $0[1] }.filter { known.insert($0).inserted }
  }
}
