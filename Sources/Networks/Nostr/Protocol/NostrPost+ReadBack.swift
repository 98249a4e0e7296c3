/// The fault of an event that a relay serves as ours.
enum ReadBackFlaw: Error, Hashable, Sendable, CustomStringConvertible {
  case forged(NostrEvent.Flaw)
  case otherAuthor
  case otherKind
  /// It is in another channel or group.
  case otherChannel
  /// It has other words or tags than the signed event.
  case otherContent
  /// It has the same content as the signed event, but another id.
  case otherEvent

  var description: String {
    switch self {
    case .forged(let flaw): flaw.rawValue
    case .otherAuthor: "the event is signed by someone else"
    case .otherKind: "the event is of another kind"
    case .otherChannel: "the event is in another channel"
    case .otherContent: "the event has another content or other tags"
    case .otherEvent: "the event has the same content, but another id"
    }
  }
}

extension NostrPost {
  /// Checks whether an event that a relay serves is this one: form, id and signature as of channels, then author, kind, channel, content.
  /// - Parameter signed: the event that was signed, or `nil` if it may have been signed again, as in groups, so that any date will do.
  func check(_ served: NostrEvent, signed: NostrEvent? = nil) throws(ReadBackFlaw) {
    do throws(NostrEvent.Flaw) {
      try served.verify(unlessItIs: signed?.text)
    } catch {
      throw .forged(error)
    }
    guard served.publicKey == author else { throw .otherAuthor }
    guard served.kind == kind else { throw .otherKind }
    guard Self.channelTag(of: served.tags) == Self.channelTag(of: tags) else { throw .otherChannel }
    guard Self.bytes(served, tags: served.tags, content: served.content) == Self.bytes(served, tags: tags, content: content)
    else { throw .otherContent }
    if let signed, served.id != signed.id { throw .otherEvent }
  }

  /// The tag that shows where an event belongs: the root of a channel, or the group. `nil` for events that name neither.
  private static func channelTag(of tags: [[String]]) -> [String]? {
    tags.first { $0.count > 3 && $0[0] == "e" && $0[3] == "root" || $0.count > 1 && $0[0] == "h" }.map { Array($0.prefix(2)) }
  }

  /// Tags and content in the form that is hashed, with the date of one event. Bytes count, because Swift treats some different texts as
  /// equal.
  private static func bytes(_ dated: NostrEvent, tags: [[String]], content: String) -> [UInt8] {
    NostrEvent.serialized(
      publicKey: dated.publicKey, createdAt: dated.createdAt, kind: dated.kind, tags: tags, content: content)
  }
}
