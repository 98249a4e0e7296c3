internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import Synchronization

/// The latest posts and messages of a channel, as far as channels show them. They change without a change of the channel.
struct ChannelActivity: Hashable, Sendable {
  /// Its newest post, or `nil` if it has none.
  var lastPost: LastPost?
  /// `nil` if its messages are not read.
  var conversation: ConversationSummary?
}

/// Reads the activity of channels for replies, changes and lists.
final class ChannelActivities: Sendable {
  private struct Place: Hashable {
    let channel: ChannelID
    let revision: Int64
  }

  private let store: any ControlStorage
  private let messages: (any MessageReading)?
  private let underWay = Mutex<[Place: Task<ChannelActivity, Never>]>([:])

  init(_ store: any ControlStorage, _ messages: (any MessageReading)?) {
    self.store = store
    self.messages = messages
  }

  /// The activity of a channel. A part that cannot be read is left out, because a request does not fail for that.
  func of(_ channel: ChannelID) async -> ChannelActivity {
    ChannelActivity(
      lastPost: try? await store.lastPosts(of: [channel])[channel],
      conversation: await conversations(of: [channel])[channel])
  }

  /// Summaries of the messages of channels. There are none if they cannot be read, because messages are a copy and lists do without them,
  /// or if the caller must not read them.
  func conversations(of channels: Set<ChannelID>) async -> [ChannelID: ConversationSummary] {
    guard Caller.mayRead, !channels.isEmpty, let found = try? await messages?.summaries(of: channels) else { return [:] }
    return found
  }

  /// The activity for a change that is sent to many subscribers: calls during a read share it.
  /// - Parameter revision: of the change.
  func of(_ channel: ChannelID, changedAt revision: Int64) async -> ChannelActivity {
    let place = Place(channel: channel, revision: revision)
    let read = underWay.withLock { underWay in
      if let read = underWay[place] { return read }
      let read = Task {
        let activity = await self.of(channel)
        self.underWay.withLock { $0[place] = nil }
        return activity
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
    // A channel that was just made has no activity yet.
    let isNew = snapshot.row.edition == 1 && snapshot.row.updatedAt == snapshot.row.createdAt
    return Channel(snapshot, isNew || !coordinator.hasActivity ? ChannelActivity() : await activities.of(snapshot.row.id))
  }

  /// The activity of channels whose changes are caught up with.
  func activities(of channels: Set<ChannelID>) async throws -> [ChannelID: ChannelActivity] {
    guard coordinator.hasActivity, !channels.isEmpty else { return [:] }
    let posts = try await store.lastPosts(of: channels)
    let conversations = await activities.conversations(of: channels)
    return channels.reduce(into: [:]) {
      $0[$1] = ChannelActivity(lastPost: posts[$1], conversation: conversations[$1])
    }
  }

  /// The activity of the channel that a change is about. It is empty if the message of the change is made already, or has no activity.
  func activity(for entry: ChangeEntry) async -> ChannelActivity {
    guard case .channel(let snapshot) = entry.change.object, coordinator.hasActivity, !entry.hasMessage else {
      return ChannelActivity()
    }
    return await activities.of(snapshot.row.id, changedAt: entry.change.revision)
  }
}

extension Coordinator {
  /// Whether there has ever been a post or a conversation. Until there is one, changes cost no read.
  fileprivate var hasActivity: Bool { postHub.revision > 0 || messageHub.revision > 0 }
}
