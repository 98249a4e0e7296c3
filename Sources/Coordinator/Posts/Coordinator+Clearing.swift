public import Channels
internal import RelayNetwork
internal import Storage

/// The result of a request to delete all posts of a channel.
public struct DeletedPosts: Sendable {
  /// The number of posts that are being deleted.
  public var count = 0
  /// The first post that could not be deleted. Posts after it were not tried.
  public var failed: PostID?
  public var failure: BatonError?

  public init() {}
}

extension Coordinator {
  /// The number of posts that are read together.
  private static let clearedAtOnce = 256

  /// Deletes the messages of a channel up to a time in Baton, and not on its relays. Returns once that is durable.
  /// - Parameter end: messages of this time or earlier are deleted. `nil` means now.
  public func truncate(_ channel: ChannelID, at end: Timestamp? = nil) async throws(BatonError) -> ChannelSnapshot {
    let snapshot = try await update(channel, ChannelEdit(truncatedAt: end ?? clock.timeOfDay))
    // If storage for messages does not work now, it follows later.
    try? await settleMessages(of: channel)
    return snapshot
  }

  /// Deletes the published posts of a channel on all of its relays, newest first, until one cannot be deleted. Scheduled posts are kept.
  /// Each deletion is durable by itself.
  public func deletePosts(of channel: ChannelID) async throws(BatonError) -> DeletedPosts {
    _ = try await ownChannel(channel)
    guard let posts else { throw .busy }
    var deleted = DeletedPosts()
    var place = PostID(rawValue: .max)
    while true {
      let page: [PostID]
      let found: StoredPosts
      do {
        page = try await posts.posts(of: channel, before: place, limit: Self.clearedAtOnce)
        found = try await posts.posts(Set(page))
      } catch {
        throw BatonError(reading: error)
      }
      guard let last = page.last else { return deleted }
      place = last
      for id in page {
        if let damage = found.unreadable[id] {
          (deleted.failed, deleted.failure) = (id, BatonError(reading: damage))
          return deleted
        }
        guard let row = found.found[id]?.row, row.isPublished, row.deletedAt == nil, !row.isAside else { continue }
        do throws(BatonError) {
          _ = try await deletePost(id)
          deleted.count += 1
        } catch {
          (deleted.failed, deleted.failure) = (id, error)
          return deleted
        }
      }
    }
  }
}
