public import Channels
public import Storage

/// The store for networks that have their own names for channels. SQLite blocks its caller, so each question is asked on a separate thread.
/// A network that asks much does not hold up the coordinator.
public struct KnownChannelStore: KnownChannelStorage {
  private let queue: StoreQueue

  public init(_ store: Store) { queue = StoreQueue(store, "baton.known-channel-store") }

  public func channel(onSimpleX networkID: String, among slots: SlotSet) async throws -> ChannelID? {
    try await queue.ask { try $0.channel(onSimpleX: networkID, among: slots) }
  }

  public func channelsServedOnSimpleX(after: ChannelID?, limit: Int, among slots: SlotSet) async throws -> [ChannelID] {
    try await queue.ask { try $0.channelsServedOnSimpleX(after: after, limit: limit, among: slots) }
  }

  public func livingChannels(after: ChannelID?, limit: Int) async throws -> [ChannelID] {
    try await queue.ask { try $0.livingChannels(after: after, limit: limit) }
  }

  public func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels { try await queue.ask { try $0.channels(ids) } }
  public func relays() async throws -> [RelayRow] { try await queue.ask { try $0.relays() } }
}
