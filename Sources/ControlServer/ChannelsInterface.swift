internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Storage
internal import StrictJSON
internal import Varlink

/// `org.batond.Channels`.
struct ChannelsInterface: ChannelsService, ControlService {
  let context: ControlContext
  private var coordinator: Coordinator { context.coordinator }

  func get(_ request: ChannelsGetRequest) async throws -> ChannelReply {
    let snapshot = try await Self.find(request.id, request.name, context)
    return ChannelReply(channel: Channel(snapshot, await context.activities.of(snapshot.row.id)))
  }

  func list(_ request: ListRequest, _ stream: ReplyStream<ChannelsListReply>?) async throws -> ChannelsListReply {
    try await ListQuery.answer(
      request, stream, fields: Caller.mayRead ? Self.fields : Self.fieldsOfPublishers, isSortable: ChannelField.canSort,
      context, refusal: ChannelsRefusal.self
    ) { try await ChannelPage.read($0, context) }
  }

  func counts() async throws -> ChannelsCountsReply {
    let found = try await context.figures()
    let counts = found.value.census.channels.map {
      ChannelCount(network: $0.network.rawValue, phase: $0.phase.rawValue, channels: $0.count)
    }
    return ChannelsCountsReply(counts: counts, revision: found.value.census.revision, countedAt: found.at.text)
  }

  func link(_ request: ChannelsLinkRequest) async throws -> ChannelsLinkReply {
    let snapshot = try await Self.find(request.id, nil, context)
    guard let link = snapshot.link else { throw ChannelsRefusal.noLink(id: request.id) }
    return ChannelsLinkReply(
      link: link, usable: snapshot.isLinkUsable, activeRelays: snapshot.relays.filter { $0.record.status == .active }.count,
      wantedRelays: snapshot.row.wantedRelays)
  }

  func retryRelay(_ request: ChannelsRetryRelayRequest) async throws -> ChannelReply {
    let snapshot = try await coordinator.retry(
      ChannelID(rawValue: request.id), relay: request.relayId.map(RelayID.init(rawValue:)))
    return ChannelReply(channel: await context.channel(snapshot))
  }

  func addRelays(_ request: ChannelsAddRelaysRequest) async throws -> ChannelReply {
    let (named, pick) = (try Self.relays(request.relayIds) ?? [], request.pick ?? 0)
    guard named.isEmpty != (pick == 0) else { throw VarlinkError.invalidParameter("relayIds") }
    guard pick >= 0 else { throw VarlinkError.invalidParameter("pick") }
    guard pick <= ChannelRequest.relaysMax else {
      throw BatonError.tooManyRelays(wanted: pick, max: ChannelRequest.relaysMax)
    }
    let snapshot = try await coordinator.addRelays(
      named, pick: pick, to: ChannelID(rawValue: request.id))
    return ChannelReply(channel: await context.channel(snapshot))
  }

  /// The relays that a request names. Naming none is not the same as leaving the choice to Baton.
  private static func relays(_ ids: [Int64]?) throws(VarlinkError) -> [RelayID]? {
    guard ids?.isEmpty != true else { throw .invalidParameter("relayIds") }
    return ids?.map(RelayID.init(rawValue:))
  }

  func update(_ request: UpdateChannel) async throws -> ChannelReply {
    let request = request.withPlainTexts
    let edit = ChannelEdit(
      displayName: request.displayName, fullName: request.fullName, description: request.description,
      image: request.image, preferences: request.preferences, heal: request.heal, custom: request.custom,
      revision: request.revision)
    let id = ChannelID(rawValue: request.id)
    do throws(BatonError) {
      return ChannelReply(channel: await context.channel(try await coordinator.update(id, edit)))
    } catch .staleChannel(let current) {
      throw ChannelsRefusal.staleRevision(current: try await context.channel(current).json)
    }
  }

  // MARK: - Followed channels

  func follow(_ request: ChannelsFollowRequest) async throws -> ChannelReply {
    let snapshot = try await coordinator.follow(
      FollowRequest(
        link: request.link, relays: try Self.relays(request.relayIds), displayName: request.displayName,
        identity: request.identity, join: request.join ?? false))
    return ChannelReply(channel: await context.channel(snapshot))
  }

  func unfollow(_ request: ChannelsUnfollowRequest) async throws -> ChannelReply {
    let id = ChannelID(rawValue: request.id)
    let left = try await coordinator.unfollow(id, keepMembership: request.keepMembership ?? false)
    return ChannelReply(channel: await context.channel(left))
  }

  // MARK: - Marks of a channel

  func setMuted(_ request: ChannelsSetMutedRequest) async throws -> ChannelReply {
    try await change(request.id, ChannelEdit(isMuted: request.muted))
  }

