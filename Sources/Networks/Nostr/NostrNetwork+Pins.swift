public import Channels
public import RelayNetwork

// Pinned posts of groups.
extension NostrNetwork {
  public func composePin(of target: PostReference, in content: ChannelContent) throws(PostFailure) -> PostDocument {
    switch content.kind {
    case .channel:
      throw .unsupported(
        "public channels (NIP-28) have no pinned posts. Put important text into the description of the channel")
    case .group:
      let key = try author(of: content)
      guard !target.networkID.isEmpty else { throw .refused(PostRefusal(.id, "the post \(Self.unfoundInGroup)")) }
      guard target.isOfNostr else { throw .unavailable("the stored post has a name that is not one of Nostr") }
      return PinForm(author: key.publicKey, target: target.networkID).document
    }
  }

  /// The request to remove a pin.
  func pinDeletion(
    of pin: PinForm, reason: String, with key: SecretKey
  ) throws(PostFailure) -> PostDocument {
    guard pin.author == key.publicKey else { throw .unavailable(Self.foreignPost) }
    do throws(DeletionRefusal) {
      try NostrPost.check(reason: reason)
    } catch { throw error.failure }
    return GroupDeletion(author: key.publicKey, reason: reason).document
  }

  /// Begins an operation for the pin of a post.
  func deliver(_ pin: PinForm, for operation: DeliveryOperation) {
    switch operation.task {
    case .verify:
      let item = SessionOperation(delivery: operation, pin: pin)
      guard let session = reader(operation.relay, operation.address) else { return invalid(item) }
      session.feed(.submitted(item))
    case .publish:
      let change = PinChange(target: pin.target, isPinned: true)
      submit(SessionOperation(delivery: operation, events: [.pins(change)], pin: pin), for: operation)
    case .withdraw:
      guard let deletion = operation.deletion.flatMap(GroupDeletion.init) else {
        return report(operation.report(.skipped(Trouble(.notSupported, "the request to remove the pin is unreadable"))))
      }
      let change = PinChange(target: pin.target, isPinned: false, reason: deletion.reason)
      submit(SessionOperation(delivery: operation, events: [.pins(change)], pin: pin), for: operation)
    }
  }
}
