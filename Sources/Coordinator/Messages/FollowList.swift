internal import Channels
internal import RelayNetwork
internal import Storage

/// Which channels are read, and from where. It says what is to be done when channels have changed, and does none of it.
struct FollowList {
  /// What a network reads of a channel.
  struct Entry: Hashable {
    let network: NetworkKind
    let channel: FollowedChannel
  }

  /// What is to be done, in this order. Each step is noted once it is done, so that those that fail are to be done again.
  struct Steps: Equatable {
    /// Channels that are not read any more.
    var unfollow: [Entry] = []
    /// Channels whose conversations end.
    var end: Set<ChannelID> = []
    /// Channels that have no conversation yet, by id. What is read before they have one is lost.
    var begin: [ChannelID] = []
    /// Channels that are to be read, or read in another way, by id.
    var follow: [Entry] = []
  }

  private let window: MessageWindow
  /// The networks that are served.
  private let networks: Set<NetworkKind>
  private var followed: [ChannelID: Entry] = [:]
  /// The channels that have a conversation.
  private(set) var conversations: Set<ChannelID> = []

  init(window: MessageWindow, networks: Set<NetworkKind>) {
    self.window = window
    self.networks = networks
  }

  /// What is read of a channel; `nil` if nothing is.
  func entry(of channel: ChannelID) -> Entry? { followed[channel] }

  /// All channels that are read, by id.
  var entries: [Entry] { followed.values.sorted { $0.channel.id < $1.channel.id } }

  /// All channels that are read or have a conversation.
  var known: Set<ChannelID> { conversations.union(followed.keys) }

  /// Compares channels with what is stored of them. One that cannot be read stays as it is.
  /// - Parameters:
  ///   - stored: what was read of `channels`.
  ///   - addresses: normal addresses of the relays that were not deleted.
  func steps(for channels: Set<ChannelID>, _ stored: StoredChannels, addresses: [RelayID: String]) -> Steps {
    var steps = Steps()
    for id in channels.sorted() where stored.unreadable[id] == nil {
      guard let channel = stored.found[id], channel.row.deletedAt == nil else {
        if let entry = followed[id] { steps.unfollow.append(entry) }
        if conversations.contains(id) { steps.end.insert(id) }
        continue
      }
      if !conversations.contains(id) { steps.begin.append(id) }
      guard networks.contains(channel.row.network) else { continue }
      let entry = entry(for: channel, addresses)
      if followed[id] != entry { steps.follow.append(entry) }
    }
    return steps
  }

  /// A relay that failed may have taken the channel all the same, so it is read as well.
  private func entry(for channel: StoredChannel, _ addresses: [RelayID: String]) -> Entry {
    var relays: [RelayID: String] = [:]
    for row in channel.relays where row.record.status != .removed { relays[row.relay] = addresses[row.relay] }
    return Entry(
      network: channel.row.network,
      channel: FollowedChannel(id: channel.row.id, content: channel.row.content, relays: relays, window: window))
  }

  // MARK: - What was done

  /// Notes which channels have a conversation at the start.
  mutating func load(_ conversations: Set<ChannelID>) { self.conversations = conversations }

  mutating func began(_ channel: ChannelID) { conversations.insert(channel) }
  mutating func ended(_ channels: Set<ChannelID>) { conversations.subtract(channels) }
  mutating func follows(_ entry: Entry) { followed[entry.channel.id] = entry }
  mutating func unfollowed(_ channel: ChannelID) { followed[channel] = nil }
}
