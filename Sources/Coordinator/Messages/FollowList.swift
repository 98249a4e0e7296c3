internal import Channels
internal import RelayNetwork
internal import Storage

/// The channels to read, and their relays. It lists the steps after changes of channels, and carries out none of them.
struct FollowList {
  /// A channel as a network reads it.
  struct Entry: Hashable {
    let network: NetworkKind
    let channel: FollowedChannel
  }

  /// The necessary steps, in this order. Each step is recorded once it is done, so that failed steps are repeated.
  struct Steps: Equatable {
    /// Channels that are no longer read.
    var unfollow: [Entry] = []
    /// Channels whose conversations end.
    var end: Set<ChannelID> = []
    /// Channels that have no conversation yet, by id. Messages that are read before are lost.
    var begin: [ChannelID] = []
    /// Channels with changed decisions.
    var mark: [ChannelID: ConversationMarks] = [:]
    /// Channels to read, or to read differently, by id.
    var follow: [Entry] = []
  }

  private let window: MessageWindow
  /// The networks that are served.
  private let networks: Set<NetworkKind>
  /// Whether a channel can be reached from here.
  private let canReach: @Sendable (ChannelID, NetworkKind) -> Bool
  private var followed: [ChannelID: Entry] = [:]
  /// The channels with a conversation, and the stored decisions about them.
  private var stored: [ChannelID: ConversationMarks] = [:]

  init(
    window: MessageWindow, networks: Set<NetworkKind>,
    canReach: @escaping @Sendable (ChannelID, NetworkKind) -> Bool = { _, _ in true }
  ) {
    self.window = window
    self.networks = networks
    self.canReach = canReach
  }

  func hasConversation(_ channel: ChannelID) -> Bool { stored[channel] != nil }

  /// The entry of a channel that is read.
  func entry(of channel: ChannelID) -> Entry? { followed[channel] }

  /// All channels that are read, by id.
  var entries: [Entry] { followed.values.sorted { $0.channel.id < $1.channel.id } }

  /// All channels that are read or have a conversation.
  var known: Set<ChannelID> { Set(stored.keys).union(followed.keys) }

  /// Compares channels with their stored state. An unreadable channel is skipped.
  /// - Parameters:
  ///   - read: the stored state of `channels`.
  ///   - addresses: normal addresses of the relays that were not deleted.
  func steps(for channels: Set<ChannelID>, _ read: StoredChannels, addresses: [RelayID: String]) -> Steps {
    var steps = Steps()
    for id in channels.sorted() where read.unreadable[id] == nil {
      guard let channel = read.found[id], channel.row.deletedAt == nil else {
        if let entry = followed[id] { steps.unfollow.append(entry) }
        if hasConversation(id) { steps.end.insert(id) }
        continue
      }
      if !hasConversation(id) { steps.begin.append(id) }
      let marks = ConversationMarks(channel.row.marks)
      if marks != stored[id] ?? ConversationMarks() { steps.mark[id] = marks }
      guard networks.contains(channel.row.network), canReach(id, channel.row.network) else { continue }
      guard channel.row.marks.following.isOn else {
        // Messages that were read are kept.
        if let entry = followed[id] { steps.unfollow.append(entry) }
        continue
      }
      let entry = entry(for: channel, addresses)
      if followed[id] != entry { steps.follow.append(entry) }
    }
    return steps
  }

  /// A relay that failed may have the channel anyway, so it is read as well.
  private func entry(for channel: StoredChannel, _ addresses: [RelayID: String]) -> Entry {
    var relays: [RelayID: String] = [:]
    for row in channel.relays where row.record.status != .removed { relays[row.relay] = addresses[row.relay] }
    for relay in channel.row.readFrom { relays[relay] = addresses[relay] }
    let choice = channel.row.marks.following
    var window = window
    if let days = choice.days { window.days = days == 0 ? nil : days }
    if let count = choice.count { window.count = count }
    return Entry(
      network: channel.row.network,
      channel: FollowedChannel(
        id: channel.row.id, content: channel.row.content, relays: relays, window: window, isOwned: channel.row.isOwned))
  }

  // MARK: - Completed steps

  /// Records the channels that have a conversation at the start.
  mutating func load(_ conversations: [ChannelID: ConversationMarks]) { stored = conversations }

  mutating func began(_ channel: ChannelID) { stored[channel] = ConversationMarks() }
  mutating func marked(_ channel: ChannelID, _ marks: ConversationMarks) { stored[channel] = marks }
  mutating func ended(_ channels: Set<ChannelID>) { for channel in channels { stored[channel] = nil } }
  mutating func follows(_ entry: Entry) { followed[entry.channel.id] = entry }
  mutating func unfollowed(_ channel: ChannelID) { followed[channel] = nil }
}
