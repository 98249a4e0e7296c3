// Written by `make generate` from org.batond.Channels.varlink.

public import ControlAPI
public import StrictJSON

extension BatonClient {
  /// The calls of `org.batond.Channels`.
  public var channels: ChannelsClient { ChannelsClient(client: self) }
}

/// Calls the methods of `org.batond.Channels`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `ChannelsRefusal` turns into a case with fields.
public struct ChannelsClient: Sendable {
  let client: BatonClient

  /// Creates a channel and starts inviting its relays. Returns once the channel is durable. With 'more' it sends the channel after every change
  /// until no relay is under way.
  public func create(_ request: CreateChannel) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.create, request)
    return reply.channel
  }

  /// Creates a channel and starts inviting its relays. Returns once the channel is durable. With 'more' it sends the channel after every change
  /// until no relay is under way.
  public func createAndFollow(_ request: CreateChannel) async throws -> some AsyncSequence<Channel, any Error> & Sendable {
    try await client.replies(to: ChannelsMethod.create, request, of: ChannelReply.self).map { $0.channel }
  }

  /// Returns one channel, given its id or a name that no other channel has. If both are given, they must belong to the same channel.
  public func get(_ request: ChannelsGetRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.get, request)
    return reply.channel
  }

  /// Returns one channel, given its id or a name that no other channel has. If both are given, they must belong to the same channel.
  public func get(id: Int64? = nil, name: String? = nil) async throws -> Channel {
    try await get(ChannelsGetRequest(id: id, name: name))
  }

  /// Lists channels. With 'more' it sends one page per reply until the list ends.
  public func list(_ request: ListRequest = ListRequest()) async throws -> ChannelsListReply {
    try await client.reply(to: ChannelsMethod.list, request)
  }

  /// Lists channels. With 'more' it sends one page per reply until the list ends.
  public func listAndFollow(_ request: ListRequest = ListRequest()) async throws -> some AsyncSequence<
    ChannelsListReply, any Error
  > & Sendable {
    try await client.replies(to: ChannelsMethod.list, request, of: ChannelsListReply.self)
  }

  /// All pages of `list`.
  public func all(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Channel] {
    try await client.pages(ListRequest(filter: filter, sort: sort), of: list) { ($0.channels, $0.nextCursor) }
  }

  /// Returns the link that a reader opens to join.
  public func link(_ request: ChannelsLinkRequest) async throws -> ChannelsLinkReply {
    try await client.reply(to: ChannelsMethod.link, request)
  }

  /// Returns the link that a reader opens to join.
  public func link(id: Int64) async throws -> ChannelsLinkReply {
    try await link(ChannelsLinkRequest(id: id))
  }

  /// Retries one relay that is not active, or all of them.
  public func retryRelay(_ request: ChannelsRetryRelayRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.retryRelay, request)
    return reply.channel
  }

  /// Retries one relay that is not active, or all of them.
  public func retryRelay(id: Int64, relayId: Int64? = nil) async throws -> Channel {
    try await retryRelay(ChannelsRetryRelayRequest(id: id, relayId: relayId))
  }

  /// Changes a channel. Absent fields are unchanged. Returns once the change is durable. A change to the part that readers see makes a new
  /// edition of the profile. Active relays receive it after the reply, and other relays later: see edition of the channel and of its relays.
  public func update(_ request: UpdateChannel) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.update, request)
    return reply.channel
  }

  /// Adds relays to the channel. The number of wanted active relays grows by as many. Groups keep their one relay.
  public func addRelays(_ request: ChannelsAddRelaysRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.addRelays, request)
    return reply.channel
  }

  /// Adds relays to the channel. The number of wanted active relays grows by as many. Groups keep their one relay.
  public func addRelays(id: Int64, relayIds: [Int64]? = nil, pick: Int? = nil) async throws -> Channel {
    try await addRelays(ChannelsAddRelaysRequest(id: id, relayIds: relayIds, pick: pick))
  }

  /// Removes a relay from the channel. The relay is told, the link uses the other relays, and the number of wanted active relays falls by one.
  /// A relay that becomes reachable later remains removed.
  public func removeRelay(_ request: ChannelsRemoveRelayRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.removeRelay, request)
    return reply.channel
  }

  /// Removes a relay from the channel. The relay is told, the link uses the other relays, and the number of wanted active relays falls by one.
  /// A relay that becomes reachable later remains removed.
  public func removeRelay(id: Int64, relayId: Int64) async throws -> Channel {
    try await removeRelay(ChannelsRemoveRelayRequest(id: id, relayId: relayId))
  }

  /// Reads the channel back from all of its relays now. The result appears in the statuses of the relays.
  public func verify(_ request: ChannelsVerifyRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.verify, request)
    return reply.channel
  }

  /// Reads the channel back from all of its relays now. The result appears in the statuses of the relays.
  public func verify(id: Int64) async throws -> Channel {
    try await verify(ChannelsVerifyRequest(id: id))
  }

  /// Removes the channel from all of its relays. Baton keeps it as deleted, so that nothing restores it.
  public func delete(_ request: ChannelsDeleteRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.delete, request)
    return reply.channel
  }

  /// Removes the channel from all of its relays. Baton keeps it as deleted, so that nothing restores it.
  public func delete(id: Int64) async throws -> Channel {
    try await delete(ChannelsDeleteRequest(id: id))
  }

  /// Follows a channel that someone else runs: Baton reads it and publishes nothing in it. Of the methods that change channels, these work with
  /// it: Update of its name and custom data, the Set methods except SetFrozen, and Truncate without posts. Others are refused with NotOwned. If
  /// the channel is followed already, or is Baton's own, the reply returns it unchanged.
  public func follow(_ request: ChannelsFollowRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.follow, request)
    return reply.channel
  }

  /// Stops following a channel and forgets the data that was read from it. On simplex the chat core leaves the channel, which its relays
  /// notice. If leaving is currently impossible, Baton keeps following it and the reply is NetworkUnavailable.
  public func unfollow(_ request: ChannelsUnfollowRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.unfollow, request)
    return reply.channel
  }

  /// Stops following a channel and forgets the data that was read from it. On simplex the chat core leaves the channel, which its relays
  /// notice. If leaving is currently impossible, Baton keeps following it and the reply is NetworkUnavailable.
  public func unfollow(id: Int64, keepMembership: Bool? = nil) async throws -> Channel {
    try await unfollow(ChannelsUnfollowRequest(id: id, keepMembership: keepMembership))
  }

  /// Mutes or unmutes a channel. Its messages are still read and counted.
  public func setMuted(_ request: ChannelsSetMutedRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.setMuted, request)
    return reply.channel
  }

  /// Mutes or unmutes a channel. Its messages are still read and counted.
  public func setMuted(id: Int64, muted: Bool) async throws -> Channel {
    try await setMuted(ChannelsSetMutedRequest(id: id, muted: muted))
  }

  /// Pins or unpins a channel. Lists that are sorted by the field pinned put it first.
  public func setPinned(_ request: ChannelsSetPinnedRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.setPinned, request)
    return reply.channel
  }

  /// Pins or unpins a channel. Lists that are sorted by the field pinned put it first.
  public func setPinned(id: Int64, pinned: Bool) async throws -> Channel {
    try await setPinned(ChannelsSetPinnedRequest(id: id, pinned: pinned))
  }

  /// Sets whether the messages of a channel are read, how far back, and how many are kept. Messages read earlier are kept, up to the limit
  /// keep. Messages missed while reading was off are read once it is on again. For a followed channel reading is always on (NotOwned): use
  /// Unfollow to stop it.
  public func setFollowing(_ request: ChannelsSetFollowingRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.setFollowing, request)
    return reply.channel
  }

  /// Freezes or unfreezes a channel. While it is frozen, org.batond.Posts refuses to publish, edit, react, pin or import with ChannelFrozen.
  /// Posts can still be deleted, and posts that were accepted earlier are still delivered. A scheduled post that is due waits within its
  /// tolerance. Other people can still write in it on some networks: see frozenEnforced.
  public func setFrozen(_ request: ChannelsSetFrozenRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.setFrozen, request)
    return reply.channel
  }

  /// Freezes or unfreezes a channel. While it is frozen, org.batond.Posts refuses to publish, edit, react, pin or import with ChannelFrozen.
  /// Posts can still be deleted, and posts that were accepted earlier are still delivered. A scheduled post that is due waits within its
  /// tolerance. Other people can still write in it on some networks: see frozenEnforced.
  public func setFrozen(id: Int64, frozen: Bool) async throws -> Channel {
    try await setFrozen(ChannelsSetFrozenRequest(id: id, frozen: frozen))
  }

  /// Hides a channel from the inbox, or shows it again. A hidden channel reappears when a new message or post arrives. Refused with NotFollowed
  /// if the channel's messages are not read.
  public func setHidden(_ request: ChannelsSetHiddenRequest) async throws -> Channel {
    let reply: ChannelReply = try await client.reply(to: ChannelsMethod.setHidden, request)
    return reply.channel
  }

  /// Hides a channel from the inbox, or shows it again. A hidden channel reappears when a new message or post arrives. Refused with NotFollowed
  /// if the channel's messages are not read.
  public func setHidden(id: Int64, hidden: Bool, clearHistory: Bool? = nil) async throws -> Channel {
    try await setHidden(ChannelsSetHiddenRequest(id: id, hidden: hidden, clearHistory: clearHistory))
  }

  /// Removes the existing messages of a channel from Baton, but not from its relays, and resets its unread count. The channel and its posts are
  /// unchanged, and later messages are read as before. Messages written earlier do not return, even if they arrive later.
  public func truncate(_ request: ChannelsTruncateRequest) async throws -> ChannelsTruncateReply {
    try await client.reply(to: ChannelsMethod.truncate, request)
  }

  /// Removes the existing messages of a channel from Baton, but not from its relays, and resets its unread count. The channel and its posts are
  /// unchanged, and later messages are read as before. Messages written earlier do not return, even if they arrive later.
  public func truncate(id: Int64, posts: Bool? = nil) async throws -> ChannelsTruncateReply {
    try await truncate(ChannelsTruncateRequest(id: id, posts: posts))
  }

  /// Returns the history of a channel, oldest line first.
  public func transitions(_ request: ChannelsTransitionsRequest) async throws -> [Transition] {
    let reply: ChannelsTransitionsReply = try await client.reply(to: ChannelsMethod.transitions, request)
    return reply.transitions
  }

  /// Returns the history of a channel, oldest line first.
  public func transitions(id: Int64, limit: Int? = nil) async throws -> [Transition] {
    try await transitions(ChannelsTransitionsRequest(id: id, limit: limit))
  }

  /// Counts channels, including deleted ones. Counting takes longer the more channels there are. If it took more than a quarter of a second,
  /// the reply may be some minutes old. Figures of relays are in org.batond.Relays.
  public func counts() async throws -> ChannelsCountsReply {
    try await client.reply(to: ChannelsMethod.counts, Nothing())
  }
}
