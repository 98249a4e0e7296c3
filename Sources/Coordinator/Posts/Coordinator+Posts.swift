public import Channels
internal import RelayNetwork
public import Storage

extension Coordinator {
  /// Stores a new post with a delivery for each relay of its channel, and starts to deliver it. A scheduled post is stored without
  /// deliveries, after a check that it could be published now. Returns once that is durable.
  /// - Returns: the post, and whether it is new. Otherwise an earlier request with the same idempotency key published it.
  /// - Throws: `BatonError`, and nothing was stored.
  public func publish(_ request: PostRequest) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    let channel = try await ownChannel(request.channel)
    try request.checkKey()
    if let earlier = try await earlier(request) { return (try await snapshot(earlier), false) }
    if let same = try await sameReaction(request) { return (try await snapshot(same), false) }
    if let refusal = request.refusalIfNew { throw refusal }
    if !request.isDraft { try Self.checkThatItIsNotFrozen(channel.row) }
    let now = clock.timeOfDay
    try request.checkSchedule(at: now)
    let deletion = try await deletionOfReplaced(request, in: channel.row.content, on: try network(of: channel))
    let schedule = request.schedule(at: now)
    var new = NewPost(
      request: request, document: try await document(of: request, in: channel, isTrial: schedule != nil),
      digest: request.digest, schedule: schedule, deletion: deletion)
    if new.schedule != nil { new.document = .none }
    let published: PublishedPost = try await askPosts { .publish(new, $0) }
    return (snapshot(published.post, channel.row), published.isNew)
  }

  /// The message that the post with this key is about. `nil` if there is no such post, or it is not about a message.
  public func about(idempotencyKey key: String) async throws(BatonError) -> AboutMessage? {
    guard let posts else { return nil }
    let id: PostID?
    do {
      id = try await posts.posts(idempotencyKeys: [key])[key]
    } catch {
      throw BatonError(reading: error)
    }
    guard let id else { return nil }
    return try await storedPost(id).row.about
  }

  /// Gives a due scheduled post its form.
  func compose(_ request: PostRequest) async -> Result<PostDocument, BatonError> {
    do throws(BatonError) {
      let channel = try await ownChannel(request.channel)
      try Self.checkThatItIsNotFrozen(channel.row)
      return .success(try await document(of: request, in: channel))
    } catch {
      return .failure(error)
    }
  }

  /// - Throws: `frozen` if nothing may be published in the channel.
  static func checkThatItIsNotFrozen(_ channel: ChannelRow) throws(BatonError) {
    if channel.marks.isFrozen { throw .post(.frozen(channel.id)) }
  }

  /// The post in its network's form.
  /// - Parameter isTrial: whether it is only checked, and not published now.
  func document(
    of request: PostRequest, in channel: StoredChannel, isTrial: Bool = false
  ) async throws(BatonError) -> PostDocument {
    let network = try network(of: channel)
    if let target = request.reactionTo { return try await reaction(request, to: target, in: channel, on: network) }
    if let about = request.about, about.act.isAside {
      return try aside(request, to: about, in: channel, on: network)
    }
    var draft = try await draft(request, in: channel.row.content, on: network)
    draft.isTrial = isTrial
    let relays = directory.relays
    let places = channel.relays.filter { $0.record.status == .active }.compactMap { relays[$0.relay]?.address }
    let document: PostDocument
    do throws(PostFailure) {
      document = try network.compose(draft, in: channel.row.content, at: places)
    } catch {
      throw BatonError(error, on: network.kind)
    }
    tellOfPosts(of: request.channel)
    return document
  }

  /// From here on the task for posts hears of relays that the channel gets or leaves. Its current relays are read after this.
  func tellOfPosts(of channel: ChannelID) { directory.write { _ = $0.channelsWithPosts.insert(channel) } }

  func network(of channel: StoredChannel) throws(BatonError) -> any RelayNetwork {
    guard directory.canReach(channel.row.id, on: channel.row.network) else { throw .elsewhere(channel.row.id) }
    guard let network = directory.networks[channel.row.network] else {
      throw .networkUnavailable(channel.row.network, reason: "this daemon does not serve the network")
    }
    return network
  }

  /// Deletes a post on all of its relays. A post that no relay has yet is never sent. Returns once that is durable.
  /// - Parameter reason: the reason for readers. May be empty.
  public func deletePost(_ id: PostID, reason: String = "") async throws(BatonError) -> PostSnapshot {
    var post = try await storedPost(id)
    // It is deleted from the beginning. To try it again is another request.
    if post.row.about?.act == .removal { return try await snapshot(post) }
    if !post.row.isPublished {
      post = try await askPosts { .delete(id, nil, $0) }
      // Otherwise its time has come since.
      if post.row.deletedAt != nil { return try await snapshot(post) }
    }
    let channel = try await channel(post.row.channel)
    let network = try network(of: channel)
    let deletion: PostDocument
    do throws(PostFailure) {
      deletion = try network.composeDeletion(of: post.row.document, in: channel.row.content, reason: reason)
    } catch {
      throw BatonError(error, on: network.kind)
    }
    return try await snapshot(try await askPosts { .delete(id, deletion, $0) })
  }

  /// Tries a post again on one relay, or on all relays that do not have it as they should if `relay` is `nil`.
  public func retryPost(_ id: PostID, relay: RelayID? = nil) async throws(BatonError) -> PostSnapshot {
    try await checkThatNoPinFollows(id)
    return try await snapshot(try await askPosts { .retry(id, relay, $0) })
  }

  /// Cancels a post on relays that cannot have it yet.
  /// - Throws: `notCancellable` if there is no such relay.
  public func cancelPost(_ id: PostID) async throws(BatonError) -> PostSnapshot {
    try await snapshot(try await askPosts { .cancel(id, $0) })
  }

  /// Returns once all earlier requests about posts are done.
  func postBarrier() async throws(BatonError) { try await askPosts { .barrier($0) } }

  /// Returns stored posts as clients see them, in the same order.
  public func snapshots(_ posts: [StoredPost]) async throws -> [PostSnapshot] {
    snapshots(posts, in: try await channels.channels(Set(posts.map(\.row.channel))).found)
  }

  /// Returns stored posts as clients see them, in the same order.
  /// - Parameter channels: the readable channels of the posts.
  public func snapshots(_ posts: [StoredPost], in channels: [ChannelID: StoredChannel]) -> [PostSnapshot] {
    posts.map { snapshot($0, channels[$0.row.channel]?.row) }
  }

  // MARK: - Helpers

  /// The storage from which requests about posts read channels.
  private var channels: any CoordinatorStorage { posts ?? storage }

  /// - Parameter channel: the post's channel. `nil` if it is unreadable.
  func snapshot(_ post: StoredPost, _ channel: ChannelRow?) -> PostSnapshot {
    let (relays, states) = directory.read { ($0.catalog.relays, $0.networkStates) }
    let kind = channel?.network ?? .nostr
    let trouble = directory.canReach(post.row.channel, on: kind) ? states[kind]?.trouble?.trouble : nil
    let members = post.deliveries.map { delivery in
      PostSnapshot.Relay(
        id: delivery.relay, name: relays[delivery.relay]?.name ?? "relay \(delivery.relay.rawValue)",
        record: delivery.record, hasDeparted: delivery.hasDeparted,
        networkTrouble: delivery.record.task == nil ? nil : trouble)
    }
    return PostSnapshot(
      row: post.row, network: kind,
      channelName: channel?.profile.displayName ?? "channel \(post.row.channel.rawValue)", relays: members,
      notes: { directory.networks[kind]?.notes(on: post.row.document, publishedAt: post.row.createdAt) ?? [] }
    ) { showing in
      directory.networks[kind]?.link(to: post.row.document, at: showing.compactMap { relays[$0]?.address })
    }
  }

  func snapshot(_ post: StoredPost) async throws(BatonError) -> PostSnapshot {
    do {
      guard let snapshot = try await snapshots([post]).first else { throw BatonError.busy }
      return snapshot
    } catch {
      throw BatonError(reading: error)
    }
  }

  /// A channel, deleted or not.
  func channel(_ id: ChannelID) async throws(BatonError) -> StoredChannel {
    do {
      guard let channel = try await channels.channel(id) else { throw BatonError.noSuchChannel(id) }
      return channel
    } catch {
      throw BatonError(reading: error)
    }
  }

  /// A channel that Baton owns and that was not deleted.
  func ownChannel(_ id: ChannelID) async throws(BatonError) -> StoredChannel {
    let channel = try await channel(id)
    guard channel.row.deletedAt == nil else { throw .noSuchChannel(id) }
    guard channel.row.isOwned else { throw .following(.notOwned(id)) }
    return channel
  }

  /// The post of an earlier request with the same key, whatever happened to the posts that it refers to.
  /// - Throws: `keyReused` if that request was different, or the post was deleted.
  private func earlier(_ request: PostRequest) async throws(BatonError) -> StoredPost? {
    guard let key = request.idempotencyKey, let posts else { return nil }
    let id: PostID?
    do {
      id = try await posts.posts(idempotencyKeys: [key])[key]
    } catch {
      throw BatonError(reading: error)
    }
    guard let id else { return nil }
    let post = try await storedPost(id)
    if let conflict = post.row.conflict(with: request.digest) { throw conflict }
    return post
  }

  func storedPost(_ id: PostID) async throws(BatonError) -> StoredPost {
    guard let post = try await storedPosts([id])[id] else { throw .post(.noSuchPost(id)) }
    return post
  }

  func storedPosts(_ ids: Set<PostID>) async throws(BatonError) -> [PostID: StoredPost] {
    guard let posts else { throw .busy }
    do {
      let stored = try await posts.posts(ids)
      if let (_, error) = stored.unreadable.min(by: { $0.key < $1.key }) { throw error }
      return stored.found
    } catch {
      throw BatonError(reading: error)
    }
  }

  /// The draft for the network, with the posts that it refers to.
  private func draft(
    _ request: PostRequest, in content: ChannelContent, on network: any RelayNetwork
  ) async throws(BatonError) -> PostDraft {
    var draft = request.draft
    if let about = request.about { draft.replyTo = try messageReference(about, of: request, in: content, on: network) }
    guard request.quotes.count <= PostDraft.quotesMax else {
      let count = request.quotes.count
      throw .post(
        .invalidPost(
          field: PostRefusal.Field.quotes.rawValue,
          reason: "there are \(count) quotes, at most \(PostDraft.quotesMax) are allowed. Remove some"))
    }
    let named = Set(request.quotes + (request.replyTo.map { [$0] } ?? []))
    guard !named.isEmpty else { return draft }
    let posts = try await storedPosts(named)
    func reference(_ id: PostID, _ field: PostRefusal.Field) throws(BatonError) -> PostReference {
      func refusal(_ reason: String) -> BatonError { .post(.invalidPost(field: field.rawValue, reason: reason)) }
      guard let post = posts[id] else { throw refusal("there is no post \(id.rawValue). See batonctl post list") }
      // An edit keeps the parent and quotes of its post.
      guard post.row.deletedAt == nil || request.replaces != nil else {
        guard let new = post.row.replacedBy else { throw refusal("post \(id.rawValue) was deleted. Refer to another") }
        throw refusal("post \(id.rawValue) was edited, and post \(new.rawValue) takes its place. Refer to that one")
      }
      guard post.row.isPublished else { throw refusal("post \(id.rawValue) is not published yet. Refer to it once it is") }
      if let target = post.row.reactionTo {
        throw refusal("post \(id.rawValue) is a reaction, to post \(target.rawValue). Refer to that one")
      }
      if let aside = post.row.aside { throw refusal("post \(id.rawValue) is \(aside). Refer to another") }
      if field == .replyTo, post.row.channel != request.channel {
        throw refusal(
          "post \(id.rawValue) is in another channel. A reply must be in the channel of its parent, a quote need not")
      }
      guard let reference = self.reference(to: post, on: network) else {
        let reason =
          post.row.forgottenAt == nil
          ? "is on another network. Refer to one of this network" : "was forgotten. Refer to another"
        throw refusal("post \(id.rawValue) \(reason)")
      }
      return reference
    }
    if let parent = request.replyTo { draft.replyTo = try reference(parent, .replyTo) }
    var quotes: [PostReference] = []
    for id in request.quotes { quotes.append(try reference(id, .quotes)) }
    draft.quotes = quotes
    return draft
  }

  /// A stored post as other posts refer to it, with the relays where it was read back. `nil` if its network cannot refer to it.
  func reference(to post: StoredPost, on network: any RelayNetwork) -> PostReference? {
    let relays = directory.relays
    let showing = post.deliveries.filter { !$0.hasDeparted && $0.record.shown > 0 }
    return network.reference(to: post.row.document, at: showing.compactMap { relays[$0.relay]?.address })
  }

  /// - Parameter limit: the number of waiting requests at which this one is refused. `nil` means the general limit.
  func askPosts<Value>(limit: Int? = nil, _ input: (Reply<Value>) -> PostInput) async throws(BatonError) -> Value {
    let result = await withCheckedContinuation { continuation in
      let reply = Reply<Value> { continuation.resume(returning: $0) }
      let room = limit ?? max(0, requestsMax - directory.read { $0.postsOpen })
      if !postInbox.put(input(reply), limit: room) { continuation.resume(returning: .failure(.busy)) }
    }
    return try result.get()
  }
}

extension BatonError {
  init(_ failure: PostFailure, on network: NetworkKind) {
    switch failure {
    case .refused(let refusal): self = .post(.invalidPost(field: refusal.field.rawValue, reason: refusal.reason))
    case .unsupported(let reason): self = .post(.notSupported(network, reason: reason))
    case .unavailable(let reason): self = .networkUnavailable(network, reason: reason)
    }
  }
}
