public import Channels

/// What is asked of storage when a network speaks of channels by its own names. Nothing here writes, and each method may block the thread of
/// its caller. All throw `StoreError`; what was asked may be asked again later, unless it is `corrupt`.
public protocol KnownChannelStorage: Sendable {
  /// The channel that a SimpleX core knows under `networkID`, deleted ones included.
  func channel(onSimpleX networkID: String) throws -> ChannelID?
  /// Living channels on SimpleX that at least one relay serves, served, or did not take in time, by id, from the first after `after` on.
  func channelsServedOnSimpleX(after: ChannelID?, limit: Int) throws -> [ChannelID]
  /// A channel with its relays; nil when there is none.
  /// - Throws: `corrupt` when its rows were damaged or contradict each other.
  func channel(_ id: ChannelID) throws -> StoredChannel?
  /// All relays, deleted ones too, in the order of their ids. One that cannot be read fails all.
  func relays() throws -> [RelayRow]
}
