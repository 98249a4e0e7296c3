public import Channels
public import RelayNetwork
internal import StrictJSON

// The form of posts on Nostr, and the operations for them on relays.
extension NostrNetwork {
  public func compose(
    _ draft: PostDraft, in content: ChannelContent, at relays: [String]
  ) throws(PostFailure) -> PostDocument {
    let key = try author(of: content)
    try Self.checkNames(in: draft)
    let post: NostrPost
    do throws(PostRefusal) {
      post = try NostrPost(draft, in: content, at: relays, by: key.publicKey, attempt: Self.attempt(in: content))
    } catch { throw .refused(error) }
    if content.kind == .group { return try template(of: post, with: key) }
    if draft.isTrial { return PostDocument(try sign(post, with: key, at: now())) }
    let answered = draft.replyTo?.writtenAt.map { $0.milliseconds / 1_000 }
    let first = postDate(in: content.networkID, after: answered, at: relays)
    return PostDocument(try sign(post, with: key, at: try date(of: post, from: first)))
  }

  public func composeDeletion(
    of post: PostDocument, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> PostDocument {
    let key = try author(of: content)
    if content.kind == .group {
      if let pin = PinForm(post) { return try pinDeletion(of: pin, reason: reason, with: key) }
      // It is given up, and nothing is asked of relays.
      if MembershipForm(post) != nil { return GroupDeletion(author: key.publicKey, reason: "").document }
      return try groupDeletion(of: post, in: content, reason: reason, with: key)
    }
    guard let remnant = post.remnant else { throw .unavailable(Self.unreadablePost) }
    guard post.author == key.publicKey else { throw .unavailable(Self.foreignPost) }
    let deletion: NostrPost
    do throws(DeletionRefusal) {
      let published = NostrPost.Published(id: post.networkID, kind: remnant.kind)
      deletion = try NostrPost.deletion(of: [published], in: content, reason: reason, by: key.publicKey)
    } catch { throw error.failure }
    // A relay may keep events that are dated after the request.
    let date = max(now(), min(remnant.createdAt, now() + Self.aheadMaxUnknown))
    return PostDocument(try sign(deletion, with: key, at: date))
  }

  public func reference(to post: PostDocument, at relays: [String]) -> PostReference? {
    if let event = post.event { return NostrPost(event).reference(id: event.id, at: relays) }
    if let group = GroupPost(post) { return group.post.reference(id: group.knownID(at: relays), at: relays) }
    // The people that a forgotten post mentioned are forgotten too.
    func named(_ id: String, _ kind: Int) -> PostReference {
      PostReference(networkID: id, author: post.author, kind: kind, relays: relays)
    }
    return post.remnant.map { named(post.networkID, $0.kind) }
      ?? GroupRemnant(post).map { named($0.knownID(at: relays), $0.kind) }
  }

  public func author(from text: String) -> String? { PostNames.publicKey(text) }

  public func reference(
    toMessage networkID: String, by author: String, textBytes: Int, in content: ChannelContent, at relays: [String]
  ) -> PostReference? {
    guard Hex.decode(networkID, count: 32) != nil, Hex.decode(author, count: 32) != nil else { return nil }
    let kind = content.kind == .group ? NostrPost.groupMessageKind : NostrPost.channelMessageKind
    return PostReference(networkID: networkID, author: author, kind: kind, relays: relays)
  }

  public func link(to post: PostDocument, at relays: [String]) -> String? {
    reference(to: post, at: relays).flatMap { $0.networkID.isEmpty ? nil : $0.link }
  }

  public func deliver(_ operation: DeliveryOperation) {
    if operation.content.kind == .group { return deliverToGroup(operation) }
    switch operation.task {
    case .verify:
      let item = SessionOperation(delivery: operation)
      guard let session = reader(operation.relay, operation.address) else { return invalid(item) }
      session.feed(.submitted(item))
    case .publish:
      if let excess = excess(of: operation.document.event, at: operation.address) {
        return report(operation.report(.skipped(Trouble(.tooLarge, excess.description))))
      }
      if let (trouble, wait) = prematurity(of: operation.document.remnant?.createdAt, at: operation.address) {
        return report(operation.report(.troubled(trouble, retryAfter: wait)))
      }
      submit(operation.document, for: operation)
    case .withdraw:
      guard let deletion = operation.deletion else {
        return report(operation.report(.skipped(Trouble(.notSupported, "no request to delete the post was signed"))))
      }
      submit(deletion, for: operation)
    }
  }

  public func release(_ turn: DeliveryTurn) {
    for session in publishers(on: turn.relay) { session.feed(.released(turn)) }
  }

  /// The number of seconds by which the dates of posts that a comparison looks for may be ahead.
  private static let comparedAheadMax: Int64 = 2 * aheadMaxUnknown

  public func compare(_ comparison: PostComparison) {
    let author = comparison.content.kind == .group ? key(of: comparison.content)?.publicKey ?? "" : nil
    let question = HistoryQuestion(comparison: comparison, until: now() + Self.comparedAheadMax, author: author)
    if question.author.isEmpty { return report(question.report(.failed(Trouble(.authRequired, Self.noKey)))) }
    guard let session = reader(comparison.relay, comparison.address) else {
      return report(question.report(.failed(Trouble(.protocol, "the relay's address is not one of Nostr"))))
    }
    session.feed(.compare(question))
  }

  public func signed(_ text: String, in content: ChannelContent) throws(PostFailure) -> SignedPost {
    guard content.kind == .channel else {
      throw .unsupported(
        "posts in groups (NIP-29) are signed again for each attempt, so none that was signed before is sent again")
    }
    let signed: SignedPost
    do throws(AdoptionFlaw) {
      signed = try SignedEvent.read(text, in: content, at: now())
    } catch { throw .refused(PostRefusal(.document, error.description)) }
    // An equal post that is composed in the same second must not be the same event.
    if case .post(let post) = signed { _ = isNew(post.document.networkID) }
    return signed
  }

  public func signedText(of document: PostDocument) -> String? {
    guard let event = document.event, event.id == document.networkID, Hex.decode(event.signature, count: 64) != nil else {
      return nil
    }
    return event.text
  }

  public func date(of post: PostDocument) -> Timestamp? {
    (post.remnant?.createdAt ?? GroupRemnant(post)?.createdAt).map(Timestamp.init(seconds:))
  }

  public func remnant(of post: PostDocument) -> String? {
    post.remnant?.json.text ?? GroupRemnant(post)?.document.text
  }

  public func whyNotForgotten(in content: ChannelContent) -> String? { nil }

  public func composeReaction(_ draft: ReactionDraft, in content: ChannelContent) throws(PostFailure) -> PostDocument {
    let key = try author(of: content)
    try Self.checkName(in: draft)
    let post: NostrPost
    do throws(PostRefusal) {
      post = try .reaction(
        NostrPost.Reaction(draft), to: draft.target, in: content, by: key.publicKey, attempt: Self.attempt(in: content))
    } catch { throw .refused(error) }
    if content.kind == .group { return try template(of: post, with: key) }
    return PostDocument(try sign(post, with: key, at: try date(of: post)))
  }

  public func composeReport(
    _ report: Report, of message: PostReference, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument {
    let key = try author(of: content)
    let post: NostrPost
    do throws(PostRefusal) {
      post = try .report(report, of: message, in: content, by: key.publicKey, attempt: Self.attempt(in: content))
    } catch { throw .refused(error) }
    if content.kind == .group { return try template(of: post, with: key) }
    return PostDocument(try sign(post, with: key, at: try date(of: post)))
  }

  private func submit(_ document: PostDocument, for operation: DeliveryOperation) {
    let event = OutgoingEvent.signed(id: document.networkID, text: document.text)
    submit(SessionOperation(delivery: operation, events: [event]), for: operation)
  }

  func submit(_ item: SessionOperation, for operation: DeliveryOperation) {
    guard let session = publisher(operation.relay, operation.address, operation.content.identity) else { return invalid(item) }
    session.feed(.submitted(item))
  }

  /// The size of a post that exceeds the limits declared by the relay at this address, as far as they are known by now.
  func excess(of event: @autoclosure () -> NostrEvent?, at address: String) -> EventLimits.Excess? {
    guard let limits = eventLimits(of: address), !limits.bounds.isEmpty else { return nil }
    return event().flatMap { limits.excess(of: $0) }
  }

  // MARK: - Signing

  static let unreadablePost = "the stored post is unreadable, so its deletion cannot be signed"
  static let foreignPost = "the post was signed by another key than the channel's, and only its author can delete it"

  /// The key that signs in a channel.
  func author(of content: ChannelContent) throws(PostFailure) -> SecretKey {
    guard let key = key(of: content) else { throw .unavailable(Self.noKey) }
    return key
  }

  func sign(_ post: NostrPost, with key: SecretKey, at date: Int64) throws(PostFailure) -> NostrEvent {
    do throws(NetworkFailure) {
      return try post.signed(by: key, createdAt: date)
    } catch { throw .refused(PostRefusal(.text, error.description)) }
  }

  /// The date of a new post: the second at which it should be dated, or else another one for which there is no equal post, because two with
  /// one date would be one event.
  private func date(of post: NostrPost, from first: Int64? = nil) throws(PostFailure) -> Int64 {
    let now = now()
    let first = max(now, first ?? now)
    for date in Array(first...max(first, now + Self.aheadMaxUnknown)) + (now..<first).reversed() {
      let id = NostrEvent.digest(
        publicKey: post.author, createdAt: date, kind: post.kind, tags: post.tags, content: post.content)
      if isNew(Hex.encode(id)) { return date }
    }
    throw .unavailable("too many equal posts were published within a minute. Wait for a minute, or change the text")
  }
}

extension NostrPost {
  /// A reference to it, as other posts make it.
  fileprivate func reference(id: String, at relays: [String]) -> PostReference {
    var known: Set<String> = []
    let people = tags.filter { $0.count > 1 && $0[0] == "p" }.map { $0[1] }.filter { known.insert($0).inserted }
    return PostReference(
      networkID: id, author: author, kind: kind, relays: relays,
      participants: Array(people.prefix(PostReference.participantsMax)))
  }
}

extension DeletionRefusal {
  /// The same as the failure that a network reports.
  var failure: PostFailure {
    switch self {
    case .unusableReason, .secretInReason: .refused(PostRefusal(.text, description))
    case .channelItself, .notAPost, .malformedID, .nothingNamed, .tooMany, .notAGroup: .unavailable(description)
    }
  }
}

extension PostDocument {
  init(_ event: NostrEvent) { self.init(networkID: event.id, author: event.publicKey, text: event.text) }

  /// The event, or `nil` if the document does not belong to Nostr.
  fileprivate var event: NostrEvent? {
    guard let json = try? JSONParser.parse(text) else { return nil }
    return NostrEvent(json: json)
  }

  /// The data that names the event, in addition to its id and author, or `nil` if the document does not belong to Nostr.
  fileprivate var remnant: EventRemnant? { (try? JSONParser.parse(text)).flatMap(EventRemnant.init) }
}
