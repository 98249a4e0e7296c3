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
  /// Creates a channel and starts inviting its relays. Returns once the channel is durable. With 'more' it sends the channel after every change
  /// until no relay is under way.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func create(
    _ request: CreateChannel, _ stream: ReplyStream<ChannelReply>?
  ) async throws -> ChannelReply
  /// Returns one channel, given its id or a name that no other channel has. If both are given, they must belong to the same channel.
  func get(_ request: ChannelsGetRequest) async throws -> ChannelReply
  /// Lists channels. With 'more' it sends one page per reply until the list ends.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func list(
    _ request: ListRequest, _ stream: ReplyStream<ChannelsListReply>?
  ) async throws -> ChannelsListReply
  /// Returns the link that a reader opens to join.
  func link(_ request: ChannelsLinkRequest) async throws -> ChannelsLinkReply
  /// Retries one relay that is not active, or all of them.
  func retryRelay(_ request: ChannelsRetryRelayRequest) async throws -> ChannelReply
  /// Changes a channel. Absent fields are unchanged. Returns once the change is durable. A change to the part that readers see makes a new
  /// edition of the profile. Active relays receive it after the reply, and other relays later: see edition of the channel and of its relays.
  func update(_ request: UpdateChannel) async throws -> ChannelReply
  /// Adds relays to the channel. The number of wanted active relays grows by as many. Groups keep their one relay.
  func addRelays(_ request: ChannelsAddRelaysRequest) async throws -> ChannelReply
  /// Removes a relay from the channel. The relay is told, the link uses the other relays, and the number of wanted active relays falls by one.
  /// A relay that becomes reachable later remains removed.
  func removeRelay(_ request: ChannelsRemoveRelayRequest) async throws -> ChannelReply
  /// Reads the channel back from all of its relays now. The result appears in the statuses of the relays.
  func verify(_ request: ChannelsVerifyRequest) async throws -> ChannelReply
  /// Removes the channel from all of its relays. Baton keeps it as deleted, so that nothing restores it.
  func delete(_ request: ChannelsDeleteRequest) async throws -> ChannelReply
  /// Follows a channel that someone else runs: Baton reads it and publishes nothing in it. Of the methods that change channels, these work with
  /// it: Update of its name and custom data, the Set methods except SetFrozen, and Truncate without posts. Others are refused with NotOwned. If
  /// the channel is followed already, or is Baton's own, the reply returns it unchanged.
  func follow(_ request: ChannelsFollowRequest) async throws -> ChannelReply
  /// Stops following a channel and forgets the data that was read from it. On simplex the chat core leaves the channel, which its relays
  /// notice. If leaving is currently impossible, Baton keeps following it and the reply is NetworkUnavailable.
  func unfollow(_ request: ChannelsUnfollowRequest) async throws -> ChannelReply
  /// Mutes or unmutes a channel. Its messages are still read and counted.
  func setMuted(_ request: ChannelsSetMutedRequest) async throws -> ChannelReply
  /// Pins or unpins a channel. Lists that are sorted by the field pinned put it first.
  func setPinned(_ request: ChannelsSetPinnedRequest) async throws -> ChannelReply
  /// Sets whether the messages of a channel are read, how far back, and how many are kept. Messages read earlier are kept, up to the limit
  /// keep. Messages missed while reading was off are read once it is on again. For a followed channel reading is always on (NotOwned): use
  /// Unfollow to stop it.
  func setFollowing(_ request: ChannelsSetFollowingRequest) async throws -> ChannelReply
  /// Freezes or unfreezes a channel. While it is frozen, org.batond.Posts refuses to publish, edit, react, pin or import with ChannelFrozen.
  /// Posts can still be deleted, and posts that were accepted earlier are still delivered. A scheduled post that is due waits within its
  /// tolerance. Other people can still write in it on some networks: see frozenEnforced.
  func setFrozen(_ request: ChannelsSetFrozenRequest) async throws -> ChannelReply
  /// Hides a channel from the inbox, or shows it again. A hidden channel reappears when a new message or post arrives. Refused with NotFollowed
  /// if the channel's messages are not read.
  func setHidden(_ request: ChannelsSetHiddenRequest) async throws -> ChannelReply
  /// Removes the existing messages of a channel from Baton, but not from its relays, and resets its unread count. The channel and its posts are
  /// unchanged, and later messages are read as before. Messages written earlier do not return, even if they arrive later.
  func truncate(_ request: ChannelsTruncateRequest) async throws -> ChannelsTruncateReply
  /// Returns the history of a channel, oldest line first.
  func transitions(_ request: ChannelsTransitionsRequest) async throws -> ChannelsTransitionsReply
  /// Counts channels, including deleted ones. Counting takes longer the more channels there are. If it took more than a quarter of a second,
  /// the reply may be some minutes old. Figures of relays are in org.batond.Relays.
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
