// Written by `make generate` from org.batond.Channels.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Channels`.
public enum ChannelsMethod: String, InterfaceMethod {
  case create = "org.batond.Channels.Create"
  case get = "org.batond.Channels.Get"
  case list = "org.batond.Channels.List"
  case link = "org.batond.Channels.Link"
  case retryRelay = "org.batond.Channels.RetryRelay"
  case update = "org.batond.Channels.Update"
  case addRelays = "org.batond.Channels.AddRelays"
  case removeRelay = "org.batond.Channels.RemoveRelay"
  case verify = "org.batond.Channels.Verify"
  case delete = "org.batond.Channels.Delete"
  case follow = "org.batond.Channels.Follow"
  case unfollow = "org.batond.Channels.Unfollow"
  case setMuted = "org.batond.Channels.SetMuted"
  case setPinned = "org.batond.Channels.SetPinned"
  case setFollowing = "org.batond.Channels.SetFollowing"
  case setFrozen = "org.batond.Channels.SetFrozen"
  case setHidden = "org.batond.Channels.SetHidden"
  case truncate = "org.batond.Channels.Truncate"
  case transitions = "org.batond.Channels.Transitions"
  case counts = "org.batond.Channels.Counts"
}

/// What a server of `org.batond.Channels` does.
public protocol ChannelsService: InterfaceService where Method == ChannelsMethod, Refusal == ChannelsRefusal {
  /// Creates a channel and starts inviting its relays. Returns once the channel is durable; with 'more' it sends the channel after
  /// every change until no relay is under way.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func create(
    _ request: CreateChannel, _ stream: ReplyStream<ChannelReply>?
  ) async throws -> ChannelReply
  /// One channel, named by id or by a name that only it has. With both, it must be that of one channel.
  func get(_ request: ChannelsGetRequest) async throws -> ChannelReply
  /// Lists channels. With 'more' it sends one page per reply until there are no more.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func list(
    _ request: ListRequest, _ stream: ReplyStream<ChannelsListReply>?
  ) async throws -> ChannelsListReply
  /// What a reader opens to join.
  func link(_ request: ChannelsLinkRequest) async throws -> ChannelsLinkReply
  /// Tries relays again that are not active: one, or all.
  func retryRelay(_ request: ChannelsRetryRelayRequest) async throws -> ChannelReply
  /// Changes a channel; what is absent stays. Returns once the change is durable. What readers see becomes a new edition of the profile,
  /// which every active relay gets after that, late ones later: see edition of the channel and of its relays.
  func update(_ request: UpdateChannel) async throws -> ChannelReply
  /// Puts the channel on more relays. As many more active relays are wanted. Groups stay on their one relay.
  func addRelays(_ request: ChannelsAddRelaysRequest) async throws -> ChannelReply
  /// Takes the channel off a relay. The relay is told, the link follows the others, and one active relay less is wanted. A relay that comes back
  /// late stays removed.
  func removeRelay(_ request: ChannelsRemoveRelayRequest) async throws -> ChannelReply
  /// Reads the channel back from all of its relays now. The outcome shows in the relays' statuses.
  func verify(_ request: ChannelsVerifyRequest) async throws -> ChannelReply
  /// Removes the channel from all of its relays. It stays known as deleted, so that nothing brings it back.
  func delete(_ request: ChannelsDeleteRequest) async throws -> ChannelReply
  /// Reads a channel that others run from now on. Nothing is published there. Of the methods that change channels, Update of its name and
  /// custom data, the Set methods except SetFrozen, and Truncate without posts work with it; others are refused with NotOwned. If the channel is
  /// followed already, or is Baton's own, the reply has it as it is.
  func follow(_ request: ChannelsFollowRequest) async throws -> ChannelReply
  /// Reads a channel of others no more, and forgets what was read of it. On simplex it is left, which its relays notice; when that cannot be
  /// done now, Baton goes on following it and the reply is NetworkUnavailable.
  func unfollow(_ request: ChannelsUnfollowRequest) async throws -> ChannelReply
  /// Mutes a channel, or unmutes it. Its messages are read and counted all the same.
  func setMuted(_ request: ChannelsSetMutedRequest) async throws -> ChannelReply
  /// Pins a channel, so that lists that are sorted by it have it in front, or unpins it.
  func setPinned(_ request: ChannelsSetPinnedRequest) async throws -> ChannelReply
  /// Says whether the messages of a channel are read, how far back, and how many are kept. What was read before stays, as far as keep has room
  /// for it; what was missed while they were not read is read once they are again. Those of a channel of others are always read (NotOwned):
  /// Unfollow leaves it.
  func setFollowing(_ request: ChannelsSetFollowingRequest) async throws -> ChannelReply
  /// Freezes a channel, or unfreezes it. While it is frozen, org.batond.Posts refuses with ChannelFrozen what would publish, edit, react, pin
  /// or import; deleting goes on, and so does the delivery of what was accepted before. A scheduled post that is due waits within its tolerance.
  /// What others write cannot be stopped everywhere: see frozenEnforced.
  func setFrozen(_ request: ChannelsSetFrozenRequest) async throws -> ChannelReply
  /// Leaves a channel out of the inbox until something new is said in it, or published, or shows it again. If its messages are not read it is
  /// refused with NotFollowed.
  func setHidden(_ request: ChannelsSetHiddenRequest) async throws -> ChannelReply
  /// Takes away what was said in a channel up to now, here and not on its relays, and forgets what was unread of it. Channel and posts stay, and
  /// messages that are said later are read as ever. What was written before does not come back, even if it arrives later.
  func truncate(_ request: ChannelsTruncateRequest) async throws -> ChannelsTruncateReply
  /// The history of a channel, oldest line first.
  func transitions(_ request: ChannelsTransitionsRequest) async throws -> ChannelsTransitionsReply
  /// How many channels there are, deleted ones included as such. Counting takes longer the more channels there are. If it took more than a
  /// quarter of a second, the answer may be some minutes old. Figures of relays are in org.batond.Relays.
  func counts() async throws -> ChannelsCountsReply
}

extension ChannelsService {
  public func answer(
    _ method: ChannelsMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .create: return try await create(call.request(), call.replies(to: stream))
    case .get: return try await get(call.request())
    case .list: return try await list(call.request(), call.replies(to: stream))
    case .link: return try await link(call.request())
    case .retryRelay: return try await retryRelay(call.request())
    case .update: return try await update(call.request())
    case .addRelays: return try await addRelays(call.request())
    case .removeRelay: return try await removeRelay(call.request())
    case .verify: return try await verify(call.request())
    case .delete: return try await delete(call.request())
    case .follow: return try await follow(call.request())
    case .unfollow: return try await unfollow(call.request())
    case .setMuted: return try await setMuted(call.request())
    case .setPinned: return try await setPinned(call.request())
    case .setFollowing: return try await setFollowing(call.request())
    case .setFrozen: return try await setFrozen(call.request())
    case .setHidden: return try await setHidden(call.request())
    case .truncate: return try await truncate(call.request())
    case .transitions: return try await transitions(call.request())
    case .counts: return try await counts()
    }
  }
}
