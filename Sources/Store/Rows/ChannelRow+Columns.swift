package import Channels
package import Storage
internal import StrictJSON

extension ChannelRow {
  /// The values of all columns except the sum, in the order of `SummedTable.channels`.
  package func bind(to row: inout some RowSink) {
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
    row.bind(trustAnchor)
    row.bind(document)
    row.bind(wantedRelays)
    row.bind(heal)
    row.bind(custom?.text)
    row.bind(idempotencyKey)
    row.bind(createdAt.milliseconds)
    row.bind(updatedAt.milliseconds)
    row.bind(deletedAt?.milliseconds)
    row.bind(revision: revision)
    row.bind(edition)
    row.bind(newestEdition?.networkID)
    row.bind(newestEdition?.document)
    row.bind(newestEdition?.signedAt)
    row.bind(namedRelays.map(Self.list))
    row.bind(newestEdition?.earlier.joined(separator: " "))
    row.bind(relayCount)
    row.bind(requestDigest)
    row.bind(keySalt)
    row.bind(marks.isMuted)
    row.bind(marks.isPinned)
    row.bind(marks.isFrozen)
    row.bind(marks.truncatedAt?.milliseconds)
    row.bind(marks.following.isOn)
    row.bind(marks.following.days)
    row.bind(marks.following.count)
    row.bind(marks.following.keep)
  }

  /// The relays as one text.
  private static func list(_ relays: [RelayID]) -> String { relays.map { String($0.rawValue) }.joined(separator: " ") }

  /// The row that `values` reads, in the order of `SummedTable.channels`.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or has an unknown value.
  package init(_ id: ChannelID, _ values: inout some RowSource) throws {
    _ = values.integer()
    let (kindWord, networkWord) = (values.text(), values.text())
    let identity = IdentityID(rawValue: values.integer())
    let profile = Profile(
      displayName: values.text(), fullName: values.textIfAny(), description: values.textIfAny(), image: values.textIfAny())
    let preferences = values.textIfAny()
    let (networkID, trustAnchor, document) = (values.text(), values.text(), values.text())
    let (wantedRelays, heal) = (values.count(), values.flag())
    let (custom, idempotencyKey) = (values.textIfAny(), values.textIfAny())
    let (createdAt, updatedAt) = (values.integer(), values.integer())
    let (deletedAt, revision) = (values.integerIfAny(), values.integer())
    let edition = values.count()
    let (newestID, newest, newestAt) = (values.textIfAny(), values.textIfAny(), values.integerIfAny())
    let (namedRelays, earlier) = (values.textIfAny(), values.textIfAny())
    let (relayCount, requestDigest, keySalt) = (values.integerIfAny(), values.textIfAny(), values.blobIfAny())
    let (isMuted, isPinned, isFrozen) = (values.flag(), values.flag(), values.flag())
    let truncatedAt = values.integerIfAny()
    let (isFollowed, followDays, followCount) = (values.flag(), values.integerIfAny(), values.integerIfAny())
    let followKeep = values.integerIfAny()
    try values.end(.channels)

    func corrupt(_ what: String) -> StoreError { StoreError(.corrupt, "channel \(id.rawValue): \(what) is unreadable") }
    func json(_ text: String?, _ what: String) throws -> JSONValue? {
      guard let text else { return nil }
      guard let value = try? JSONParser.parse(text) else { throw corrupt(what) }
      return value
    }
    guard let kind = ChannelKind(rawValue: kindWord) else { throw corrupt("kind") }
    guard let network = NetworkKind(rawValue: networkWord) else { throw corrupt("network") }
    self.init(
      id: id, kind: kind, network: network, identity: identity, profile: profile,
      preferences: try json(preferences, "preferences"), networkID: networkID, trustAnchor: trustAnchor, document: document,
      edition: edition, newestEdition: Self.newestEdition(newestID, newest, newestAt, earlier),
      namedRelays: namedRelays.map(Self.relays),
      wantedRelays: wantedRelays, heal: heal, custom: try json(custom, "custom"), idempotencyKey: idempotencyKey,
      createdAt: Timestamp(milliseconds: createdAt), updatedAt: Timestamp(milliseconds: updatedAt),
      deletedAt: deletedAt.map(Timestamp.init(milliseconds:)), revision: revision, relayCount: relayCount.map { Int($0) },
      requestDigest: requestDigest, keySalt: keySalt,
      marks: ChannelMarks(
        isMuted: isMuted, isPinned: isPinned, isFrozen: isFrozen, truncatedAt: truncatedAt.map(Timestamp.init(milliseconds:)),
        following: FollowingChoice(
          isOn: isFollowed, days: followDays.map { Int(clamping: $0) }, count: followCount.map { Int(clamping: $0) },
          keep: followKeep.map { Int(clamping: $0) })))
  }

