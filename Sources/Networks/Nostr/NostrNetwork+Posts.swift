public import Channels
public import RelayNetwork
internal import StrictJSON

// The form of posts on Nostr, and what is done with them on relays.
extension NostrNetwork {
  /// The number of seconds by which a post is dated ahead at most, so that it is not the same event as an equal one.
  private static let postAheadMax: Int64 = 60

  public func compose(
    _ draft: PostDraft, in content: ChannelContent, at relays: [String]
  ) throws(PostFailure) -> PostDocument {
    let key = try author(of: content, "posts in groups (NIP-29) are not published yet")
    let post: NostrPost
    do throws(PostRefusal) {
      post = try NostrPost(draft, in: content, at: relays, by: key.publicKey)
    } catch { throw .refused(error) }
    let event = try sign(post, with: key, at: try date(of: post))
    return PostDocument(event)
  }

  public func composeDeletion(
    of post: PostDocument, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> PostDocument {
    let key = try author(of: content, "posts in groups (NIP-29) are not deleted yet")
    guard let event = post.event else { throw .unavailable("the stored post cannot be read, so its deletion cannot be signed") }
    guard event.publicKey == key.publicKey else {
      throw .unavailable("the post was signed by another key than the channel's, and only its author can delete it")
    }
    let deletion: NostrPost
    do throws(DeletionRefusal) {
      let published = NostrPost.Published(id: event.id, kind: event.kind)
      deletion = try NostrPost.deletion(of: [published], in: content, reason: reason, by: key.publicKey)
    } catch {
      switch error {
      case .unusableReason, .secretInReason: throw .refused(PostRefusal(.text, error.description))
      case .channelItself, .notAPost, .malformedID, .nothingNamed, .tooMany, .notAGroup: throw .unavailable(error.description)
      }
    }
    return PostDocument(try sign(deletion, with: key, at: now()))
  }

  public func reference(to post: PostDocument, at relays: [String]) -> PostReference? {
    guard let event = post.event else { return nil }
    var known: Set<String> = []
    let people = event.tags.filter { $0.count > 1 && $0[0] == "p" }.map { $0[1] }.filter { known.insert($0).inserted }
    return PostReference(
      networkID: event.id, author: event.publicKey, kind: event.kind, relays: relays,
      participants: Array(people.prefix(PostReference.participantsMax)))
  }

  public func link(to post: PostDocument, at relays: [String]) -> String? { reference(to: post, at: relays)?.link }

  public func deliver(_ operation: DeliveryOperation) {
    switch operation.task {
    case .verify:
      let item = SessionOperation(delivery: operation)
      guard let session = reader(operation.relay, operation.address) else { return invalid(item) }
      session.feed(.submitted(item))
    case .publish:
      if let excess = excess(of: operation) {
        return report(operation.report(.skipped(Trouble(.tooLarge, excess.description))))
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
  private static let comparedAheadMax: Int64 = 2 * postAheadMax

  public func compare(_ comparison: PostComparison) {
    let question = HistoryQuestion(comparison: comparison, until: now() + Self.comparedAheadMax)
    guard comparison.content.kind == .channel else {
      return report(question.report(.failed(Trouble(.notSupported, "posts in groups (NIP-29) are not compared yet"))))
    }
    guard let session = reader(comparison.relay, comparison.address) else {
      return report(question.report(.failed(Trouble(.protocol, "the relay's address is not one of Nostr"))))
    }
    session.feed(.compare(question))
  }

  public func signed(_ text: String, in content: ChannelContent) throws(PostFailure) -> SignedPost {
    guard content.kind == .channel else {
      throw .unsupported(
        "posts in groups (NIP-29) are signed anew for each attempt, so none that was signed before is sent again")
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

  public func date(of post: PostDocument) -> Timestamp? { post.event.map { Timestamp(seconds: $0.createdAt) } }

  public func composeReaction(_ draft: ReactionDraft, in content: ChannelContent) throws(PostFailure) -> PostDocument {
    let key = try author(of: content, "reactions in groups (NIP-29) are not published yet")
    let post: NostrPost
    do throws(PostRefusal) {
      post = try .reaction(NostrPost.Reaction(draft), to: draft.target, in: content, by: key.publicKey)
    } catch { throw .refused(error) }
    return PostDocument(try sign(post, with: key, at: try date(of: post)))
  }

  public func whyNotPinned(in content: ChannelContent) -> String {
    switch content.kind {
    case .channel:
      "public channels (NIP-28) have no pinned posts; put what must stay in sight into the description of the channel"
    case .group: "the relay of a group keeps the list of its pinned posts (NIP-29, kind 9010), and Baton does not send it yet"
    }
  }

  private func submit(_ document: PostDocument, for operation: DeliveryOperation) {
    let event = OutgoingEvent.signed(id: document.networkID, text: document.text)
    let item = SessionOperation(delivery: operation, events: [event])
    guard let session = publisher(operation.relay, operation.address, operation.content.identity) else { return invalid(item) }
    session.feed(.submitted(item))
  }

  /// The size of a post that the relay says it does not take, as far as that is known by now.
  private func excess(of operation: DeliveryOperation) -> EventLimits.Excess? {
    guard let limits = eventLimits(of: operation.address), !limits.bounds.isEmpty else { return nil }
    return operation.document.event.flatMap { limits.excess(of: $0) }
  }

  // MARK: - Signing

  /// The key that signs in a channel.
  /// - Parameter words: a sentence for people about groups.
  private func author(of content: ChannelContent, _ words: String) throws(PostFailure) -> SecretKey {
    guard content.kind == .channel else { throw .unsupported(words) }
    guard let key = key(of: content) else { throw .unavailable(Self.noKey) }
    return key
  }

  private func sign(_ post: NostrPost, with key: SecretKey, at date: Int64) throws(PostFailure) -> NostrEvent {
    do throws(NetworkFailure) {
      return try post.signed(by: key, createdAt: date)
    } catch { throw .refused(PostRefusal(.text, error.description)) }
  }

  /// The date of a new post: now, or the next second for which there is no equal post, because two with one date would be one event.
  private func date(of post: NostrPost) throws(PostFailure) -> Int64 {
    let now = now()
    for date in now...(now + Self.postAheadMax) {
      let id = NostrEvent.digest(
        publicKey: post.author, createdAt: date, kind: post.kind, tags: post.tags, content: post.content)
      if isNew(Hex.encode(id)) { return date }
    }
    throw .unavailable("too many equal posts were published within a minute; wait for a minute, or change the text")
  }
}

extension PostDocument {
  init(_ event: NostrEvent) { self.init(networkID: event.id, author: event.publicKey, text: event.text) }

  /// The event; `nil` if the document is not one of Nostr.
  fileprivate var event: NostrEvent? {
    guard let json = try? JSONParser.parse(text) else { return nil }
    return NostrEvent(json: json)
  }
}
