public import Channels
internal import Dispatch
public import Storage

/// The store for networks that speak of channels by names of their own. SQLite blocks its caller, so each question is asked on a thread
/// of its own; a network that asks much does not hold up the coordinator.
public struct KnownChannelStore: KnownChannelStorage {
  private let store: Store
  private let queue = DispatchQueue(label: "baton.known-channel-store")

  public init(_ store: Store) { self.store = store }

  /// Answers even if the task was cancelled: a network that ends asks nothing more.
  private func ask<T: Sendable>(_ question: @escaping @Sendable (Store) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [store] in continuation.resume(with: Result { try question(store) }) }
    }
  }

  public func channel(onSimpleX networkID: String) async throws -> ChannelID? {
    try await ask { try $0.channel(onSimpleX: networkID) }
  }

  public func channelsServedOnSimpleX(after: ChannelID?, limit: Int) async throws -> [ChannelID] {
    try await ask { try $0.channelsServedOnSimpleX(after: after, limit: limit) }
  }

  public func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels { try await ask { try $0.channels(ids) } }
  public func relays() async throws -> [RelayRow] { try await ask { try $0.relays() } }
}
