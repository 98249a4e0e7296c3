internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// A post, by the names of the attempts to publish it in a group. Each attempt is a separate event, and any of them may be at the relay.
protocol GroupNames {
  var author: String { get }
  var kind: Int { get }
  /// The latest attempts, oldest first, each id once.
  var attempts: [GroupPost.Attempt] { get }
  /// The id of the attempt that readers found, or `nil` before that, and while there is a later attempt that was not found yet.
  var found: String? { get }
}

extension GroupNames {
  /// The id under which readers find the post, as far as known, and empty before the first attempt.
  var id: String { found ?? attempts.last?.id ?? "" }

  /// When the event with this name was dated, or `nil` before the first attempt.
  var createdAt: Int64? { attempts.last { $0.id == id }?.createdAt }

  /// The ids of all attempts, beginning with the one found by readers, then from the latest to the earliest.
  var ids: [String] {
    let latest = attempts.map(\.id).reversed()
    return (found.map { [$0] } ?? []) + latest.filter { $0 != found }
  }

  /// The id under which other posts refer to the post: empty until readers have found an attempt. A single attempt is the one that they
  /// found.
  /// found that.
  /// - Parameter relays: where readers found it.
  func knownID(at relays: [String]) -> String { found ?? (attempts.count == 1 && !relays.isEmpty ? id : "") }
}

/// The rest of a forgotten post of a group: the names of its attempts, which no one could compute again. It contains nothing that could be
/// sent.
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

  /// - Parameter document: a post of a group, or a document that `document` has written.
  /// - Returns: `nil` for anything else: a member is missing or added, an id is malformed, or the names do not agree.
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
  /// The attempts, and the one that was found, in their stored form.
  var names: [String: JSONValue] {
    var members: [String: JSONValue] = ["attempts": .array(attempts.map { [.string($0.id), .integer($0.createdAt)] })]
    if let found { members["found"] = .string(found) }
    return members
  }
}
