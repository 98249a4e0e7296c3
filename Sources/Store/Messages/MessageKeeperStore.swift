public import Channels
internal import Dispatch
public import Storage

/// The store for the task that reads messages. SQLite blocks its caller, so each question is asked on a separate thread, one after the
/// other, as the task asks them.
public struct MessageKeeperStore: MessageStorage {
  private let store: MessageStore
  private let queue = DispatchQueue(label: "baton.message-store")

  public init(_ store: MessageStore) { self.store = store }

  /// Answers even if the task was cancelled: the caller continues until everything that was begun is done.
  private func ask<T: Sendable>(_ question: @escaping @Sendable (MessageStore) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [store] in continuation.resume(with: Result { try question(store) }) }
    }
  }

  public func messageCounters() async throws -> MessageCounters { try await ask { try $0.messageCounters() } }

  public func begin(_ channel: ChannelID, since: Timestamp) async throws {
    try await ask { try $0.begin(channel, since: since) }
  }

  public func take(_ read: [ReadNews], at now: Timestamp, within limits: MessageLimits) async throws -> MessageReceipt {
    try await ask { try $0.take(read, at: now, within: limits) }
  }

  public func mirror(_ posts: [MirroredPost], through revision: Int64) async throws -> MessageReceipt {
    try await ask { try $0.mirror(posts, through: revision) }
  }

  public func names(in channel: ChannelID, except served: Set<String>, limit: Int) async throws -> StoredNames {
    try await ask { try $0.names(in: channel, except: served, limit: limit) }
  }

  public func note(_ syncs: [MessageSyncRow]) async throws { try await ask { try $0.note(syncs) } }

  public func markRead(_ channel: ChannelID, through message: MessageID?) async throws -> ConversationRow? {
    try await ask { try $0.markRead(channel, through: message) }
  }

  public func markUnread(_ channel: ChannelID, from message: MessageID) async throws -> ConversationRow? {
    try await ask { try $0.markUnread(channel, from: message) }
  }

  public func end(_ channels: Set<ChannelID>) async throws -> MessageReceipt { try await ask { try $0.end(channels) } }

  public func channelsWithConversation() async throws -> [ChannelID: ConversationMarks] {
    try await ask { try $0.channelsWithConversation() }
  }

  public func mark(_ channel: ChannelID, _ marks: ConversationMarks) async throws -> MessageReceipt {
    try await ask { try $0.mark(channel, marks) }
  }

  public func hide(_ channel: ChannelID, at time: Timestamp?) async throws -> ConversationRow? {
    try await ask { try $0.hide(channel, at: time) }
  }

  public func pinMessage(_ message: MessageID, at time: Timestamp?) async throws -> MessagePinning? {
    try await ask { try $0.pinMessage(message, at: time) }
  }

  public func hideMessage(_ message: MessageID, at time: Timestamp?) async throws -> MessageReceipt? {
    try await ask { try $0.hideMessage(message, at: time) }
  }

  public func decline(_ author: String, in channel: ChannelID, at now: Timestamp) async throws -> MessageReceipt? {
    try await ask { try $0.decline(author, in: channel, at: now) }
  }

  public func mute(_ author: String, at time: Timestamp?) async throws -> MessageReceipt {
    try await ask { try $0.mute(author, at: time) }
  }

  public func lastDecision() async throws -> PersonalDecision? { try await ask { try $0.lastDecision() } }

  public func newDecisions(isLeftOver: Bool, limit: Int) async throws -> [PersonalDecision] {
    try await ask { try $0.newDecisions(isLeftOver: isLeftOver, limit: limit) }
  }

  public func carryOut(_ decisions: [PersonalDecision]) async throws -> MessageReceipt {
    try await ask { try $0.carryOut(decisions) }
  }

  public func forgetRevisionsOfDecisions() async throws { try await ask { try $0.forgetRevisionsOfDecisions() } }
}
