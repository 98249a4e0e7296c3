internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Logging
internal import RelayNetwork
internal import Storage
internal import Varlink

/// `org.batond.Posts`.
struct PostsInterface: PostsService, ControlService {
  let context: ControlContext
  private var coordinator: Coordinator { context.coordinator }

  func publish(
    _ request: PostsPublishRequest, _ stream: ReplyStream<PostsPublishReply>?
  ) async throws -> PostsPublishReply {
    let request = request.withPlainTexts
    let (first, isNew) = try await coordinator.publish(try await answering(request, try PostRequest(request)))
    if isNew { note(first, by: .publish) }
    return try await follow(first, stream) { PostsPublishReply(post: $0, isNew: isNew) }
  }

  func edit(_ request: PostsEditRequest, _ stream: ReplyStream<PostsEditReply>?) async throws -> PostsEditReply {
    let request = request.withPlainTexts
    let (first, isNew) = try await coordinator.editPost(PostID(rawValue: request.id), as: try PostRequest(request))
    if isNew { note(first, by: .edit) }
    return try await follow(first, stream) { PostsEditReply(post: $0, isNew: isNew) }
  }

  func release(_ request: PostsReleaseRequest) async throws -> PostReply {
    let snapshot = try await coordinator.releasePost(
      PostID(rawValue: request.id), at: try PostRequest.time(request.at), tolerance: request.tolerance)
    note(snapshot, by: .release)
    return PostReply(post: Post(snapshot))
  }

  func notesCallers(of method: PostsMethod) -> Bool {
    [.publish, .release, .edit, .react, .remove, .report, .pin, .adopt].contains(method)
  }

  /// Logs the caller who made a post, such as an edit or a reaction, as soon as it is durable: the client may leave before the end. There
  /// may be many, so the log limits them.
  func note(_ post: PostSnapshot, by method: PostsMethod) {
    let (id, channel) = (post.row.id.rawValue, post.row.channel.rawValue)
    context.logger.event(
      .postPublished, .notice,
      "\(method.rawValue) of post \(id) by \(Caller.words)",
      ["BATON_POST": "\(id)", "BATON_CHANNEL": "\(channel)"])
  }

  /// Sends a post after every change, until no relay is under way. A client that reads slowly gets the post in its state at that time.
  /// - Parameter stream: accepts all replies but the last one, or `nil` for a client that accepts only one.
  /// - Returns: the last reply.
  func follow<Reply>(
    _ first: PostSnapshot, _ stream: ReplyStream<Reply>?, _ reply: (Post) -> Reply
  ) async throws -> Reply {
    try await follow(first, stream) { (snapshot: PostSnapshot) in reply(Post(snapshot)) }
  }

  /// The same for replies that show another part of the post.
  func follow<Reply>(
    _ first: PostSnapshot, _ stream: ReplyStream<Reply>?, _ reply: (PostSnapshot) -> Reply
  ) async throws -> Reply {
    guard let stream, !first.hasSettled else { return reply(first) }
    let (hub, id) = (coordinator.postHub, first.row.id)
    hub.follow(id)
    defer { hub.unfollow(id) }
    var latest = first
    var seen = first.row.revision
    try await stream.send(reply(latest))
    while await hub.wait(after: seen, for: id) {
      try Task.checkCancellation()
      // This comes first, so that every change after the read wakes the next wait.
      seen = max(seen, hub.revision)
      guard let next = try await snapshot(of: id), next.row.revision > latest.row.revision else { continue }
      latest = next
      if latest.hasSettled { break }
      try await stream.send(reply(latest))
    }
    try Task.checkCancellation()
    return reply(latest)
  }

  func react(_ request: PostsReactRequest, _ stream: ReplyStream<PostsReactReply>?) async throws -> PostsReactReply {
    let (first, isNew) = try await react(request)
    if isNew { note(first, by: .react) }
    return try await follow(first, stream) { PostsReactReply(post: $0, isNew: isNew) }
  }

