internal import Channels

/// The channels that a session follows.
struct FollowedChannels: Sendable {
  private struct Name: Hashable {
    let kind: ChannelKind
    let networkID: String
  }
  private(set) var all: [ChannelID: ChannelReading] = [:]
  private var ids: [Name: ChannelID] = [:]

  var isEmpty: Bool { all.isEmpty }

  subscript(_ id: ChannelID) -> ChannelReading? { all[id] }

  mutating func insert(_ channel: ChannelReading) {
    remove(channel.id)
    all[channel.id] = channel
    ids[Name(kind: channel.kind, networkID: channel.networkID)] = channel.id
  }

  mutating func remove(_ id: ChannelID) {
    guard let channel = all.removeValue(forKey: id) else { return }
    let name = Name(kind: channel.kind, networkID: channel.networkID)
    if ids[name] == id { ids[name] = nil }
  }

  /// The followed channel to which an event belongs, by its own account. A message in one channel may name another channel: an event
  /// belongs to its root where it has one (NIP-10).
  func channel(of event: NostrEvent) -> ChannelReading? {
    switch event.kind {
    case NostrPost.channelMessageKind:
      let named = event.tags.lazy.filter { $0.count > 1 && $0[0] == "e" }
      if let root = named.first(where: { $0.count > 3 && $0[3] == "root" }) { return channel(.channel, root[1]) }
      return named.lazy.compactMap { channel(.channel, $0[1]) }.first
    case let kind where ChannelReading.heardInGroups.contains(kind):
      return event.tag("h").flatMap { channel(.group, $0) }
    default: return nil
    }
  }

  private func channel(_ kind: ChannelKind, _ networkID: String) -> ChannelReading? {
    ids[Name(kind: kind, networkID: networkID)].flatMap { all[$0] }
  }
}

/// Ids of events that were verified and reported lately. The oldest are forgotten.
struct SeenEvents: Sendable {
  /// Between this number of ids and twice as many are kept.
  private static let generationMax = 10_000
  private var newer: Set<String> = []
  private var older: Set<String> = []

  func contains(_ id: String) -> Bool { newer.contains(id) || older.contains(id) }

  mutating func insert(_ id: String) {
    if newer.count >= Self.generationMax { (older, newer) = (newer, []) }
    newer.insert(id)
  }
}
