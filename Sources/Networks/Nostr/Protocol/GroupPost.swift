internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// A post of a group as it is stored. Relays of groups take fresh events only (NIP-29), so each attempt to publish it is another event: it
/// says the same and has a date of its own. The ids of the attempts are kept, because any of them may be at the relay.
struct GroupPost: Hashable, Sendable, GroupNames {
  /// An event that was about to be sent.
  struct Attempt: Hashable, Sendable {
    let id: String
    /// In Unix seconds.
    let createdAt: Int64
  }

  /// What is published; it holds no date.
  let post: NostrPost
  /// The latest attempts, oldest first, each id once.
  private(set) var attempts: [Attempt] = []
  /// The id of the attempt that readers found; `nil` before that, and while there is a later attempt that was not found yet.
  private(set) var found: String?

  /// The number of attempts that are kept.
  static let attemptsMax = 32
  /// The kinds that are published like this.
  static let kinds: Set<Int> = [NostrPost.groupMessageKind, NostrPost.reactionKind, NostrPost.reportKind]

  init(_ post: NostrPost) { self.post = post }

  var author: String { post.author }
  var kind: Int { post.kind }

  /// The post with one more attempt, and the event to send.
  /// - Parameter seconds: the date of the event, in Unix seconds.
  func dated(at seconds: Int64) -> (post: GroupPost, event: DatedEvent) {
    let event = DatedEvent(post, createdAt: seconds)
    var next = self
    next.found = nil
    next.attempts.removeAll { $0.id == event.id }
    next.attempts.append(Attempt(id: event.id, createdAt: seconds))
    next.attempts.removeFirst(max(0, next.attempts.count - Self.attemptsMax))
    return (next, event)
  }

  /// The post once readers find this attempt; unchanged if it is none of its attempts.
  func found(_ id: String) -> GroupPost {
    var next = self
    if attempts.contains(where: { $0.id == id }) { next.found = id }
    return next
  }
}

/// An event that has its date and with it its id, and is not signed yet.
struct DatedEvent: Hashable, Sendable {
  let id: String
  let post: NostrPost
  /// In Unix seconds.
  let createdAt: Int64

  init(_ post: NostrPost, createdAt: Int64) {
    self.post = post
    self.createdAt = createdAt
    id = Hex.encode(
      NostrEvent.digest(
        publicKey: post.author, createdAt: createdAt, kind: post.kind, tags: post.tags, content: post.content))
  }

  /// An event of the same size, with a signature that is none.
  var unsigned: NostrEvent {
    NostrEvent(
      id: id, publicKey: post.author, createdAt: createdAt, kind: post.kind, tags: post.tags, content: post.content,
      signature: String(repeating: "0", count: 128))
  }
}

// MARK: - As stored

extension GroupPost {
  /// The form in which it is stored: an object of Baton's own, which no relay ever gets.
  var document: PostDocument {
    let members: [String: JSONValue] = [
      "kind": .integer(Int64(post.kind)), "tags": .array(post.tags.map { .array($0.map(JSONValue.string)) }),
      "content": .string(post.content),
    ]
    return PostDocument(networkID: id, author: post.author, text: JSONValue.object(members.merging(names) { $1 }).text)
  }

  /// Reads what `document` wrote.
  /// - Returns: `nil` if it is anything else: a member is missing or added, an id is not that of its attempt, or the names do not agree.
  init?(_ document: PostDocument) {
    guard let members = (try? JSONParser.parse(document.text))?.object, let kind = members["kind"]?.integer,
      let tags = members["tags"]?.array?.texts, let content = members["content"]?.string,
      let listed = members["attempts"]?.array, listed.count <= Self.attemptsMax,
      Set(members.keys).subtracting(["found"]) == ["kind", "tags", "content", "attempts"]
    else { return nil }
    let post = NostrPost(author: document.author, kind: Int(clamping: kind), tags: tags, content: content)
    guard Self.kinds.contains(post.kind), Hex.decode(post.author, count: 32) != nil,
      tags.count(where: { $0.count > 1 && $0[0] == "h" }) == 1
    else { return nil }
    self.init(post)
    for entry in listed {
      guard let parts = entry.array, parts.count == 2, let date = parts[1].integer else { return nil }
      let id = DatedEvent(post, createdAt: date).id
      guard parts[0].string == id, !attempts.contains(where: { $0.id == id }) else { return nil }
      attempts.append(Attempt(id: id, createdAt: date))
    }
    if let value = members["found"] {
      guard let id = value.string, attempts.contains(where: { $0.id == id }) else { return nil }
      found = id
    }
    guard document.networkID == id else { return nil }
  }
}

extension [JSONValue] {
  /// Tags of an event; `nil` if there is anything but texts.
  fileprivate var texts: [[String]]? {
    var tags: [[String]] = []
    for element in self {
      guard let parts = element.array else { return nil }
      let texts = parts.compactMap(\.string)
      guard texts.count == parts.count, !texts.isEmpty else { return nil }
      tags.append(texts)
    }
    return tags
  }
}

/// The request to delete a post of a group as it is stored. What relays get names the attempts that there are by then, and is signed when it
/// is sent.
struct GroupDeletion: Hashable, Sendable {
  /// Who signs.
  let author: String
  let reason: String

  init(author: String, reason: String) {
    self.author = author
    self.reason = reason
  }

  var document: PostDocument {
    PostDocument(networkID: "", author: author, text: JSONValue.object(["reason": .string(reason)]).text)
  }

  /// Reads what `document` wrote; `nil` if it is anything else.
  init?(_ document: PostDocument) {
    guard let members = (try? JSONParser.parse(document.text))?.object, members.count == 1,
      let reason = members["reason"]?.string, document.networkID.isEmpty, Hex.decode(document.author, count: 32) != nil
    else { return nil }
    self.init(author: document.author, reason: reason)
  }

  /// The events that ask for it, one after the other. The relay need take only one: some refuse the request of the author (kind 5), all of
  /// them know that of an admin (kind 9005), and an owner of a group is both. What others wrote is only for the admin to delete.
  /// - Throws: `DeletionRefusal`.
  func events(for post: some GroupNames, in group: ChannelContent) throws(DeletionRefusal) -> [OutgoingEvent] {
    let named = post.ids.map { NostrPost.Published(id: $0, kind: post.kind) }
    let admins = try NostrPost.adminDeletion(of: named, in: group, reason: reason, by: author)
    let asAdmin = OutgoingEvent.draft(kind: admins.kind, tags: admins.tags, content: admins.content)
    guard post.author == author else { return [asAdmin] }
    let own = try NostrPost.deletion(of: named, in: group, reason: reason, by: author)
    return [.option(kind: own.kind, tags: own.tags, content: own.content), asAdmin]
  }
}
