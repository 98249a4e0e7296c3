public import Channels
internal import RelayNetwork
public import Storage

// Posts that were signed before: an export contains them as they were signed, and an import stores exactly that.
extension Coordinator {
  /// Stores a post that the channel's author signed before, with its date and signature, and starts to deliver it like a new one. A request
  /// to delete a post is accepted too, and deletes it. Returns once that is durable.
  /// - Parameter text: the signed text. It may contain anything.
  /// - Returns: the post, and whether anything changed. A known post is unchanged, even if it was deleted.
  /// - Throws: `BatonError`, and nothing was stored.
  public func adopt(_ text: String, in id: ChannelID) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    let channel = try await ownChannel(id)
    let network = try network(of: channel)
    let signed: SignedPost
    do throws(PostFailure) {
      signed = try network.signed(text, in: channel.row.content)
    } catch {
      throw BatonError(error, on: network.kind)
    }
    switch signed {
    case .post(let post): return try await adopt(post, in: channel)
    case .deletion(let document, let name): return try await adopt(document, deleting: name, in: channel)
    }
  }

  private func adopt(
    _ post: SignedPost.Message, in channel: StoredChannel
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    try Self.checkThatItIsNotFrozen(channel.row)
    let parents = try await posts(named: post.replyTo.map { [$0] } ?? [], of: channel.row.id)
    let quoted = try await posts(named: Set(post.quotes), of: nil)
    let request = PostRequest(
      channel: channel.row.id, text: post.text, replyTo: parents.values.first, quotes: post.quotes.compactMap { quoted[$0] })
    // From here on the task for posts hears of relays that the channel gets or leaves. Its current relays are read after this.
    directory.write { _ = $0.channelsWithPosts.insert(request.channel) }
    let new = NewPost(request: request, document: post.document, digest: request.digest, signedAt: post.date)
    let published: PublishedPost = try await askPosts { .publish(new, $0) }
    return (snapshot(published.post, channel.row), published.isNew)
  }

  /// A deletion is passed on only if Baton has the deleted post.
  private func adopt(
    _ deletion: PostDocument, deleting name: String, in channel: StoredChannel
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    guard let id = try await posts(named: [name], of: channel.row.id)[name] else {
      throw .post(
        .invalidPost(
          field: PostRefusal.Field.document.rawValue,
          reason: "it deletes \(name), which is not a post of this channel that Baton knows, so nothing has to be deleted"))
    }
    let isNew = try await storedPost(id).row.deletedAt == nil
    let post: StoredPost = try await askPosts { .delete(id, deletion, $0) }
    return (snapshot(post, channel.row), isNew)
  }

  private func posts(named names: Set<String>, of channel: ChannelID?) async throws(BatonError) -> [String: PostID] {
    guard !names.isEmpty else { return [:] }
    guard let posts else { throw .busy }
    do {
      return try await posts.posts(networkIDs: names, of: channel)
    } catch {
      throw BatonError(reading: error)
    }
  }
}

/// The exported form of a published post.
public enum PostExport: Hashable, Sendable {
  /// The signed text in one line: the post, or the request to delete it.
  case signed(String)
  /// Its text was forgotten.
  case forgotten
  /// Its network has no signatures that others could verify.
  case unsigned
}

extension Coordinator {
  /// The exported form of a post. `nil` if it was not published, or is a reaction.
  /// - Parameter kind: the network of its channel.
  public func export(_ row: PostRow, on kind: NetworkKind) -> PostExport? {
    guard row.isPublished, !row.isAside else { return nil }
    func signed(_ document: PostDocument) -> PostExport? {
      directory.networks[kind]?.signedText(of: document).map { .signed($0) }
    }
    if row.deletedAt != nil, let deletion = row.deletion.flatMap(signed) { return deletion }
    if row.forgottenAt != nil { return .forgotten }
    return row.deletedAt == nil ? signed(row.document) ?? .unsigned : .unsigned
  }
}
