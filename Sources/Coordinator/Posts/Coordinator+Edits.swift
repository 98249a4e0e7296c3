public import Channels
internal import RelayNetwork
internal import Storage

extension Coordinator {
  /// Publishes a post in place of an earlier one, which is deleted once readers find the new one. Returns once both are durable.
  /// - Parameter request: the new post. It has the channel, parent and quotes of the earlier post, and is published now, regardless of the
  ///   request.
  /// - Returns: the new post, and whether it is new. Otherwise an earlier request with the same idempotency key published it.
  /// - Throws: `invalidPost` with the field `id` if the earlier post was deleted, or edited before.
  public func editPost(_ id: PostID, as request: PostRequest) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    let row = try await storedPost(id).row
    if !row.isPublished, row.deletedAt == nil, !row.isAside { return try await rewrite(row, as: request) }
    if row.isAside, let refusal = row.refusalToBeReplaced { throw refusal }
    let channel = try await ownChannel(row.channel)
    let network = try network(of: channel)
    if network.editsInPlace {
      try Self.checkThatItIsNotFrozen(channel.row)
      return try await edit(id, as: request, on: network)
    }
    var request = request
    (request.channel, request.replyTo, request.quotes, request.replaces) = (row.channel, row.replyTo, row.quotes, id)
    (request.at, request.tolerance) = (nil, nil)
    (request.about, request.aboutPlace) = (row.about, nil)
    return try await publish(request)
  }

  /// Replaces the text of a post before it is published. The post keeps its number and time.
  private func rewrite(
    _ row: PostRow, as request: PostRequest
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    guard request.idempotencyKey == nil else {
      throw .post(
        .invalidPost(
          field: "idempotencyKey",
          reason:
            "the post is not published yet, so the edit changes the post itself, and may be repeated without a key. Leave it out"
        ))
    }
    guard var new = row.schedule?.request.flatMap(PostRequest.init(stored:)) else {
      throw .post(.invalidPost(field: "id", reason: "the stored request is damaged. Publish the text again"))
    }
    (new.text, new.mentions, new.contentWarning) = (request.text, request.mentions, request.contentWarning)
    (new.hashtags, new.emoji, new.attachments) = (request.hashtags, request.emoji, request.attachments)
    _ = try await document(of: new, in: try await ownChannel(row.channel), isTrial: true)
    return (try await snapshot(try await askPosts { .rewrite(row.id, new, $0) }), true)
  }

  /// Publishes a draft, or another unpublished post, at a time or now. Returns once that is durable.
  /// - Parameters:
  ///   - at: the time of day. `nil` means now.
  ///   - tolerance: how late it may still be published, in seconds. `nil` means an hour.
  public func releasePost(
    _ id: PostID, at time: Timestamp?, tolerance: Int?
  ) async throws(BatonError) -> PostSnapshot {
    let row = try await storedPost(id).row
    if let refusal = row.refusalOfNewTime { throw refusal }
    try PostRequest.check(time, tolerance: tolerance, now: clock.timeOfDay)
    let channel = try await ownChannel(row.channel)
    if time == nil { try Self.checkThatItIsNotFrozen(channel.row) }
    let release = PostRelease(post: id, at: time, tolerance: tolerance ?? PostRequest.toleranceDefault)
    return try await snapshot(try await askPosts { .release(release, $0) })
  }

  /// The maximum number of attempts to edit a post that keeps changing.
  private static let editsMax = 5

  /// Gives a post its next edition.
  private func edit(
    _ id: PostID, as request: PostRequest, on network: any RelayNetwork
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    guard request.idempotencyKey == nil else {
      throw .post(
        .invalidPost(
          field: "idempotencyKey",
          reason: "on \(network.kind.rawValue) an edit changes the post itself, and may be repeated without a key. Leave it out"
        ))
    }
    for _ in 0..<Self.editsMax {
      let row = try await storedPost(id).row
      if let refusal = row.refusalToBeReplaced { throw refusal }
      let document: PostDocument
      do throws(PostFailure) {
        document = try network.revise(row.document, publishedAt: row.createdAt, as: request.draft)
      } catch {
        throw BatonError(error, on: network.kind)
      }
      let revision = PostRevision(post: id, edition: row.edition + 1, text: request.text, document: document)
      let edited: StoredPost = try await askPosts { .edit(revision, $0) }
      // Another edit may have the same number, and the same text with other attachments.
      if edited.row.edition == revision.edition, edited.row.document.text == document.text {
        return (try await snapshot(edited), true)
      }
    }
    throw .busy
  }

  /// The request to delete the post that a new one replaces. `nil` if it replaces none.
  func deletionOfReplaced(
    _ request: PostRequest, in content: ChannelContent, on network: any RelayNetwork
  ) async throws(BatonError) -> PostDocument? {
    guard let id = request.replaces else { return nil }
    let row = try await storedPost(id).row
    if let refusal = row.refusalToBeReplaced { throw refusal }
    do throws(PostFailure) {
      return try network.composeDeletion(of: row.document, in: content, reason: "")
    } catch {
      throw BatonError(error, on: network.kind)
    }
  }
}