  func setPinned(_ request: ChannelsSetPinnedRequest) async throws -> ChannelReply {
    try await change(request.id, ChannelEdit(isPinned: request.pinned))
  }

  func setFollowing(_ request: ChannelsSetFollowingRequest) async throws -> ChannelReply {
    if let days = request.days, !FollowingChoice.daysAllowed.contains(days) { throw VarlinkError.invalidParameter("days") }
    if let count = request.count, !FollowingChoice.countsAllowed.contains(count) {
      throw VarlinkError.invalidParameter("count")
    }
    if let keep = request.keep, !FollowingChoice.countsAllowed.contains(keep) { throw VarlinkError.invalidParameter("keep") }
    let choice = FollowingChoice(isOn: request.followed, days: request.days, count: request.count, keep: request.keep)
    return try await change(request.id, ChannelEdit(following: choice))
  }

  func setFrozen(_ request: ChannelsSetFrozenRequest) async throws -> ChannelReply {
    try await change(request.id, ChannelEdit(isFrozen: request.frozen))
  }

  func setHidden(_ request: ChannelsSetHiddenRequest) async throws -> ChannelReply {
    let clears = request.clearHistory ?? false
    guard request.hidden || !clears else { throw VarlinkError.invalidParameter("clearHistory") }
    let snapshot = try await Self.find(request.id, nil, context)
    guard coordinator.readsMessages, snapshot.row.deletedAt == nil else {
      throw ChannelsRefusal.notFollowed(id: request.id)
    }
    if clears { _ = try await coordinator.truncate(snapshot.row.id) }
    try await coordinator.hideMessages(of: snapshot.row.id, request.hidden)
    let hidden = try await Self.find(request.id, nil, context)
    return ChannelReply(channel: Channel(hidden, await context.activities.of(hidden.row.id)))
  }

  func truncate(_ request: ChannelsTruncateRequest) async throws -> ChannelsTruncateReply {
    let id = ChannelID(rawValue: request.id)
    // Messages that arrive while posts are being deleted are kept.
    let end = coordinator.timeOfDay
    let posts = request.posts == true ? try await coordinator.deletePosts(of: id) : DeletedPosts()
    let snapshot = try await coordinator.truncate(id, at: end)
    return ChannelsTruncateReply(
      channel: await context.channel(snapshot), deletedPosts: posts.count, failedPostId: posts.failed?.rawValue,
      failure: posts.failure.map { "\($0)" })
  }

  /// Changes a channel, and the marks that are stored with its messages.
  private func change(_ id: Int64, _ edit: ChannelEdit) async throws -> ChannelReply {
    let snapshot = try await coordinator.update(ChannelID(rawValue: id), edit)
    // If storage for messages does not work, it gets the change later.
    try? await coordinator.settleMessages(of: snapshot.row.id)
    return ChannelReply(channel: await context.channel(snapshot))
  }

  func removeRelay(_ request: ChannelsRemoveRelayRequest) async throws -> ChannelReply {
    let snapshot = try await coordinator.removeRelay(
      RelayID(rawValue: request.relayId), from: ChannelID(rawValue: request.id))
    return ChannelReply(channel: await context.channel(snapshot))
  }

  func verify(_ request: ChannelsVerifyRequest) async throws -> ChannelReply {
    ChannelReply(channel: await context.channel(try await coordinator.verify(ChannelID(rawValue: request.id))))
  }

  func delete(_ request: ChannelsDeleteRequest) async throws -> ChannelReply {
    ChannelReply(channel: await context.channel(try await coordinator.delete(ChannelID(rawValue: request.id))))
  }

  func transitions(_ request: ChannelsTransitionsRequest) async throws -> ChannelsTransitionsReply {
    let limit = request.limit ?? ListQuery.limitDefault
    guard (1...ListQuery.limitMax).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
    let snapshot = try await Self.find(request.id, nil, context)
    let names = Dictionary(snapshot.relays.map { ($0.id, $0.name) }) { first, _ in first }
    let rows = try await context.store.transitions(of: ChannelID(rawValue: request.id), limit: limit)
    return ChannelsTransitionsReply(
      transitions: rows.map { row in Transition(row, relayName: names[row.relay] ?? "relay \(row.relay.rawValue)") })
  }

  /// The summary is for people, and what only members may do is known to the network only.
  static let fields = ListFields(of: Interfaces.channels, without: ["summary", "access"])

  /// Conditions and orders could also reveal other people's messages.
  private static let fieldsOfPublishers = ListFields(
    fields.fields.filter {
      !["lastMessageAt", "lastMessage", "unread", "unreadMentions", "memberCount", "hidden"].contains($0.name)
    })

