public import Channels
internal import RelayNetwork
internal import Storage

extension Coordinator {
  /// Lets a post's channel react to it. A reaction is a separate post, which is delivered and deleted like others. Returns once it is
  /// durable.
  /// - Parameters:
  ///   - reaction: the text, such as `+` or an emoji. While the channel has this reaction to the post, the same text is the same reaction.
  ///   - emoji: the addresses of pictures for `:shortcode:`, by the shortcode.
  /// - Returns: the reaction, and whether it is new.
  /// - Throws: `invalidPost` with the field `id` if the post is not published, was deleted or edited, or is itself a reaction.
  ///   `notSupported` if the network has no reactions.
  public func react(
    to id: PostID, with reaction: String, emoji: [String: String] = [:], idempotencyKey: String? = nil
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    let target = try await storedPost(id).row
    guard reaction != PostRow.pinText else {
      throw .post(
        .invalidPost(
          field: PostRefusal.Field.reaction.rawValue, reason: "'\(reaction)' is not a reaction. To pin the post, ask for that"))
    }
    return try await publish(
      PostRequest(
        channel: target.channel, text: reaction, emoji: emoji, idempotencyKey: idempotencyKey, reactionTo: id))
  }

  /// The equal reaction that exists already. `nil` without one, or if the request is not a reaction.
  func sameReaction(_ request: PostRequest) async throws(BatonError) -> StoredPost? {
    guard let reaction = request.reaction, let posts else { return nil }
    let id: PostID?
    do {
      id = try await posts.posts(reacting: [reaction])[reaction]
    } catch {
      throw BatonError(reading: error)
    }
    guard let id else { return nil }
    let post = try await storedPost(id)
    // It may have been deleted since.
    return post.row.deletedAt == nil ? post : nil
  }

  /// A reaction in its network's form.
  func reaction(
    _ request: PostRequest, to id: PostID, in channel: StoredChannel, on network: any RelayNetwork
  ) async throws(BatonError) -> PostDocument {
    let target = try await storedPost(id)
    if let refusal = target.row.refusalToBeReactedTo { throw refusal }
    guard let reference = reference(to: target, on: network) else {
      throw .networkUnavailable(network.kind, reason: "the stored post is unreadable, so no one can react to it")
    }
    let document: PostDocument
    let content = channel.row.content
    do throws(PostFailure) {
      document =
        request.text == PostRow.pinText
        ? try network.composePin(of: reference, in: content)
        : try network.composeReaction(
          ReactionDraft(target: reference, text: request.text, emoji: request.emoji), in: content)
    } catch {
      throw BatonError(error, on: network.kind)
    }
    tellOfPosts(of: request.channel)
    return document
  }

  // MARK: - Pins

  /// Adds a post to the pinned posts of its channel. The pin is a separate post, like a reaction. Returns once it is durable.
  /// - Returns: the pin, and whether it is new. Otherwise the post was pinned before.
  /// - Throws: like `react`. `notSupported` if channels have no pinned posts.
  public func pinPost(_ id: PostID) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    let target = try await storedPost(id).row
    return try await publish(PostRequest(channel: target.channel, text: PostRow.pinText, reactionTo: id))
  }

  /// Removes the pin of a post. Returns once that is durable.
  /// - Returns: the pin, which is being deleted.
  /// - Throws: `invalidPost` with the field `id` if the post is not pinned. `notSupported` if channels have no pinned posts.
  public func unpinPost(_ id: PostID) async throws(BatonError) -> PostSnapshot {
    let target = try await storedPost(id).row
    let request = PostRequest(channel: target.channel, text: PostRow.pinText, reactionTo: id)
    guard let pin = try await sameReaction(request) else {
      if let refusal = try await refusalOfPins(in: target) { throw refusal }
      throw .post(.invalidPost(field: "id", reason: "post \(id.rawValue) is not pinned"))
    }
    return try await deletePost(pin.row.id)
  }

  /// Why a post's channel has no pins. `nil` if it has, or that is unknown.
  private func refusalOfPins(in target: PostRow) async throws(BatonError) -> BatonError? {
    let channel = try await channel(target.channel)
    let network = try network(of: channel)
    guard let reference = network.reference(to: target.document, at: []) else { return nil }
    do throws(PostFailure) {
      _ = try network.composePin(of: reference, in: channel.row.content)
    } catch {
      if case .unsupported = error { return BatonError(error, on: network.kind) }
    }
    return nil
  }

  /// Refuses to remove a pin again if its post was pinned again since: that would remove the new pin, too.
  func checkThatNoPinFollows(_ id: PostID) async throws(BatonError) {
    let row = try await storedPost(id).row
    guard row.deletedAt != nil, row.text == PostRow.pinText, let target = row.reactionTo else { return }
    let request = PostRequest(channel: row.channel, text: row.text, reactionTo: target)
    guard let pin = try await sameReaction(request) else { return }
    throw .post(
      .invalidPost(
        field: "id",
        reason: "post \(target.rawValue) was pinned again since, by post \(pin.row.id.rawValue). Unpin it to take both away"))
  }
}