  func get(_ request: PostsGetRequest) async throws -> PostsGetReply {
    let snapshot = try await find(request.id)
    return PostsGetReply(post: Post(snapshot), actions: coordinator.actions(on: snapshot).map(PostAction.init))
  }

  func list(_ request: PostsListRequest) async throws -> PostsListReply {
    let question = try PostQuestion(request)
    try await check(question)
    let page = try await context.posts.posts(question)
    let posts = try await context.snapshots(page.posts).map(Post.init)
    return PostsListReply(
      posts: posts, hasOlder: page.hasOlder, hasNewer: page.hasNewer,
      unreadable: page.unreadable.isEmpty ? nil : page.unreadable.map { Int($0.rawValue) }, revision: page.revision)
  }

  /// - Throws: a refusal if the question names an object that does not exist.
  private func check(_ question: PostQuestion) async throws {
    if let channel = question.channel, try await context.store.channels([channel]).isUnknown(channel) {
      throw PostsRefusal.noSuchChannel(id: channel.rawValue, name: nil)
    }
    if let relay = question.relay, !coordinator.relays.contains(where: { $0.id == relay }) {
      throw PostsRefusal.noSuchRelay(id: relay.rawValue)
    }
    if let target = question.reactionTo { _ = try await find(target.rawValue) }
  }

  func watch(_ request: PostsWatchRequest, _ stream: ReplyStream<PostsWatchReply>) async throws -> PostsWatchReply {
    let hub = coordinator.postHub
    var newest = hub.revision
    if let since = request.since {
      // A list may have read a commit that is about to be published to its watchers.
      if since > newest { newest = try await context.posts.postCounters().revision }
      guard since >= 0, since <= newest else { throw VarlinkError.invalidParameter("since") }
    } else {
      try await stream.send(PostsWatchReply(revision: newest))
    }
    var watcher = PostWatcher(request, after: request.since ?? newest, stream, context)
    return try await watcher.run()
  }

  func transitions(_ request: PostsTransitionsRequest) async throws -> PostsTransitionsReply {
    let limit = request.limit ?? ListQuery.limitDefault
    guard (1...ListQuery.limitMax).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
    let snapshot = try await find(request.id)
    let names = Dictionary(snapshot.relays.map { ($0.id, $0.name) }) { first, _ in first }
    let rows = try await context.posts.postTransitions(of: snapshot.row.id, limit: limit)
    return PostsTransitionsReply(
      transitions: rows.map { row in PostTransition(row, relayName: names[row.relay] ?? "relay \(row.relay.rawValue)") })
  }

  func delete(_ request: PostsDeleteRequest) async throws -> PostReply {
    let reason = request.withPlainTexts.reason ?? ""
    return PostReply(post: Post(try await coordinator.deletePost(PostID(rawValue: request.id), reason: reason)))
  }

  func retry(_ request: PostsRetryRequest) async throws -> PostReply {
    let relay = request.relayId.map(RelayID.init(rawValue:))
    return PostReply(post: Post(try await coordinator.retryPost(PostID(rawValue: request.id), relay: relay)))
  }

  func cancel(_ request: PostsCancelRequest) async throws -> PostReply {
    PostReply(post: Post(try await coordinator.cancelPost(PostID(rawValue: request.id))))
  }

  func pin(_ request: PostsPinRequest, _ stream: ReplyStream<PostsPinReply>?) async throws -> PostsPinReply {
    let id = PostID(rawValue: request.id)
    try await checkThatNoPinIsLeaving(of: id)
    let (first, isNew) = try await coordinator.pinPost(id)
    if isNew { note(first, by: .pin) }
    return try await follow(first, stream) { PostsPinReply(post: $0, isNew: isNew) }
  }

  /// The number of the newest reactions to a post among which an earlier pin of it is looked for.
  private static let pinsMax = 100

