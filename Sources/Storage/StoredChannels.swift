public import Channels

/// Several channels that were read together. Channels that do not exist are in neither list.
public struct StoredChannels: Sendable {
  public var found: [ChannelID: StoredChannel]
  /// The damaged channels with their errors, whose code is `corrupt`.
  public var unreadable: [ChannelID: StoreError]

  public init(found: [ChannelID: StoredChannel] = [:], unreadable: [ChannelID: StoreError] = [:]) {
    self.found = found
    self.unreadable = unreadable
  }
}
