internal import Channels
internal import RelayNetwork
internal import Storage

/// The unstored results of reading relays: one for each channel and relay.
struct FreshnessNotes {
  private struct Place: Hashable {
    let channel: ChannelID
    let relay: RelayID
  }
  private var notes: [Place: MessageSyncRow] = [:]

  var isEmpty: Bool { notes.isEmpty }

  /// The notes, by channel and relay.
  var rows: [MessageSyncRow] { notes.values.sorted { ($0.channel, $0.relay) < ($1.channel, $1.relay) } }

  /// Adds the result of reading a relay. A failure does not hide a success that was not stored yet.
  mutating func add(_ channel: ChannelID, _ relay: RelayID, _ outcome: MessageSync, at now: Timestamp) {
    let place = Place(channel: channel, relay: relay)
    switch outcome {
    case .complete: notes[place] = MessageSyncRow(channel: channel, relay: relay, completeAt: now, askedAt: now)
    case .failed(let trouble):
      let completeAt = notes[place]?.completeAt
      notes[place] = MessageSyncRow(
        channel: channel, relay: relay, completeAt: completeAt, askedAt: now, trouble: trouble)
    }
  }

  /// Removes the notes about these channels.
  mutating func remove(_ channels: Set<ChannelID>) { notes = notes.filter { !channels.contains($0.key.channel) } }

  mutating func removeAll() { notes = [:] }
}
