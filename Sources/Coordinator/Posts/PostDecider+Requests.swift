internal import Channels
internal import RelayNetwork
internal import Storage
internal import StrictJSON

// Requests of clients.
extension PostDecider {
  mutating func publish(_ new: NewPost, _ reply: Reply<PublishedPost>, _ facts: PostFacts) {
    func refuse(_ error: BatonError) {
      open.answers.append(PostDecision.Answer(asker: .published(reply, isNew: false), error: error))
    }
    if let trouble = facts.trouble { return refuse(.storageUnavailable(reason: trouble)) }
    let request = new.request
    guard slots.contains(request.channel) else { return refuse(.elsewhere(request.channel)) }
    if let key = request.idempotencyKey, let id = open.keys[key] ?? facts.keys[key] {
      guard let row = awake[id]?.row else { return refuse(refusal(of: id, facts)) }
      if let conflict = row.conflict(with: new.digest) { return refuse(conflict) }
      open.seen.insert(id)
      open.answers.append(PostDecision.Answer(asker: .published(reply, isNew: false), post: id))
      return
    }
    if new.signedAt != nil, let id = open.names[new.name] ?? facts.names[new.name] {
      // It is the same post, whatever happened to it since.
      guard awake[id] != nil else { return refuse(refusal(of: id, facts)) }
      open.seen.insert(id)
      open.answers.append(PostDecision.Answer(asker: .published(reply, isNew: false), post: id))
      return
    }
    guard let channel = facts.channels[request.channel], channel.row.deletedAt == nil else {
      return refuse(.noSuchChannel(request.channel))
    }
    guard channel.row.isOwned else { return refuse(.following(.notOwned(request.channel))) }
    // Removals, changes of members and drafts are allowed in a frozen channel.
    if channel.row.marks.isFrozen, new.removal == nil, request.membership == nil, !request.isDraft {
      return refuse(.post(.frozen(request.channel)))
    }
    if let damage = facts.damagedRoutes[request.channel] { return refuse(.storageDamaged(reason: damage)) }
    if let old = request.replaces, let refusal = refusal(toReplace: old, facts) { return refuse(refusal) }
    if let reaction = request.reaction, let answer = answer(to: reaction, facts) {
      switch answer {
      case .success(let same):
        open.seen.insert(same)
        open.answers.append(PostDecision.Answer(asker: .published(reply, isNew: false), post: same))
      case .failure(let error): refuse(error)
      }
      return
    }
    let earlier = request.membership.flatMap { open.reactions[$0] ?? facts.reactions[$0] }
    if let earlier, let answer = answer(repeating: request, earlier) {
      switch answer {
      case .success(let same):
        open.seen.insert(same)
        open.answers.append(PostDecision.Answer(asker: .published(reply, isNew: false), post: same))
      case .failure(let error): refuse(error)
      }
      return
    }
    guard let id = insert(new) else { return refuse(.elsewhere(request.channel)) }
    if let earlier {
      awake[earlier]?.row.deletion = new.deletion
      withdraw(earlier)
    }
    if let old = request.replaces { replace(old, by: id, new.deletion) }
    if let schedule = new.schedule {
      if !schedule.isDraft { lookAtSchedules(noLaterThan: schedule.publishAt) }
    } else {
      start(id, at: Self.members(of: channel), isRemoval: new.removal != nil)
      align(publishing: id, in: channel, from: id, facts)
    }
    if let removal = new.removal {
      awake[id]?.row.deletion = removal
      withdraw(id)
    }
    if let key = request.idempotencyKey { open.keys[key] = id }
    if let reaction = request.reaction ?? request.membership { open.reactions[reaction] = id }
    open.answers.append(PostDecision.Answer(asker: .published(reply, isNew: true), post: id))
  }

  /// - Returns: its id. `nil` if there is no slot for it.
  private mutating func insert(_ new: NewPost) -> PostID? {
    guard let number = slots.next(after: counters.post) else { return nil }
    counters.post = number
    let id = PostID(rawValue: number)
    let row = PostRow(
      id: id, channel: new.request.channel, document: new.document, text: new.request.text, replyTo: new.request.replyTo,
      quotes: new.request.quotes, reactionTo: new.request.reactionTo, about: new.request.about,
      createdAt: new.signedAt ?? timeOfDay,
      idempotencyKey: new.request.idempotencyKey,
      requestDigest: new.request.idempotencyKey == nil ? nil : new.digest, deliveryCount: 0,
      schedule: new.schedule, revision: 0)
    awake[id] = Awake(row: row, deliveries: [])
    open.created.insert(id)
    if new.schedule == nil, new.removal == nil { open.names[new.name] = id }
    open.show(id)
    return id
  }

  /// Gives a post that is published now a delivery for each relay of its channel.
  /// - Parameter isRemoval: whether another person's message is to be deleted there.
  mutating func start(_ id: PostID, at members: [RelayID], isRemoval: Bool = false) {
    awake[id]?.row.deliveryCount = members.count
    awake[id]?.deliveries = members.map { relay in
      let salt = Self.salt(id, relay)
      let machine = isRemoval ? DeliveryMachine(deleting: salt, now: now) : DeliveryMachine(salt: salt, now: now)
      return Awake.Delivery(relay: relay, machine: machine, hasDeparted: false)
    }
    for relay in members {
      open.save(id, relay)
      if !isRemoval { lanes[relay, default: PostLane()].offer(id) }
      open.touchedLanes.insert(relay)
    }
  }

