internal import Channels
internal import RelayNetwork
internal import Storage

// Upkeep of settled channels: they are read back now and then, and their lost relays are replaced.
extension Decider {
  /// The number of lost relays that one round examines.
  static let lostMax = 100
  /// The number of channels failed by one relay that one round examines.
  static let failedMax = 2_000
  /// The number of transitions forgotten in one step, which takes a few hundredths of a second.
  static let forgottenMax = 1_000

  mutating func scheduleUpkeep(at now: Timestamp) {
    guard let upkeep = rules.upkeep else { return alarms.set(.upkeep, at: nil) }
    alarms.set(.upkeep, at: now + upkeep.interval)
  }

  /// Does one round of upkeep.
  mutating func lookAfterChannels(_ facts: Facts) {
    guard let upkeep = rules.upkeep else { return }
    scheduleUpkeep(at: now)
    guard recovery.trouble == nil else { return }
    // A sign of life is stored while channels are awake.
    if isAwake { open.mustWrite = true }
    askToVerify(upkeep)
    // Pages that could not be read are requested in the next round.
    guard let lost = facts.lost else { return }
    replace(lost, facts, upkeep)
    forgetHistory(now)
    chores.tryAgain()
  }

  /// Forgets the part of the history that is too old or too large in small steps, so that nothing waits for it.
  mutating func forgetHistory(_ now: Timestamp) {
    guard slots.hasCatalog, let upkeep = rules.upkeep, recovery.trouble == nil else { return }
    chores.forgetHistory(before: now + (.zero - upkeep.keepHistory), rowsMax: upkeep.keepRows, limit: Self.forgottenMax)
  }

  /// Asks for the channels that have not been read for long, a few per relay and round to limit the load of each relay. Each relay is a
  /// separate input, so that requests need not wait for all of them.
  private mutating func askToVerify(_ upkeep: UpkeepPolicy) {
    watched.beginRound()
    for relay in watched.all.sorted() where relays[relay]?.condition.health != .down {
      open.effects.inputs.append(.verifyChannels(relay, atMost: upkeep.verifiesPerRound))
    }
  }

  /// Reads channels back from a relay, one page in each batch, and invites it again to channels that it failed.
  mutating func verifyChannels(on relay: RelayID, atMost most: Int, _ facts: Facts) {
    guard let upkeep = rules.upkeep, recovery.trouble == nil else { return }
    let page = min(most, Self.sweepMax)
    guard let due = facts.pages[.due(relay, at: now, limit: page)] else { return }
    let doubted = takeDoubted(on: relay, page, beside: due, facts)
    for id in due + doubted { feed(.relay(relay, .verifyRequested), to: id) }
    // The channels of this page are under way once it is committed, and are no longer due.
    if due.count + doubted.count == page, page < most {
      return open.effects.inputs.append(.verifyChannels(relay, atMost: most - page))
    }
    if let failed = facts.failed[relay] { takeBack(relay, failed, upkeep) }
  }

  // MARK: - Relays that may have lost channels

  /// Reads all channels of a relay back, at the pace of upkeep, because they may be many and most outages lose nothing.
  mutating func doubt(_ relay: RelayID) {
    guard let upkeep = rules.upkeep, watched.doubt(relay) else { return }
    open.effects.inputs.append(.verifyChannels(relay, atMost: upkeep.verifiesPerRound))
  }

  /// The next channels to read back from a relay that may have lost them, at most a page together with the channels that are due.
  private mutating func takeDoubted(on relay: RelayID, _ page: Int, beside due: [ChannelID], _ facts: Facts) -> [ChannelID] {
    guard let reading = watched.readings[relay], !reading.isOver else { return [] }
    let room = page - due.count
    guard room > 0, let found = facts.pages[.inStatus(.active, relay, after: reading.after, limit: page)] else { return [] }
    let some = found.prefix(room)
    watched.read(relay, through: some.count < found.count || found.count == page ? some.last : nil)
    return some.filter { !due.contains($0) }
  }

  /// A relay has lost a channel, so it may have lost more. All its channels are read back, and immediately if the relay was in doubt.
  mutating func foundForgetful(_ relay: RelayID) {
    guard let reading = watched.readings[relay] else { return doubt(relay) }
    guard !reading.isOver else { return }
    watched.read(relay, through: nil)
    open.effects.inputs.append(.sweep(relay, .active, .verifyRequested, after: reading.after))
  }

  // MARK: - Replacing

  private mutating func replace(_ lost: [ChannelRelayPlace], _ facts: Facts, _ upkeep: UpkeepPolicy) {
    healing.begin(at: now)
    guard healing.mayReplace(perHour: upkeep.replacementsPerHour) else { return }
    healing.looked(at: lost, isFull: lost.count == Self.lostMax)
    for place in lost where healing.mayReplace(perHour: upkeep.replacementsPerHour) {
      guard facts.replacements[place.channel, default: .max] < upkeep.replacementsPerChannel,
        replace(place.relay, of: place.channel)
      else { continue }
      healing.replaced(at: now)
    }
  }

