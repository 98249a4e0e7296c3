public import Channels
internal import RelayNetwork
internal import Storage

/// What became of a request to delete all posts of a channel.
public struct DeletedPosts: Sendable {
  /// How many are being deleted.
  public var count = 0
  /// The first one that could not be deleted; those behind it were not tried.
  public var failed: PostID?
  public var failure: BatonError?

  public init() {}
}

extension Coordinator {
  /// How many posts are read at once.
  private static let clearedAtOnce = 256

  /// Takes away what was said in a channel up to now, here and not on its relays. Returns once that is durable.
  /// - Parameter end: messages that were written then or before go; now if it is `nil`.
  public func truncate(_ channel: ChannelID, at end: Timestamp? = nil) async throws(BatonError) -> ChannelSnapshot {
    let snapshot = try await update(channel, ChannelEdit(truncatedAt: end ?? clock.timeOfDay))
    // Storage for messages that does not work at present gets to know later.
    try? await settleMessages(of: channel)
    return snapshot
  }

  /// Deletes the posts that a channel has published up to now on all of its relays, the newest first, until one cannot be deleted. What is
  /// only scheduled stays. Each deletion is durable by itself.
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
