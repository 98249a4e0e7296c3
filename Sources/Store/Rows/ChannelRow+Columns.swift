internal import Channels
internal import Storage
internal import StrictJSON

extension ChannelRow {
  /// The values of all columns but the sum, in the order of `SummedTable.channels`.
  func bind(to row: inout BoundRow) {
    row.bind(id.rawValue)
    row.bind(kind.rawValue)
    row.bind(network.rawValue)
    row.bind(identity.rawValue)
    row.bind(profile.displayName)
    row.bind(profile.fullName)
    row.bind(profile.description)
    row.bind(profile.image)
    row.bind(preferences?.text)
    row.bind(networkID)
    row.bind(author)
    row.bind(document)
    row.bind(wantedRelays)
    row.bind(heal)
    row.bind(custom?.text)
    row.bind(idempotencyKey)
    row.bind(createdAt.milliseconds)
    row.bind(updatedAt.milliseconds)
    row.bind(deletedAt?.milliseconds)
    row.bind(revision)
    row.bind(edition)
    row.bind(notice?.networkID)
    row.bind(notice?.document)
    row.bind(notice?.signedAt)
    row.bind(listed.map(Self.list))
    row.bind(notice?.earlier.joined(separator: " "))
    row.bind(relayCount)
    row.bind(requestDigest)
    row.bind(keySalt)
  }

  /// Relays as one text.
  private static func list(_ relays: [RelayID]) -> String { relays.map { String($0.rawValue) }.joined(separator: " ") }
}

extension ChannelRelayRow {
  /// The values of all columns but the sum, in the order of `SummedTable.channelRelays`.
  func bind(to row: inout BoundRow, _ channel: ChannelID, _ position: Int) {
    row.bind(channel.rawValue)
    row.bind(relay.rawValue)
    row.bind(position)
    row.bind(record.status.rawValue)
    row.bind(record.since.milliseconds)
    row.bind(record.operation)
    row.bind(record.relayLink)
    row.bind(record.trouble?.cause.rawValue)
    row.bind(record.trouble?.detail)
    row.bind(record.task?.rawValue)
    row.bind(record.attempt)
    row.bind(record.startedAt?.milliseconds)
    row.bind(record.isUnderWay)
    row.bind(record.timer?.milliseconds)
    row.bind(record.checkDue?.milliseconds)
    row.bind(record.shown)
  }
}
