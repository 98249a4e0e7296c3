internal import RelayNetwork

/// A post, a reaction or a deletion in the form that Nostr gives it, before it is dated and signed. The same draft has the same form.
struct NostrPost: Hashable, Sendable {
  /// The key that signs.
  let author: String
  let kind: Int
  let tags: [[String]]
  let content: String

  /// Posts of channels (NIP-28).
  static let channelMessageKind = 42
  /// Posts of groups (NIP-29, NIP-C7).
  static let groupMessageKind = 9
  static let reactionKind = 7
  static let reportKind = 1984
  static let deletionKind = 5
  /// Deletions by admins of a group.
  static let adminDeletionKind = 9005

  /// The part of a group post that belongs to one attempt to publish it, which is signed again each time. Posts of channels are signed
  /// once, and have no such part.
  struct Attempt: Hashable, Sendable {
    /// A random text by which the attempt is found again when its answer is lost.
    var clientID: String?

    /// The name of the tag with `clientID`.
    static let clientTag = "client-id"

    init(clientID: String? = nil) { self.clientID = clientID }
  }

  init(author: String, kind: Int, tags: [[String]], content: String) {
    self.author = author
    self.kind = kind
    self.tags = tags
    self.content = content
  }

  /// The post that was signed as this event.
  init(_ event: NostrEvent) {
    self.init(author: event.publicKey, kind: event.kind, tags: event.tags, content: event.content)
  }

  /// Dates and signs it.
  /// - Parameters:
  ///   - key: the author's.
  ///   - createdAt: Unix time in seconds.
  ///   - auxiliary: 32 bytes of randomness for the signature, or `nil` to draw fresh ones.
  /// - Throws: `NetworkFailure` if the key is someone else's, or a text, such as a group's id, holds a control character.
  func signed(by key: SecretKey, createdAt: Int64, auxiliary: [UInt8]? = nil) throws(NetworkFailure) -> NostrEvent {
    guard key.publicKey == author else { throw NetworkFailure("the post is to be signed by another key than its author's") }
    guard
      let event = NostrEvent(
        signedBy: key, createdAt: createdAt, kind: kind, tags: tags, content: content, auxiliary: auxiliary)
    else { throw NetworkFailure("the post holds a control character that relays read differently") }
    return event
  }
}
