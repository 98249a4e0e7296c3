public import Channels
internal import RelayNetwork
internal import Storage

extension Coordinator {
  /// Lets the channel of a post react to it. A reaction is a post of its own, which is delivered and deleted like others. Returns once
  /// it is durable.
  /// - Parameters:
  ///   - reaction: what it says, such as `+` or an emoji. As long as the channel says this to the post, it is the same reaction.
  ///   - emoji: the address of the picture that `:shortcode:` stands for, by the shortcode.
  /// - Returns: the reaction, and whether it is new.
  /// - Throws: `invalidPost` with the field `id` if the post is not published, was deleted or edited, or is itself a reaction;
  ///   `notSupported` if the network does not react.
  public func react(
    to id: PostID, with reaction: String, emoji: [String: String] = [:], idempotencyKey: String? = nil
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    let target = try await storedPost(id).row
    return try await publish(
      PostRequest(
        channel: target.channel, text: reaction, emoji: emoji, idempotencyKey: idempotencyKey, reactionTo: id))
  }

  /// The reaction that says the same already; `nil` if there is none, or no reaction is asked for.
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
    // It may have been deleted meanwhile.
    return post.row.deletedAt == nil ? post : nil
  }

  /// A reaction in the form that its network gives it.
  func reaction(
    _ request: PostRequest, to id: PostID, in channel: StoredChannel, on network: any RelayNetwork
  ) async throws(BatonError) -> PostDocument {
    let target = try await storedPost(id)
    if let refusal = target.row.refusalToBeReactedTo { throw refusal }
    let relays = directory.relays
    let showing = target.deliveries.filter { !$0.hasDeparted && $0.record.shown > 0 }
    guard let reference = network.reference(to: target.row.document, at: showing.compactMap { relays[$0.relay]?.address })
    else { throw .networkUnavailable(network.kind, reason: "the stored post cannot be read, so nobody can react to it") }
    let document: PostDocument
    do throws(PostFailure) {
      document = try network.composeReaction(
        ReactionDraft(target: reference, text: request.text, emoji: request.emoji), in: channel.row.content)
    } catch {
      throw BatonError(error, on: network.kind)
    }
    // What the channel has now is read after this.
    directory.write { _ = $0.channelsWithPosts.insert(request.channel) }
    return document
  }

  // MARK: - Pins

  /// Pins a post, or takes the pin away.
  /// - Throws: `notSupported`: there is no network where Baton does that.
  public func pinPost(_ id: PostID) async throws(BatonError) -> PostSnapshot {
    let channel = try await channel(try await storedPost(id).row.channel)
    let network = try network(of: channel)
    throw .post(.notSupported(network.kind, reason: network.whyNotPinned(in: channel.row.content)))
  }
}
