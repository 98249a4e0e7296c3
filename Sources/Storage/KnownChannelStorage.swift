public import Channels

/// Questions to storage by users of channels other than the engine: networks that refer to channels by their own names, and the readers of
/// messages. Nothing here writes, and no method blocks the thread of its caller. Each reads the durable data of that moment. Two of them
/// may see different commits. All throw `StoreError`. A question may be asked again later.
public protocol KnownChannelStorage: Sendable {
  /// The channel that the SimpleX core with the channels in these slots knows under `networkID`, deleted ones included.
  func channel(onSimpleX networkID: String, among slots: SlotSet) async throws -> ChannelID?
  /// Living channels on SimpleX in these slots that at least one relay serves, served, or did not accept in time, by id, from the first
  /// after `after` on.
  func channelsServedOnSimpleX(after: ChannelID?, limit: Int, among slots: SlotSet) async throws -> [ChannelID]
  /// Channels that were not deleted, by id, from the first after `after` on.
  func livingChannels(after: ChannelID?, limit: Int) async throws -> [ChannelID]
  /// These channels with their relays, all from one moment and in the time of one question. A damaged channel does not fail the others.
  func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels
  /// All relays, including deleted ones, by id. If one cannot be read, the call fails.
  func relays() async throws -> [RelayRow]
}
