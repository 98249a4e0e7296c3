internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import Synchronization

/// Reads the newest posts of channels for replies and changes; lists read them together with their channels.
final class LastPosts: Sendable {
  private struct Place: Hashable {
    let channel: ChannelID
    let revision: Int64
  }

  private let store: any ControlStorage
  private let underWay = Mutex<[Place: Task<LastPost?, Never>]>([:])

  init(_ store: any ControlStorage) { self.store = store }

  /// The newest post of a channel; `nil` also while it cannot be read, because a request does not fail for that.
  func of(_ channel: ChannelID) async -> LastPost? { try? await store.lastPosts(of: [channel])[channel] }

  /// The same for a change that many subscribers are told of at once: those who ask while it is being read share that read.
  /// - Parameter revision: of the change.
  func of(_ channel: ChannelID, changedAt revision: Int64) async -> LastPost? {
    let place = Place(channel: channel, revision: revision)
    let read = underWay.withLock { underWay in
      if let read = underWay[place] { return read }
      let read = Task {
        let post = await self.of(channel)
        self.underWay.withLock { $0[place] = nil }
        return post
      }
      underWay[place] = read
      return read
    }
    return await read.value
  }
}

extension ControlContext {
  /// A channel as the reply to a change has it.
  func channel(_ snapshot: ChannelSnapshot) async -> Channel {
    Channel(snapshot, coordinator.hasPosts ? await lastPosts.of(snapshot.row.id) : nil)
  }

  /// The newest posts of channels whose changes are caught up with; channels without one are left out.
  func lastPosts(of channels: Set<ChannelID>) async throws -> [ChannelID: LastPost] {
    guard coordinator.hasPosts, !channels.isEmpty else { return [:] }
    return try await store.lastPosts(of: channels)
  }

  /// The newest post of the channel that a change is about; `nil` if its message is made already, or has none.
  func lastPost(for entry: ChangeEntry) async -> LastPost? {
    guard case .channel(let snapshot) = entry.change.object, coordinator.hasPosts, !entry.hasMessage else { return nil }
    return await lastPosts.of(snapshot.row.id, changedAt: entry.change.revision)
  }
}

extension Coordinator {
  /// Whether there has ever been a post; as long as there has not, changes cost no read.
  fileprivate var hasPosts: Bool { postHub.revision > 0 }
}
