internal import Channels
internal import Logging
internal import Store

// Channels that have settled stay true and whole: they are read back now and then, and relays that are lost to them are replaced.
extension Engine {
  /// What replacing has done so far.
  struct Healing {
    /// Where the last round stopped looking.
    var cursor: (ChannelID, RelayID)?
    /// When relays were replaced within the last hour.
    var recent: [Timestamp] = []
  }

  /// Lost relays looked at in one round.
  private static let lostMax = 100
  /// Transitions forgotten in one round.
  private static let forgottenMax = 5_000

  func scheduleUpkeep() {
    guard let upkeep = rules.upkeep else { return setAlarm(.upkeep, at: nil) }
    setAlarm(.upkeep, at: clock.now + upkeep.interval)
  }

  /// One round.
  func lookAfterChannels(_ batch: Batch) {
    guard let upkeep = rules.upkeep else { return }
    scheduleUpkeep()
    guard storageTrouble == nil else { return }
    do {
      askToReadBack()
      try replaceLost(upkeep, batch)
      _ = try storage.forgetHistory(before: batch.now + (.zero - upkeep.keepHistory), limit: Self.forgottenMax)
    } catch {
      storageFailed("\(error)")
    }
  }

  /// Asks for the channels that have not been read for long, a few per relay and round, so that no relay has to bear much; one relay
  /// after the other, so that requests need not wait for all of them.
  private func askToReadBack() {
    for relay in watched.sorted() where relays[relay]?.condition.health != .down { post(.readBack(relay)) }
  }

  func readBack(on relay: RelayID, _ batch: Batch) {
    guard let upkeep = rules.upkeep, storageTrouble == nil else { return }
    do {
      for id in try storage.channelsToCheck(on: relay, at: batch.now, limit: min(upkeep.checksPerRound, Self.sweepMax)) {
        feed(.relay(relay, .verifyRequested), to: id, batch)
      }
    } catch {
      storageFailed("\(error)")
    }
  }

  // MARK: - Replacing

  private func replaceLost(_ upkeep: UpkeepPolicy, _ batch: Batch) throws {
    healing.recent.removeAll { batch.now - $0 >= .seconds(3_600) || $0 > batch.now }
    guard healing.recent.count < upkeep.replacementsPerHour else { return }
    let lost = try storage.lostRelays(
      before: batch.now + (.zero - upkeep.replaceAfter), after: healing.cursor, limit: Self.lostMax)
    healing.cursor = lost.count == Self.lostMax ? lost.last : nil
    for (channel, relay) in lost where healing.recent.count < upkeep.replacementsPerHour {
      guard try replace(relay, of: channel, upkeep, batch) else { continue }
      healing.recent.append(batch.now)
    }
  }

  private func replace(_ relay: RelayID, of id: ChannelID, _ upkeep: UpkeepPolicy, _ batch: Batch) throws -> Bool {
    batch.seen.insert(id)
    guard let channel = load(id), channel.row.heal, channel.row.deletedAt == nil,
      let old = channel.machine.relays.first(where: { $0.relay == relay })?.machine
    else { return false }
    switch old.state.status {
    case .failed, .inactive: break
    case .new, .invited, .accepted, .active, .removed: return false
    }
    // Never two at once: whether the first helps is not known before it is there.
    guard !channel.machine.relays.contains(where: { $0.machine.state.status.isUnderWay }),
      channel.machine.activeRelays.count < channel.machine.wantedRelays,
      let next = successors(in: channel, batch.now).first,
      try storage.replacements(of: id, since: batch.now + .seconds(-3_600), until: batch.now) < upkeep.replacementsPerChannel
    else { return false }
    let why = old.state.trouble.map { "\($0.cause.rawValue): \($0.detail)" } ?? "\(old.state.status)"
    let name = relays[next]?.name ?? "relay \(next.rawValue)"
    feed(
      .relayReplaced(relay, by: next, words: "replaced by '\(name)', because it is \(old.state.status) (\(why))"), to: id, batch
    )
    return true
  }

  /// Relays that the channel never had, so that no two relays take turns, the best first: those of operators that the channel does not
  /// depend on yet. Relays that fail are not asked.
  func successors(in channel: Live, _ now: Timestamp) -> [RelayID] {
    let had = Set(channel.machine.relays.map(\.relay))
    let candidates = catalog.candidates(on: channel.row.network, at: now).filter {
      $0.isEligible && !had.contains($0.relay) && $0.reliability != .failing
    }
    let owners = Set(channel.machine.activeRelays.compactMap { relays[$0]?.relayOperator })
    let order = SelectionPolicy.order(candidates, seed: random.next())
    let isOfAnother = { (relay: RelayID) in self.relays[relay]?.relayOperator.map { !owners.contains($0) } ?? true }
    return order.filter(isOfAnother) + order.filter { !isOfAnother($0) }
  }
}