  func create(_ request: CreateChannel, _ stream: ReplyStream<ChannelReply>?) async throws -> ChannelReply {
    let profile = request.withPlainTexts.profile
    let kind = request.kind.map(ChannelKind.init(rawValue:)) ?? .channel
    guard let kind else { throw VarlinkError.invalidParameter("kind") }
    // Relays are named or picked.
    let relays = try Self.relays(request.relayIds)
    if let pick = request.pick, pick < 1 || relays != nil { throw VarlinkError.invalidParameter("pick") }
    let access = try (request.access ?? []).map { word throws(VarlinkError) in
      guard let access = GroupAccess(rawValue: word) else { throw .invalidParameter("access") }
      return access
    }
    if let members = request.members {
      guard (1...ChannelRequest.membersMax).contains(members.count) else { throw VarlinkError.invalidParameter("members") }
      guard request.idempotencyKey == nil else { throw VarlinkError.invalidParameter("idempotencyKey") }
    }
    let key = request.key.map(ChannelKey.init(rawValue:))
    if case .some(.none) = key { throw VarlinkError.invalidParameter("key") }
    let wanted = ChannelRequest(
      kind: kind, access: Set(access),
      profile: Channels.Profile(
        displayName: profile.displayName, fullName: profile.fullName, description: profile.description,
        image: profile.image),
      preferences: profile.preferences, network: try NetworkKind(requested: request.network), identity: request.identity,
      key: key ?? nil,
      relays: relays, pick: request.pick, heal: request.heal ?? true,
      custom: request.custom, idempotencyKey: request.idempotencyKey)
    let coordinator = coordinator
    func create() async throws -> ChannelSnapshot {
      guard let members = request.members else { return try await coordinator.create(wanted) }
      return try await coordinator.createGroup(wanted, of: members)
    }
    guard let stream else { return ChannelReply(channel: await context.channel(try await create())) }

    // The subscription precedes the request, so that no change is missed.
    guard let subscription = coordinator.hub.subscribe(ChangeSelection(kinds: [.channel])) else { throw BatonError.busy }
    defer { subscription.cancel() }
    let first = try await create()
    guard !first.hasSettled else { return ChannelReply(channel: await context.channel(first)) }
    subscription.select(ChangeSelection(kinds: [.channel], channels: [first.row.id]))
    return try await Self.follow(first, subscription, stream, context)
  }

  /// Sends a channel after every change, until no relay is under way. A client that reads slowly gets the channel in its state at that
  /// time.
  /// - Returns: the last reply.
  private static func follow(
    _ first: ChannelSnapshot, _ subscription: ChangeSubscription, _ stream: ReplyStream<ChannelReply>,
    _ context: ControlContext
  ) async throws -> ChannelReply {
    var latest = first
    try await stream.send(ChannelReply(channel: await context.channel(latest)))
    while true {
      let next: ChannelSnapshot
      switch subscription.take() {
      case .change(let entry):
        guard case .channel(let snapshot) = entry.change.object else { continue }
        next = snapshot
      case .nothing:
        await subscription.wait()
        continue
      case .missed, .tooSlow:
        // This comes first, so that the subscription brings every change after the read.
        subscription.rejoin()
        guard let stored = try await context.store.channel(latest.row.id) else { continue }
        next = context.coordinator.snapshot(stored)
      case .over: return ChannelReply(channel: await context.channel(latest))
      }
      guard next.row.revision > latest.row.revision else { continue }
      latest = next
      if latest.hasSettled { return ChannelReply(channel: await context.channel(latest)) }
      try await stream.send(ChannelReply(channel: await context.channel(latest)))
    }
  }

  /// How many channels of one name an error about the name lists.
  private static let sameNameMax = 10

  private static func find(_ id: Int64?, _ name: String?, _ context: ControlContext) async throws -> ChannelSnapshot {
    guard id != nil || name != nil else { throw VarlinkError.invalidParameter("id") }
    func none() -> ChannelsRefusal { .noSuchChannel(id: id, name: name) }
    var wanted = id.map(ChannelID.init(rawValue:))
    if wanted == nil, let name {
      let found = try await context.store.channels(named: name, limit: sameNameMax)
      guard found.count < 2 else {
        throw ChannelsRefusal.ambiguousName(name: name, channelIds: found.map(\.rawValue))
      }
      wanted = found.first
    }
    guard let wanted, let stored = try await context.store.channel(wanted) else { throw none() }
    if id != nil, let name, stored.row.profile.displayName != name { throw none() }
    return context.coordinator.snapshot(stored)
  }
}
