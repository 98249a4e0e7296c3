public import ControlAPI
internal import StrictJSON
internal import Varlink

// Posts.
extension BatonClient {
  /// Publishes a post. Returns once it is durable.
  /// - Returns: the post, and whether it is new. It is not if an earlier call with the same idempotency key published it.
  public func publishPost(_ request: PostsPublishRequest) async throws -> PostsPublishReply {
    try PostsPublishReply(json: .object(try await call(PostsMethod.publish, try request.json.object ?? [:])))
  }

  /// Publishes a post and follows it until no relay is under way.
  public func publishPostAndFollow(
    _ request: PostsPublishRequest
  ) async throws -> some AsyncSequence<PostsPublishReply, any Error> & Sendable {
    try await stream(PostsMethod.publish, try request.json.object ?? [:]).map { try PostsPublishReply(json: .object($0)) }
  }

  /// Publishes a post in place of an earlier one, which is deleted once readers find the new one. Returns once both are durable.
  /// - Returns: the new post, and whether it is new. It is not if an earlier call with the same idempotency key made the edit.
  public func editPost(_ request: PostsEditRequest) async throws -> PostsEditReply {
    try PostsEditReply(json: .object(try await call(PostsMethod.edit, try request.json.object ?? [:])))
  }

  /// Edits a post and follows the new one until no relay is under way.
  public func editPostAndFollow(
    _ request: PostsEditRequest
  ) async throws -> some AsyncSequence<PostsEditReply, any Error> & Sendable {
    try await stream(PostsMethod.edit, try request.json.object ?? [:]).map { try PostsEditReply(json: .object($0)) }
  }

  public func post(id: Int64) async throws -> Post { try await post(.get, ["id": .integer(id)]) }

  /// A post, and what will happen on each of its relays if it is edited or deleted now.
  public func postAndActions(id: Int64) async throws -> PostsGetReply {
    try PostsGetReply(json: .object(try await call(PostsMethod.get, ["id": .integer(id)])))
  }

  /// A page of posts, highest id first.
  public func posts(_ request: PostsListRequest = PostsListRequest()) async throws -> PostsListReply {
    try PostsListReply(json: .object(try await call(PostsMethod.list, try request.json.object ?? [:])))
  }

  /// Posts as they change. Without `since` the first reply has the current revision and no post.
  public func watchPosts(
    _ request: PostsWatchRequest = PostsWatchRequest()
  ) async throws -> some AsyncSequence<PostsWatchReply, any Error> & Sendable {
    try await stream(PostsMethod.watch, try request.json.object ?? [:]).map { try PostsWatchReply(json: .object($0)) }
  }

  /// The latest lines of a post's history, oldest first.
  public func postTransitions(postID: Int64, limit: Int = 100) async throws -> [PostTransition] {
    let reply = try await call(PostsMethod.transitions, ["id": .integer(postID), "limit": .integer(Int64(limit))])
    return try [PostTransition](json: reply["transitions"] ?? [])
  }

  /// Deletes a post on all of its relays.
  /// - Parameter reason: the reason that readers see.
  public func deletePost(id: Int64, reason: String? = nil) async throws -> Post {
    var parameters: [String: JSONValue] = ["id": .integer(id)]
    parameters["reason"] = reason.map(JSONValue.string)
    return try await post(.delete, parameters)
  }

  /// Tries a post again on one relay, or on all that do not have it as they should.
  public func retryPost(id: Int64, relayId: Int64? = nil) async throws -> Post {
    var parameters: [String: JSONValue] = ["id": .integer(id)]
    parameters["relayId"] = relayId.map(JSONValue.integer)
    return try await post(.retry, parameters)
  }

  /// Publishes a draft, or another post that is not published yet.
  public func releasePost(_ request: PostsReleaseRequest) async throws -> Post {
    try PostReply(json: .object(try await call(PostsMethod.release, try request.json.object ?? [:]))).post
  }

  /// Cancels a post on relays that cannot have it yet.
  public func cancelPost(id: Int64) async throws -> Post { try await post(.cancel, ["id": .integer(id)]) }

  /// Publishes a channel's reaction to its own post, or to another person's message. Returns once it is durable.
  /// - Returns: the reaction, and whether it is new. It is not if the channel already had this reaction.
  public func reactToPost(_ request: PostsReactRequest) async throws -> PostsReactReply {
    try PostsReactReply(json: .object(try await call(PostsMethod.react, try request.json.object ?? [:])))
  }

