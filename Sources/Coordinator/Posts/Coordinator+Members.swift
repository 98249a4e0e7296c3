public import Channels
public import RelayNetwork
internal import Storage

// Members of channels.
extension Coordinator {
  /// Asks a channel's relay to add or remove a member. The request is a separate post, which replaces an earlier one about the same person.
  /// Returns once it is durable.
  /// - Returns: the post, and whether it is new. Otherwise the same request is on its way.
  /// - Throws: `notSupported` if the channel has no members, and `invalidPost` with the field to change, among others.
  public func changeMembership(
    in id: ChannelID, _ change: MembershipChange
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    let channel = try await ownChannel(id)
    let network = try network(of: channel)
    let content = channel.row.content
    let (document, giving): (PostDocument, PostDocument)
    do throws(PostFailure) {
      document = try network.composeMembership(change, in: content)
      giving = try network.composeDeletion(of: document, in: content, reason: "")
    } catch {
      throw BatonError(error, on: network.kind)
    }
    tellOfPosts(of: id)
    let request = PostRequest(
      channel: id, text: change.text,
      about: AboutMessage(act: .membership, networkID: change.person, author: change.person))
    let new = NewPost(request: request, document: document, digest: request.digest, deletion: giving)
    let published: PublishedPost = try await askPosts { .publish(new, $0) }
    return (snapshot(published.post, channel.row), published.isNew)
  }

  /// Checks whether a change of a channel's members is possible.
  /// - Throws: like `changeMembership`.
  public func checkMembership(in id: ChannelID, _ change: MembershipChange) async throws(BatonError) {
    let channel = try await ownChannel(id)
    let network = try network(of: channel)
    do throws(PostFailure) {
      _ = try network.composeMembership(change, in: channel.row.content)
    } catch {
      throw BatonError(error, on: network.kind)
    }
  }

  /// Leaves a request to join a channel out of lists.
  /// - Returns: whether there was one.
  /// - Throws: `notFollowed`, among others.
  public func declineMember(_ author: String, in channel: ChannelID) async throws(BatonError) -> Bool {
    try await askMessages(of: channel) { .decline(author, in: channel, $0) }
  }
}
