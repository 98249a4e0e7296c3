internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The pinned posts of a group: always the whole list, as the relay shows it (kind 39005) and as admins send it (kind 9010).
struct PinnedPosts: Hashable, Sendable {
  /// The number of entries up to which Baton adds to a list.
  static let entriesMax = 1_000

  /// The tags that name posts (`e`) and other events (`a`), in the order of the list. Others may have put them there, so nothing in them
  /// is changed.
  let entries: [[String]]

  init(entries: [[String]] = []) { self.entries = entries }

  /// - Parameter event: of kind 39005.
  init(_ event: NostrEvent) {
    entries = event.tags.filter { $0.count > 1 && ($0[0] == "e" || $0[0] == "a") }
  }

  func contains(_ id: String) -> Bool { entries.contains { Self.names(id, $0) } }

  func removing(_ id: String) -> PinnedPosts { PinnedPosts(entries: entries.filter { !Self.names(id, $0) }) }

  /// The list with one more post, at its end.
  func appending(_ id: String) -> PinnedPosts { PinnedPosts(entries: entries + [["e", id]]) }

  private static func names(_ id: String, _ tag: [String]) -> Bool { tag[0] == "e" && tag[1] == id }

  /// Why it cannot be sent, or `nil` if it can.
  /// - Parameter isLonger: whether it replaces a shorter list. A shorter list may replace one that is too long.
  func trouble(isLonger: Bool) -> Trouble? {
    guard !isLonger || entries.count <= Self.entriesMax else {
      return Trouble(
        .tooLarge,
        "the group would have \(entries.count) pinned posts, and Baton sends \(Self.entriesMax) at most. Unpin others")
    }
    guard entries.allSatisfy({ $0.allSatisfy(NostrEvent.isSignable) }) else {
      return Trouble(
        .protocol,
        "the relay's list of pinned posts holds control characters that relays read differently. Another admin must correct it")
    }
    return nil
  }
}

/// A change in a list of pinned posts.
struct PinChange: Hashable, Sendable {
  /// The id of the post's event.
  let target: String
  /// Whether the post is to be in the list.
  let isPinned: Bool
  /// The reason that the group's admins see. It may be empty.
  let reason: String

  init(target: String, isPinned: Bool, reason: String = "") {
    self.target = target
    self.isPinned = isPinned
    self.reason = reason
  }

  /// The list after the change, or `nil` if it is like that already.
  func applied(to list: PinnedPosts) -> PinnedPosts? {
    guard list.contains(target) != isPinned else { return nil }
    return isPinned ? list.appending(target) : list.removing(target)
  }
}

/// Reads the list of pinned posts that a relay serves for one group.
struct PinnedPostsReading: Sendable {
  enum Answer: Hashable, Sendable {
    /// The relay shows no list.
    case none
    case list(PinnedPosts)
    /// Its list is not credible.
    case flawed(Trouble)
  }

  private let id: String
  /// The key with which the relay signs the state of its groups.
  private let relayKey: String
  private var newest: NostrEvent?
  private var flaw: NostrEvent.Flaw?
  /// Whether something was served that the relay did not sign.
  private var hasForeign = false

  /// - Parameter group: must be a group.
  init(of group: ChannelContent) {
    id = group.networkID
    relayKey = group.trustAnchor
  }

  /// The filter for asking the relay, used alone: some relays refuse requests for their group events together with other kinds.
  var filter: JSONValue { ["kinds": [.integer(Int64(RelayGroup.pinsKind))], "#d": [.string(id)]] }

  /// Accepts an event that the relay serves, if it is such a list.
  mutating func take(_ event: NostrEvent) {
    guard event.kind == RelayGroup.pinsKind, event.tag("d") == id else { return }
    guard event.publicKey == relayKey else {
      // Anyone may have stored that.
      hasForeign = true
      return
    }
    if let newest, !event.isNewer(than: newest) { return }
    do throws(NostrEvent.Flaw) {
      try event.verify()
      newest = event
    } catch { flaw = error }
  }

  /// The relay's list, once it has served all.
  var answer: Answer {
    if let newest { return .list(PinnedPosts(newest)) }
    let what = "the relay's list of pinned posts is not"
    if let flaw { return .flawed(Trouble(.wrongIdentity, "\(what) genuine: \(flaw.rawValue)")) }
    // A list that is made as if the relay had no list would replace an existing one.
    return hasForeign ? .flawed(Trouble(.wrongIdentity, "\(what) signed by the relay's own key")) : .none
  }
}