  private static func newestEdition(_ id: String?, _ document: String?, _ signedAt: Int64?, _ earlier: String?)
    -> ChannelEdition?
  {
    guard let id, let document else { return nil }
    return ChannelEdition(
      networkID: id, document: document, signedAt: signedAt ?? 0,
      earlier: earlier?.split(separator: " ").map(String.init) ?? [])
  }

  /// The relays in a text that `list` wrote.
  private static func relays(_ text: String) -> [RelayID] {
    text.split(separator: " ").compactMap { Int64($0) }.map(RelayID.init(rawValue:))
  }
}

extension ChannelRelayRow {
  /// The values of all columns except the sum, in the order of `SummedTable.channelRelays`.
  package func bind(to row: inout some RowSink, _ channel: ChannelID, _ position: Int) {
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
    row.bind(record.verifyDue?.milliseconds)
    row.bind(record.shown)
  }

  /// The row that `values` reads, in the order of `SummedTable.channelRelays`.
  /// - Parameter position: receives its place among the channel's relays.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or contradicts itself.
  package init(of channel: ChannelID, at position: inout Int64, _ values: inout some RowSource) throws {
    _ = values.integer()
    let relay = RelayID(rawValue: values.integer())
    position = values.integer()
    let (status, since, operation) = (values.text(), values.integer(), values.count())
    let relayLink = values.textIfAny()
    let (cause, detail, task) = (values.textIfAny(), values.textIfAny(), values.textIfAny())
    let (attempt, startedAt, isUnderWay) = (values.count(), values.integerIfAny(), values.flag())
    let (timer, verifyDue, shown) = (values.integerIfAny(), values.integerIfAny(), values.count())
    try values.end(.channelRelays)

    let knownCause = cause.flatMap(Cause.init(rawValue:))
    let knownTask = task.flatMap(ChannelRelayMachine.Work.Task.init(rawValue:))
    guard let knownStatus = RelayStatus(rawValue: status), (knownCause == nil) == (cause == nil),
      (knownTask == nil) == (task == nil)
    else { throw Self.unreadable(channel, relay) }
    let record = ChannelRelayRecord(
      status: knownStatus, since: Timestamp(milliseconds: since), operation: operation, relayLink: relayLink,
      trouble: knownCause.map { Trouble($0, detail ?? "") }, task: knownTask, attempt: attempt,
      startedAt: startedAt.map(Timestamp.init(milliseconds:)), isUnderWay: isUnderWay,
      timer: timer.map(Timestamp.init(milliseconds:)), verifyDue: verifyDue.map(Timestamp.init(milliseconds:)), shown: shown)
    guard record.machine(salt: 0) != nil else { throw Self.unreadable(channel, relay) }
    self.init(relay: relay, record: record)
  }

  private static func unreadable(_ channel: ChannelID, _ relay: RelayID) -> StoreError {
    StoreError(.corrupt, "channel \(channel.rawValue): the status of relay \(relay.rawValue) is unreadable")
  }
}