  /// Aligns the routes of a channel with its relays. A new post has its deliveries already.
  /// - Parameter cursor: the first post with complete deliveries.
  mutating func align(publishing id: PostID, in channel: StoredChannel, from cursor: PostID, _ facts: PostFacts) {
    let (members, routes) = (Self.members(of: channel), routes(of: channel.row.id, facts))
    guard routes.isEmpty else { return align(channel.row.id, members, routes, from: cursor) }
    for relay in members {
      open.save(
        PostRouteRow(
          channel: channel.row.id, relay: relay, status: .joined, cursor: PostID(rawValue: 0),
          compareAt: nextComparison(of: channel.row.id, at: relay)))
    }
  }

  /// - Parameter deletion: `nil` for an unpublished post. A post that was published since is kept.
  mutating func delete(_ id: PostID, _ deletion: PostDocument?, _ reply: Reply<StoredPost>, _ facts: PostFacts) {
    guard let post = awake[id] else { return refuse(id, reply, facts) }
    if post.row.deletedAt == nil, deletion != nil || !post.row.isPublished {
      awake[id]?.row.deletion = deletion
      scheduleTroubles[id] = nil
      withdraw(id)
    }
    answer(id, reply)
  }

  mutating func retry(_ id: PostID, at relay: RelayID?, _ reply: Reply<StoredPost>, _ facts: PostFacts) {
    guard let post = awake[id] else { return refuse(id, reply, facts) }
    if let relay, !post.deliveries.contains(where: { $0.relay == relay && !$0.hasDeparted }) {
      return refuse(reply, relays[relay] == nil ? .noSuchRelay(relay) : .notInChannel(relay))
    }
    if post.row.deletedAt == nil, let refusal = post.row.refusal(ifForgotten: "it cannot be sent again. Publish another") {
      return refuse(reply, refusal)
    }
    if post.row.isExpired, !post.row.isDraft { publishNow(id) }
    for delivery in post.deliveries where relay == nil || delivery.relay == relay {
      feed(.retryRequested, to: id, at: delivery.relay)
    }
    answer(id, reply)
  }

  mutating func cancel(_ id: PostID, _ reply: Reply<StoredPost>, _ facts: PostFacts) {
    guard let post = awake[id] else { return refuse(id, reply, facts) }
    guard post.row.isPublished else {
      if post.row.isScheduled { giveUp(id, "it was cancelled") }
      return answer(id, reply)
    }
    var cancelled = 0
    for delivery in post.deliveries {
      feed(.cancelRequested, to: id, at: delivery.relay)
      let isSkipped = awake[id]?.machine(at: delivery.relay)?.state.status == .skipped
      if isSkipped, delivery.machine.state.status != .skipped { cancelled += 1 }
    }
    guard cancelled > 0 else { return refuse(reply, .post(.notCancellable(id))) }
    answer(id, reply)
  }

  // MARK: - Posts that are not published yet

  /// Publishes a post at a time, or now.
  mutating func release(_ release: PostRelease, _ reply: Reply<StoredPost>, _ facts: PostFacts) {
    let id = release.post
    guard let post = awake[id] else { return refuse(id, reply, facts) }
    if let refusal = post.row.refusalOfNewTime { return refuse(reply, refusal) }
    // It is on its way.
    guard !composing.contains(id) else { return answer(id, reply) }
    awake[id]?.row.schedule?.tolerance = release.tolerance
    publish(id, at: release.at ?? timeOfDay)
    answer(id, reply)
  }

  /// Replaces the text and extras of a post before it is published.
  mutating func rewrite(_ id: PostID, as request: PostRequest, _ reply: Reply<StoredPost>, _ facts: PostFacts) {
    guard let post = awake[id] else { return refuse(id, reply, facts) }
    if let refusal = post.row.refusalOfNewTime { return refuse(reply, refusal) }
    guard !composing.contains(id) else { return refuse(reply, .busy) }
    awake[id]?.row.text = request.text
    awake[id]?.row.schedule?.request = request.json.text
    open.revised.insert(id)
    open.show(id)
    answer(id, reply)
  }

  // MARK: - Answers

  private mutating func answer(_ id: PostID, _ reply: Reply<StoredPost>) {
    open.seen.insert(id)
    open.answers.append(PostDecision.Answer(asker: .post(reply), post: id))
  }

  private mutating func refuse(_ reply: Reply<StoredPost>, _ error: BatonError) {
    open.answers.append(PostDecision.Answer(asker: .post(reply), error: error))
  }

  /// Refuses a request for a post that is not in memory.
  private mutating func refuse(_ id: PostID, _ reply: Reply<StoredPost>, _ facts: PostFacts) {
    refuse(reply, refusal(of: id, facts))
  }

  /// Why a post is not in memory.
  func refusal(of id: PostID, _ facts: PostFacts) -> BatonError {
    if let trouble = facts.trouble { return .storageUnavailable(reason: trouble) }
    if let row = facts.posts.found[id]?.row, !slots.contains(row.channel) { return .elsewhere(row.channel) }
    guard leftAlone[id] != nil else { return .post(.noSuchPost(id)) }
    return .storageUnavailable(reason: "post \(id.rawValue) is skipped, because Baton cannot read or store it")
  }
}

extension PostRow {
  /// Why a request with the key of this post cannot be answered with it. `nil` if it can.
  /// - Parameter digest: the digest of the request.
  func conflict(with digest: String) -> BatonError? {
    if deletedAt != nil { return .post(.keyReused(id, isDeleted: true)) }
    return requestDigest == digest ? nil : .post(.keyReused(id, isDeleted: false))
  }
}
