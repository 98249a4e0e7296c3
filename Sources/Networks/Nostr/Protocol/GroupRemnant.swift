internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// What is named by the attempts to publish it in a group: each of them is an event of its own, and any may be at the relay.
protocol GroupNames {
  var author: String { get }
  var kind: Int { get }
  /// The latest attempts, oldest first, each id once.
  var attempts: [GroupPost.Attempt] { get }
  /// The id of the attempt that readers found; `nil` before that, and while there is a later attempt that was not found yet.
  var found: String? { get }
}

extension GroupNames {
  /// The id under which readers find the post, as far as known; empty before the first attempt.
  var id: String { found ?? attempts.last?.id ?? "" }

  /// When the event with this name was dated; `nil` before the first attempt.
  var createdAt: Int64? { attempts.last { $0.id == id }?.createdAt }

  /// The ids of all attempts, the one that readers find first, then the latest before the others.
  var ids: [String] {
    let latest = attempts.map(\.id).reversed()
    return (found.map { [$0] } ?? []) + latest.filter { $0 != found }
  }

  /// The id under which others refer to the post: empty until readers have found one. If there is one only, it is the one that they find.
  /// - Parameter relays: where readers found it.
  func knownID(at relays: [String]) -> String { found ?? (attempts.count == 1 && !relays.isEmpty ? id : "") }
}

/// What stays of a post of a group that is forgotten: the names of its attempts, which no one could compute any more. There is nothing in it
/// that could be sent.
struct GroupRemnant: Hashable, Sendable, GroupNames {
  let author: String
  let kind: Int
  let attempts: [GroupPost.Attempt]
  let found: String?

  init(author: String, kind: Int, attempts: [GroupPost.Attempt], found: String? = nil) {
    self.author = author
    self.kind = kind
    self.attempts = attempts
    self.found = found
  }

  init(_ post: GroupPost) {
    self.init(author: post.author, kind: post.kind, attempts: post.attempts, found: post.found)
  }

  /// - Parameter document: a post of a group, or what `document` has written.
  /// - Returns: `nil` if it is anything else: a member is missing or added, something is no id, or the names do not agree.
  init?(_ document: PostDocument) {
    if let post = GroupPost(document) {
      self.init(post)
    } else {
      self.init(forgotten: document)
    }
  }

  private init?(forgotten document: PostDocument) {
    guard let members = (try? JSONParser.parse(document.text))?.object,
      Set(members.keys).subtracting(["found"]) == ["kind", "attempts"],
      let kind = members["kind"]?.integer.flatMap({ Int(exactly: $0) }), GroupPost.kinds.contains(kind),
      Hex.decode(document.author, count: 32) != nil,
      let listed = members["attempts"]?.array, listed.count <= GroupPost.attemptsMax
    else { return nil }
    var attempts: [GroupPost.Attempt] = []
    for entry in listed {
      guard let parts = entry.array, parts.count == 2, let id = parts[0].string, let date = parts[1].integer,
        Hex.decode(id, count: 32) != nil, !attempts.contains(where: { $0.id == id })
      else { return nil }
      attempts.append(GroupPost.Attempt(id: id, createdAt: date))
    }
    var found: String?
    if let value = members["found"] {
      guard let id = value.string, attempts.contains(where: { $0.id == id }) else { return nil }
      found = id
    }
    self.init(author: document.author, kind: kind, attempts: attempts, found: found)
    guard document.networkID == id else { return nil }
  }

  /// The form in which it is stored, in the place of the post's.
  var document: PostDocument {
    PostDocument(
      networkID: id, author: author, text: JSONValue.object(names.merging(["kind": .integer(Int64(kind))]) { $1 }).text)
  }
}

extension GroupNames {
  /// The attempts, and which of them was found, as they are stored.
  var names: [String: JSONValue] {
    var members: [String: JSONValue] = ["attempts": .array(attempts.map { [.string($0.id), .integer($0.createdAt)] })]
    if let found { members["found"] = .string(found) }
    return members
  }
}
