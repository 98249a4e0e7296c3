public import Channels
public import Storage

/// The store of messages for the control plane. SQLite blocks its caller, so each question is asked on a thread that may wait.
public struct MessageReadingStore: MessageReading {
  private let store: MessageStore
  private let threads: any BlockingWork

  public init(_ store: MessageStore, on threads: any BlockingWork) {
    self.store = store
    self.threads = threads
  }

  private func ask<T: Sendable>(
    _ size: WorkSize, _ question: @escaping @Sendable (MessageStore) throws -> T
  ) async throws -> T {
    try await threads.run(size) { [store] in try question(store) }
  }

  public func message(_ id: MessageID) async throws -> StoredMessage? { try await ask(.little) { try $0.message(id) } }

  public func messages(_ ids: Set<MessageID>) async throws -> [StoredMessage] {
    try await ask(.much) { try $0.messages(ids) }
  }

  public func messages(_ question: MessageQuestion) async throws -> MessagePage {
    try await ask(.much) { try $0.messages(question) }
  }

  public func messages(holding search: MessageSearch) async throws -> (hits: [MessageHit], hasMore: Bool) {
    try await ask(.much) { try $0.messages(holding: search) }
  }

  public func conversations(_ question: ConversationQuestion) async throws -> [StoredConversation] {
    try await ask(.much) { try $0.conversations(question) }
  }

  public func summaries(of channels: Set<ChannelID>) async throws -> [ChannelID: ConversationSummary] {
    try await ask(.little) { try $0.summaries(of: channels) }
  }

  public func summaries() async throws -> [ChannelID: ConversationSummary] { try await ask(.much) { try $0.summaries() } }

  public func conversation(of channel: ChannelID) async throws -> StoredConversation? {
    try await ask(.little) { try $0.conversation(of: channel) }
  }

  public func changedMessages(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (changes: [ChangedMessage], through: Int64) {
    try await ask(.much) { try $0.changedMessages(after: revision, channels: channels, limit: limit) }
  }

  public func messageCounters() async throws -> MessageCounters { try await ask(.little) { try $0.messageCounters() } }
}

extension MessageReadingStore {
  public func people(_ question: PeopleQuestion) async throws -> PeoplePage {
    try await ask(.much) { try $0.people(question) }
  }

  public func person(_ author: String) async throws -> StoredPerson? { try await ask(.little) { try $0.person(author) } }

  public func members(_ question: MemberQuestion) async throws -> MemberPage? {
    try await ask(.much) { try $0.members(question) }
  }

  public func member(_ author: String, in channel: ChannelID) async throws -> StoredMember? {
    try await ask(.little) { try $0.member(author, in: channel) }
  }

  public func changedMembers(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (members: [StoredMember], through: Int64) {
    try await ask(.much) { try $0.changedMembers(after: revision, channels: channels, limit: limit) }
  }
}