  private mutating func replace(_ relay: RelayID, of id: ChannelID) -> Bool {
    open.seen.insert(id)
    guard let channel = self[id], channel.row.heal, channel.row.deletedAt == nil,
      let old = channel.machine(of: relay)
    else { return false }
    switch old.state.status {
    case .failed, .inactive: break
    case .new, .invited, .accepted, .active, .removed: return false
    }
    // Never two at a time, because it is unknown whether the first one helps.
    guard !channel.machine.relays.contains(where: { $0.machine.state.status.isUnderWay }),
      channel.machine.activeRelays.count < channel.machine.wantedRelays,
      let next = successors(in: channel, limit: 1).first
    else { return false }
    let why = old.state.trouble.map { "\($0.cause.rawValue): \($0.detail)" } ?? "\(old.state.status)"
    let name = relays[next]?.name ?? "relay \(next.rawValue)"
    feed(
      .relayReplaced(relay, by: next, words: "replaced by '\(name)', because it is \(old.state.status) (\(why))"), to: id
    )
    return true
  }

  // MARK: - Taking back

  /// Whether a relay may be invited again to channels that it failed.
  func mayTakeBack(_ relay: RelayID) -> Bool {
    guard let row = relays[relay] else { return false }
    return catalog.isEnabled(row) && row.condition.health == .up
  }

  /// Invites a relay that works again to channels that it failed earlier, if they heal and have no better relay. A few per round, because
  /// there may be many. A relay that was never seen to be away, but did not answer, is invited again after some time.
  private mutating func takeBack(_ relay: RelayID, _ failed: Facts.FailedPage, _ upkeep: UpkeepPolicy) {
    guard mayTakeBack(relay) else { return }
    var looked: ChannelID?
    var taken = 0
    for candidate in failed.channels where taken < upkeep.returnsPerRound {
      looked = candidate.channel
      if candidate.mayReturn, takeBack(relay, in: candidate.channel, upkeep) { taken += 1 }
    }
    let isAtTheEnd = failed.isLast && looked == failed.channels.last?.channel
    healing.stopped(at: isAtTheEnd ? nil : looked, of: relay)
  }

  private mutating func takeBack(_ relay: RelayID, in id: ChannelID, _ upkeep: UpkeepPolicy) -> Bool {
    open.seen.insert(id)
    guard let channel = self[id], channel.row.heal, channel.row.deletedAt == nil else { return false }
    let statuses = channel.machine.relays.map(\.machine.state.status)
    guard statuses.count(where: { $0 == .active || $0.isUnderWay }) < channel.machine.wantedRelays else { return false }
    // Another relay replaces it, unless too many relays were replaced already.
    let mayReplace = healing.mayReplace(perHour: upkeep.replacementsPerHour)
    guard !mayReplace || !hasSuccessor(channel, now) else { return false }
    feed(.relay(relay, .relayReturned), to: id)
    return true
  }

  /// Relays that the channel may get in addition to its own, best first. Relays of operators that it does not depend on yet come first.
  /// - Parameters:
  ///   - named: relays that it gets at the same time.
  ///   - limit: the number of relays that are needed. The result may have fewer.
  mutating func successors(in channel: Live, beside named: [RelayID] = [], limit: Int) -> [RelayID] {
    let had = Set(channel.machine.relays.map(\.relay)).union(named)
    let candidates = catalog.candidates(on: channel.row.network, at: now).filter { mayJoin(channel, $0, had) }
    return directory.order(
      SelectionPolicy.Pool(candidates), seed: random.next(), limit: limit, beside: members(of: channel, and: named, now),
      changes: loads)
  }

  private func hasSuccessor(_ channel: Live, _ now: Timestamp) -> Bool {
    let had = Set(channel.machine.relays.map(\.relay))
    return catalog.candidates(on: channel.row.network, at: now).contains { mayJoin(channel, $0, had) }
  }

  /// A relay may join a channel only once, so that no two relays take turns, and only if it is not known to be unreliable.
  private func mayJoin(_ channel: Live, _ candidate: SelectionPolicy.Candidate, _ had: Set<RelayID>) -> Bool {
    candidate.isEligible && !had.contains(candidate.relay) && candidate.reliability.isSound
      && mayKnowAuthor(candidate.relay, channel.row)
  }

  /// The relays that serve the channel or are on their way to it.
  private func members(of channel: Live, and named: [RelayID], _ now: Timestamp) -> SelectionPolicy.Members {
    var members = SelectionPolicy.Members()
    let present = channel.machine.relays.filter { $0.machine.state.status == .active || $0.machine.state.status.isUnderWay }
    for relay in present.map(\.relay) + named {
      guard let row = relays[relay] else { continue }
      let isActive = channel.machine.activeRelays.contains(relay)
      members.add(of: row.relayOperator, isGood: isActive || row.condition.reliability(at: now) == .good)
    }
    return members
  }

  /// Whether the relay may know the author: a relay that accepts only known authors cannot know the key of a single channel.
  private func mayKnowAuthor(_ relay: RelayID, _ row: ChannelRow) -> Bool {
    row.keySalt == nil || !PeerDescription.restrictsAuthors(relays[relay]?.capabilities ?? [])
  }
}
