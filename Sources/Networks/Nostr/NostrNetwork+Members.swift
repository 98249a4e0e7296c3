public import Channels
internal import NIOConcurrencyHelpers
public import RelayNetwork
internal import Secrets

// Members of groups.
extension NostrNetwork {
  public func composeMembership(
    _ change: MembershipChange, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument {
    guard [.member, .removed].contains(change.wish) else {
      throw .unsupported(
        "no one can be banned from groups (NIP-29) or channels (NIP-28) on Nostr. Remove members with batonctl member remove, and mute "
          + "people with batonctl people mute")
    }
    guard content.kind == .group else {
      throw .unsupported(
        "anyone may read and write in a channel on Nostr (NIP-28), so no one belongs to it. To leave out what someone writes, mute "
          + "them (batonctl people mute)")
    }
    let key = try author(of: content)
    guard Hex.decode(change.person, count: 32) != nil else {
      throw .refused(PostRefusal(.author, "it must be a public key. Write it as 64 hexadecimal digits, npub1… or nprofile1…"))
    }
    guard change.person != key.publicKey else {
      throw .refused(
        PostRefusal(.author, "that is the key by which Baton runs the group, and without its role Baton could not run it"))
    }
    guard change.roles.count <= MembershipChange.rolesMax, Set(change.roles).count == change.roles.count else {
      throw .refused(PostRefusal(.roles, "there can be \(MembershipChange.rolesMax) roles, each once. Leave some of them out"))
    }
    for role in change.roles {
      guard GroupMembers.isRole(role), !role.contains(","), NostrEvent.isSignable(role) else {
        throw .refused(
          PostRefusal(
            .roles, "a role has 1 to \(MembershipChange.roleBytesMax) bytes, without commas and control characters. Change it"))
      }
    }
    do throws(DeletionRefusal) {
      try NostrPost.check(reason: change.reason)
    } catch {
      if case .refused(let refusal) = error.failure { throw .refused(PostRefusal(.reason, refusal.reason)) }
      throw error.failure
    }
    let clientID = Hex.encode(SystemRandom.bytes(16))
    return MembershipForm(author: key.publicKey, change: change, clientID: clientID).document
  }

  /// Begins an operation for a membership change in a group. Withdrawing a change gives it up, and undoes nothing at the relay.
  func deliver(_ membership: MembershipForm, for operation: DeliveryOperation) {
    let item = SessionOperation(delivery: operation, membership: membership)
    switch operation.task {
    case .verify where operation.deletion != nil: report(operation.report(.missing))
    case .withdraw: report(operation.report(.withdrawn))
    case .verify:
      guard let session = reader(operation.relay, operation.address) else { return invalid(item) }
      session.feed(.submitted(item))
      // The person who made the change looks at the list next.
      if followed.withLockedValue({ $0[operation.channel]?.relays[operation.relay] }) != nil {
        follower(operation.relay, operation.address)?.feed(.members(operation.channel))
      }
    case .publish:
      submit(
        SessionOperation(delivery: operation, events: [membership.event(in: operation.content)], membership: membership),
        for: operation)
    }
  }
}
