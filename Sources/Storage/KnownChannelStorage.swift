public import Channels

/// Questions to storage when a network refers to channels by its own names. Nothing here writes, and each method may block the thread of
/// its caller. All throw `StoreError`; a question may be asked again later, unless the error is `corrupt`.
public protocol KnownChannelStorage: Sendable {
  /// The channel that a SimpleX core knows under `networkID`, deleted ones included.
  func channel(onSimpleX networkID: String) throws -> ChannelID?
  /// Living channels on SimpleX that at least one relay serves, served, or did not take in time, by id, from the first after `after` on.
  func channelsServedOnSimpleX(after: ChannelID?, limit: Int) throws -> [ChannelID]
  /// A channel with its relays; `nil` if there is none.
  /// - Throws: `corrupt` when its rows were damaged or contradict each other.
  func channel(_ id: ChannelID) throws -> StoredChannel?
  /// All relays, including deleted ones, by id. If one cannot be read, the call fails.
  func relays() throws -> [RelayRow]
}
