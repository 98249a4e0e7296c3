public import Channels
public import RelayNetwork
internal import Storage

// Who belongs to channels.
extension Coordinator {
  /// Asks the relay of a channel to let someone in, or out. The wish is a post of its own, which takes the place of an earlier wish about the
  /// same person. Returns once it is durable.
  /// - Returns: the post, and whether it is new; otherwise the same wish is on its way.
  /// - Throws: `notSupported` where no one belongs to channels, and `invalidPost` with the field that must be changed, among others.
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

  /// Finds out whether a change of who belongs to a channel is possible there.
  /// - Throws: as `changeMembership`.
  public func checkMembership(in id: ChannelID, _ change: MembershipChange) async throws(BatonError) {
    let channel = try await ownChannel(id)
    let network = try network(of: channel)
    do throws(PostFailure) {
      _ = try network.composeMembership(change, in: channel.row.content)
    } catch {
      throw BatonError(error, on: network.kind)
    }
  }

  /// Leaves someone's request to be let into a channel out of lists.
  /// - Returns: whether they had asked.
  /// - Throws: `notFollowed`, among others.
  public func declineMember(_ author: String, in channel: ChannelID) async throws(BatonError) -> Bool {
    try await askMessages(of: channel) { .decline(author, in: channel, $0) }
  }
}