  /// Lets a channel react to a post or message, and follows the reaction until no relay is under way.
  public func reactToPostAndFollow(
    _ request: PostsReactRequest
  ) async throws -> some AsyncSequence<PostsReactReply, any Error> & Sendable {
    try await stream(PostsMethod.react, try request.json.object ?? [:]).map { try PostsReactReply(json: .object($0)) }
  }

  /// Removes another person's message for all readers, in groups on Nostr and channels on SimpleX. Returns once that is durable.
  /// - Returns: the removal, or the post itself if the message is Baton's own post.
  public func removeMessage(_ request: PostsRemoveRequest) async throws -> PostsRemoveReply {
    try PostsRemoveReply(json: .object(try await call(PostsMethod.remove, try request.json.object ?? [:])))
  }

  /// Removes a message, and follows the removal until no relay is under way.
  public func removeMessageAndFollow(
    _ request: PostsRemoveRequest
  ) async throws -> some AsyncSequence<PostsRemoveReply, any Error> & Sendable {
    try await stream(PostsMethod.remove, try request.json.object ?? [:]).map { try PostsRemoveReply(json: .object($0)) }
  }

  /// Reports another person's message to the operators of the channel's relays. Returns once that is durable.
  public func reportMessage(_ request: PostsReportRequest) async throws -> PostsReportReply {
    try PostsReportReply(json: .object(try await call(PostsMethod.report, try request.json.object ?? [:])))
  }

  /// Reports a message, and follows the report until no relay is under way.
  public func reportMessageAndFollow(
    _ request: PostsReportRequest
  ) async throws -> some AsyncSequence<PostsReportReply, any Error> & Sendable {
    try await stream(PostsMethod.report, try request.json.object ?? [:]).map { try PostsReportReply(json: .object($0)) }
  }

  /// Adds a post to the pinned posts of its channel, which must be a group. Returns once that is durable.
  /// - Returns: the pin, and whether it is new. It is not if the post was pinned before.
  public func pinPost(id: Int64) async throws -> PostsPinReply {
    try PostsPinReply(json: .object(try await call(PostsMethod.pin, ["id": .integer(id)])))
  }

  /// Pins a post, and follows the pin until no relay is under way.
  public func pinPostAndFollow(id: Int64) async throws -> some AsyncSequence<PostsPinReply, any Error> & Sendable {
    try await stream(PostsMethod.pin, ["id": .integer(id)]).map { try PostsPinReply(json: .object($0)) }
  }

  /// Unpins a post.
  /// - Returns: the pin, which is being deleted.
  public func unpinPost(id: Int64) async throws -> Post { try await post(.unpin, ["id": .integer(id)]) }

  /// The published posts of a channel, as they were signed, lowest id first. The last reply has no post. If it does not arrive, the export
  /// is incomplete.
  public func exportPosts(
    _ request: PostsExportRequest
  ) async throws -> some AsyncSequence<PostsExportReply, any Error> & Sendable {
    try await stream(PostsMethod.export, try request.json.object ?? [:]).map { try PostsExportReply(json: .object($0)) }
  }

  /// Publishes a post that was signed before, or deletes a post as its author asked before.
  /// - Returns: the post, and whether anything changed.
  public func adoptPost(_ request: PostsAdoptRequest) async throws -> PostsAdoptReply {
    try PostsAdoptReply(json: .object(try await call(PostsMethod.adopt, try request.json.object ?? [:])))
  }

  /// Sets how long the posts of a channel are kept.
  /// - Parameters:
  ///   - keepDays: the number of days after their creation, or `nil` for no limit.
  ///   - keepCount: the number of newest posts, or `nil` for no limit.
  public func setPostRetention(channelId: Int64, keepDays: Int?, keepCount: Int?) async throws -> Retention {
    let request = PostsSetRetentionRequest(channelId: channelId, keepDays: keepDays, keepCount: keepCount)
    return try Retention(json: try await call(PostsMethod.setRetention, try request.json.object ?? [:])["retention"] ?? .null)
  }

  /// How long the posts of a channel are kept.
  public func postRetention(channelId: Int64) async throws -> Retention {
    try Retention(json: try await call(PostsMethod.getRetention, ["channelId": .integer(channelId)])["retention"] ?? .null)
  }

  /// The data needed to upload a file that a post of the channel will show.
  public func authorizeUpload(_ request: PostsAuthorizeUploadRequest) async throws -> PostsAuthorizeUploadReply {
    try PostsAuthorizeUploadReply(json: .object(try await call(PostsMethod.authorizeUpload, try request.json.object ?? [:])))
  }

  private func post(_ method: PostsMethod, _ parameters: [String: JSONValue]) async throws -> Post {
    try Post(json: try await call(method, parameters)["post"] ?? .null)
  }
}
