internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The stored form of a post of a group. Relays of groups accept fresh events only (NIP-29), so each attempt to publish it is another
/// event, with the same content and its own date. The ids of the attempts are kept, because any of them may be at the relay.
struct GroupPost: Hashable, Sendable, GroupNames {
  /// An event that was about to be sent.
  struct Attempt: Hashable, Sendable {
    let id: String
    /// In Unix seconds.
    let createdAt: Int64
  }

  /// The content to publish, without a date.
  let post: NostrPost
  /// The latest attempts, oldest first, each id once.
  private(set) var attempts: [Attempt] = []
  /// The id of the attempt that readers found, or `nil` before that, and while there is a later attempt that was not found yet.
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

  /// The post once readers find this attempt, or the same post if this is not one of its attempts.
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

  /// An event of the same size, with an invalid signature.
  var unsigned: NostrEvent {
    NostrEvent(
      id: id, publicKey: post.author, createdAt: createdAt, kind: post.kind, tags: post.tags, content: post.content,
      signature: String(repeating: "0", count: 128))
  }
}

// MARK: - As stored

extension GroupPost {
  /// The form in which it is stored: an object that only Baton uses, and no relay ever gets.
  var document: PostDocument {
    let members: [String: JSONValue] = [
      "kind": .integer(Int64(post.kind)), "tags": .array(post.tags.map { .array($0.map(JSONValue.string)) }),
      "content": .string(post.content),
    ]
    return PostDocument(networkID: id, author: post.author, text: JSONValue.object(members.merging(names) { $1 }).text)
  }

  /// Reads a document that `document` wrote.
  /// - Returns: `nil` for anything else: a member is missing or added, an id does not match its attempt, or the names do not agree.
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
  /// Tags of an event, or `nil` if there is anything but texts.
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

/// The request to delete a post of a group, in its stored form. Relays get a request that names the attempts that there are by then, and
/// that is signed when it is sent.
struct GroupDeletion: Hashable, Sendable {
  /// The key that signs.
  let author: String
  let reason: String

  init(author: String, reason: String) {
    self.author = author
    self.reason = reason
  }

  var document: PostDocument {
    PostDocument(networkID: "", author: author, text: JSONValue.object(["reason": .string(reason)]).text)
  }

  /// Reads a document that `document` wrote, or returns `nil` for anything else.
  init?(_ document: PostDocument) {
    guard let members = (try? JSONParser.parse(document.text))?.object, members.count == 1,
      let reason = members["reason"]?.string, document.networkID.isEmpty, Hex.decode(document.author, count: 32) != nil
    else { return nil }
    self.init(author: document.author, reason: reason)
  }

  /// The events that ask for it, one after the other. The relay need accept only one: some refuse the author's request (kind 5), all of
  /// them support an admin's request (kind 9005), and an owner of a group is both. Only an admin deletes other people's messages.
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
