public import Channels
public import RelayNetwork
internal import Secrets

// Posts of groups: each attempt is dated and signed again.
extension NostrNetwork {
  /// The part of an event that is signed again for each attempt. Two posts with one text differ by it.
  static func attempt(in content: ChannelContent) -> NostrPost.Attempt {
    content.kind == .group ? NostrPost.Attempt(clientID: Hex.encode(SystemRandom.bytes(16))) : NostrPost.Attempt()
  }

  /// Why a post of a group without a name cannot be named.
  static let unfoundInGroup =
    "is in a group, and its name may change until readers find it there: try again once it is verified"

  /// Refuses to name posts of groups that readers have not found yet: their names may still change.
  static func checkNames(in draft: PostDraft) throws(PostFailure) {
    if let parent = draft.replyTo, parent.networkID.isEmpty { throw nameless("the post that is answered", .replyTo) }
    if let place = draft.quotes.firstIndex(where: \.networkID.isEmpty) { throw nameless("quote \(place + 1)", .quotes) }
  }

  /// The same for the post of a reaction.
  static func checkName(in draft: ReactionDraft) throws(PostFailure) {
    if draft.target.networkID.isEmpty { throw nameless("the post to react to", .reaction) }
  }

  private static func nameless(_ post: String, _ field: PostRefusal.Field) -> PostFailure {
    .refused(PostRefusal(field, "\(post) \(unfoundInGroup)"))
  }

  /// The form in which a post is stored that is signed when it is sent.
  func template(of post: NostrPost, with key: SecretKey) throws(PostFailure) -> PostDocument {
    // A post that cannot be signed is refused now.
    _ = try sign(post, with: key, at: now())
    return GroupPost(post).document
  }

  /// The request to delete a post of a group.
  func groupDeletion(
    of document: PostDocument, in content: ChannelContent, reason: String, with key: SecretKey
  ) throws(PostFailure) -> PostDocument {
    guard let post = GroupRemnant(document) else { throw .unavailable(Self.unreadablePost) }
    guard post.author == key.publicKey else { throw .unavailable(Self.foreignPost) }
    let deletion = GroupDeletion(author: key.publicKey, reason: reason)
    // A request that cannot be sent is refused now, even if no attempt was sent so far. In that case any name will do.
    let any = GroupPost.Attempt(id: String(repeating: "0", count: 64), createdAt: now())
    let known = post.attempts.isEmpty ? GroupRemnant(author: post.author, kind: post.kind, attempts: [any]) : post
    do throws(DeletionRefusal) {
      _ = try deletion.events(for: known, in: content)
    } catch { throw error.failure }
    return deletion.document
  }

  public func composeRemoval(
    of message: PostReference, createdAt: Timestamp, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> (message: PostDocument, deletion: PostDocument) {
    guard content.kind == .group else {
      throw .unsupported("anyone may write in a channel on Nostr (NIP-28), and no one can remove that. Hide the message here")
    }
    let key = try author(of: content)
    let (date, _) = createdAt.milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let named = GroupRemnant(
      author: message.author, kind: NostrPost.groupMessageKind,
      attempts: [GroupPost.Attempt(id: message.networkID, createdAt: date)], found: message.networkID)
    let deletion = GroupDeletion(author: key.publicKey, reason: reason)
    do throws(DeletionRefusal) {
      _ = try deletion.events(for: named, in: content)
    } catch { throw error.failure }
    return (named.document, deletion.document)
  }

  /// Begins an operation for a post of a group.
  func deliverToGroup(_ operation: DeliveryOperation) {
    if let pin = PinForm(operation.document) { return deliver(pin, for: operation) }
    if let membership = MembershipForm(operation.document) { return deliver(membership, for: operation) }
    guard let names = GroupRemnant(operation.document) else {
      return report(operation.report(.refused(Trouble(.storage, "the stored post is unreadable. See batonctl check"))))
    }
    let post = GroupPost(operation.document)
    switch operation.task {
    case .verify:
      let item = SessionOperation(delivery: operation, group: post, names: names)
      if names.attempts.isEmpty { return report(item.report(.missing)) }
      guard let session = reader(operation.relay, operation.address) else { return invalid(item) }
      session.feed(.submitted(item))
    case .publish:
      guard let post else {
        return report(
          operation.report(.skipped(Trouble(.notSupported, "the post was forgotten here, so nothing is left to send"))))
      }
      if let excess = excess(of: post.dated(at: now()).event.unsigned, at: operation.address) {
        return report(operation.report(.skipped(Trouble(.tooLarge, excess.description))))
      }
      submit(SessionOperation(delivery: operation, group: post), for: operation)
    case .withdraw:
      guard let deletion = operation.deletion.flatMap(GroupDeletion.init) else {
        return report(operation.report(.skipped(Trouble(.notSupported, "the request to delete the post is unreadable"))))
      }
      guard let events = try? deletion.events(for: names, in: operation.content) else {
        return report(operation.report(.skipped(Trouble(.notSupported, "no attempt to publish the post is known"))))
      }
      submit(SessionOperation(delivery: operation, events: events, group: post, names: names), for: operation)
    }
  }
}
