public import Channels
public import Storage

extension ControlStore: PostReading {
  public func post(_ id: PostID) async throws -> StoredPost? { try await ask(.little) { try $0.post(id) } }

  public func posts(_ ids: Set<PostID>) async throws -> StoredPosts { try await ask(.much) { try $0.posts(ids) } }

  public func posts(_ question: PostQuestion) async throws -> PostPage { try await ask(.much) { try $0.posts(question) } }

  public func changedPosts(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (posts: [StoredPost], through: Int64) {
    try await ask(.much) { try $0.changedPosts(after: revision, channels: channels, limit: limit) }
  }

  public func postTransitions(of post: PostID, limit: Int) async throws -> [PostTransitionRow] {
    try await ask(.little) { try $0.postTransitions(of: post, limit: limit) }
  }

  public func postCounters() async throws -> PostCounters { try await ask(.little) { try $0.postCounters() } }

  public func postRetention(of channel: ChannelID) async throws -> PostRetention {
    try await ask(.little) { try $0.postRetention(of: channel) }
  }
}
