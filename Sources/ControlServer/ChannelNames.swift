internal import Channels
internal import Coordinator
internal import Storage
internal import Synchronization

/// The names of channels, for messages that come one by one: they are read again only after some channel has changed.
final class ChannelNames: Sendable {
  struct Entry: Sendable {
    let name: String
    let network: NetworkKind
    let isOwned: Bool

    init(_ channel: StoredChannel) {
      (name, network, isOwned) = (channel.row.profile.displayName, channel.row.network, channel.row.isOwned)
    }
  }

  private struct State {
    /// The revision of channels at which the names are true.
    var revision: Int64 = -1
    var known: [ChannelID: Entry] = [:]
  }
  private let state = Mutex(State())
  /// How many names are kept.
  private static let knownMax = 10_000

  /// The names of channels. Unreadable channels are left out.
  /// - Throws: the errors of reading the store.
  func of(_ channels: Set<ChannelID>, _ context: ControlContext) async throws -> [ChannelID: Entry] {
    guard !channels.isEmpty else { return [:] }
    // This comes first: what changes after it is read again the next time.
    let revision = context.coordinator.hub.revision
    let known = state.withLock { state -> [ChannelID: Entry]? in
      guard state.revision == revision else { return nil }
      let found = channels.reduce(into: [:]) { $0[$1] = state.known[$1] }
      return found.count == channels.count ? found : nil
    }
    if let known { return known }
    let found = try await context.store.channels(channels).found.mapValues(Entry.init)
    state.withLock { state in
      if state.revision < revision || state.known.count > Self.knownMax { state = State(revision: revision) }
      if state.revision == revision { state.known.merge(found) { $1 } }
    }
    return found
  }
}