  /// Refuses to pin a post again while its earlier pin is being removed: a repeated removal would also remove the new one.
  private func checkThatNoPinIsLeaving(of id: PostID) async throws {
    let pins = try await context.posts.posts(PostQuestion(withDeleted: true, reactionTo: id, limit: Self.pinsMax)).posts
      .filter { $0.row.text == PostRow.pinText }
    guard let leaving = pins.first(where: \.isLeaving), pins.allSatisfy({ $0.row.deletedAt != nil }) else { return }
    throw BatonError.pinIsLeaving(leaving.row.id, of: id)
  }

  func unpin(_ request: PostsUnpinRequest) async throws -> PostReply {
    PostReply(post: Post(try await coordinator.unpinPost(PostID(rawValue: request.id))))
  }

  func export(_ request: PostsExportRequest, _ stream: ReplyStream<PostsExportReply>) async throws -> PostsExportReply {
    try await PostExporter(request, stream, context).run()
  }

  func adopt(_ request: PostsAdoptRequest) async throws -> PostsAdoptReply {
    let (post, isNew) = try await coordinator.adopt(request.document, in: ChannelID(rawValue: request.channelId))
    if isNew { note(post, by: .adopt) }
    return PostsAdoptReply(post: Post(post), isNew: isNew)
  }

  func setRetention(_ request: PostsSetRetentionRequest) async throws -> RetentionReply {
    let channel = ChannelID(rawValue: request.channelId)
    let retention = PostRetention(channel: channel, days: request.keepDays, count: request.keepCount)
    return RetentionReply(retention: Retention(try await coordinator.setRetention(retention)))
  }

  func getRetention(_ request: PostsGetRetentionRequest) async throws -> RetentionReply {
    let channel = ChannelID(rawValue: request.channelId)
    guard try await !context.store.channels([channel]).isUnknown(channel) else {
      throw PostsRefusal.noSuchChannel(id: channel.rawValue, name: nil)
    }
    return RetentionReply(retention: Retention(try await context.posts.postRetention(of: channel)))
  }

  func authorizeUpload(_ request: PostsAuthorizeUploadRequest) async throws -> PostsAuthorizeUploadReply {
    let digits = "0123456789abcdef".utf8
    guard request.sha256.utf8.count == 64, request.sha256.utf8.allSatisfy(digits.contains) else {
      throw VarlinkError.invalidParameter("sha256")
    }
    guard request.sizeBytes > 0 else { throw VarlinkError.invalidParameter("sizeBytes") }
    let upload = try await coordinator.authorizeUpload(
      sha256: request.sha256, sizeBytes: Int64(request.sizeBytes), in: ChannelID(rawValue: request.channelId))
    return PostsAuthorizeUploadReply(
      servers: upload.servers, authorization: upload.authorization, expiresAt: upload.expiresAt.text)
  }

  private func find(_ id: Int64) async throws -> PostSnapshot {
    guard let snapshot = try await snapshot(of: PostID(rawValue: id)) else { throw PostsRefusal.noSuchPost(id: id) }
    return snapshot
  }

  /// The present state of the post, or `nil` if there is none.
  private func snapshot(of id: PostID) async throws -> PostSnapshot? {
    guard let stored = try await context.posts.post(id) else { return nil }
    return try await context.snapshots([stored]).first
  }
}

extension ControlContext {
  /// Posts as clients see them. Their channels are read on the threads for clients: the coordinator must not wait for readers.
  func snapshots(_ posts: [StoredPost]) async throws -> [PostSnapshot] {
    guard !posts.isEmpty else { return [] }
    return coordinator.snapshots(posts, in: try await store.channels(Set(posts.map(\.row.channel))).found)
  }
}

extension StoredChannels {
  /// Whether no channel has this id, not even a damaged one.
  func isUnknown(_ channel: ChannelID) -> Bool { found[channel] == nil && unreadable[channel] == nil }
}
