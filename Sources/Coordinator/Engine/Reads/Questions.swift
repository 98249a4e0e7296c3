internal import Channels
internal import Storage

/// Carries out `Reads`, and never writes. All of it precedes any decision: first the lists, then with one query all channels of inputs and
/// lists.
struct Questions {
  private let storage: any CoordinatorStorage
  private let directory: RelayDirectory

  init(_ storage: any CoordinatorStorage, _ directory: RelayDirectory) {
    self.storage = storage
    self.directory = directory
  }

  func answer(_ reads: Reads) async -> Facts {
    var facts = Facts()
    var channels = reads.channels
    for key in reads.keys.values.sorted() {
      await ask(&facts) { facts in
        let known = try await storage.channel(idempotencyKey: key)
        facts.keys[Array(key.utf8)] = .some(known)
        if let known { channels.insert(known) }
      }
    }
    for name in reads.names.sorted(by: { $0.networkID < $1.networkID }) {
      await ask(&facts) { facts in
        let known = try await storage.livingChannels(named: name, limit: Decider.namesakesMax)
        facts.names[name] = known
        channels.formUnion(known)
      }
    }
    for count in reads.counts where facts.counts[count] == nil {
      await ask(&facts) { $0.counts[count] = try await number(count) }
    }
    for page in reads.pages where facts.pages[page] == nil {
      await ask(&facts) { facts in
        let ids = try await list(page, reads.slots)
        facts.pages[page] = ids
        channels.formUnion(ids)
      }
    }
    for place in reads.failed where facts.failed[place.relay] == nil {
      await ask(&facts) { facts in
        let failed = try await self.failed(place, reads.slots)
        facts.failed[place.relay] = failed
        channels.formUnion(failed.channels.lazy.filter(\.mayReturn).map(\.channel))
      }
    }
    for question in reads.neighbours where facts.neighbours[question] == nil {
      await ask(&facts) { facts in
        let known = try await storage.neighbour(
          of: question.channel, sharing: question.identity, on: question.relay)
        facts.neighbours[question] = .some(known)
        if let known { channels.insert(known) }
      }
    }
    if let place = reads.lost {
      await ask(&facts) { facts in
        let lost = try await lost(place, reads.slots, &facts)
        facts.lost = lost
        channels.formUnion(lost.lazy.map(\.channel))
      }
    }
    if let move = reads.move {
      await ask(&facts) { facts in
        facts.move = Facts.Move(
          counters: try await storage.counters(),
          catalog: move.gained.hasCatalog ? try await StoredCatalog(storage, addressing: directory.addressing) : nil,
          loads: try await storage.channelCounts(among: move.slots),
          unfinished: move.gained.isEmpty ? [] : try await storage.unfinishedChannels(among: move.gained))
      }
    }
    guard !channels.isEmpty else { return facts }
    do {
      facts.channels = try await storage.channels(channels)
    } catch {
      facts.unanswered = channels
      facts.trouble = "\(error)"
    }
    return facts
  }

  /// Carries out one read. Its failure does not prevent the others.
  private func ask(_ facts: inout Facts, _ question: (inout Facts) async throws -> Void) async {
    do { try await question(&facts) } catch { facts.trouble = facts.trouble ?? "\(error)" }
  }

  private func lost(_ place: Reads.Lost, _ slots: SlotSet, _ facts: inout Facts) async throws -> [ChannelRelayPlace] {
    let lost = try await storage.lostRelays(
      before: place.before, after: place.after.map { ($0.channel, $0.relay) }, limit: Decider.lostMax, among: slots)
    for (channel, _) in lost where facts.replacements[channel] == nil {
      facts.replacements[channel] = try await storage.replacements(
        of: channel, since: place.since, until: place.since + Healing.span)
    }
    return lost.map { ChannelRelayPlace(channel: $0.0, relay: $0.1) }
  }

  private func number(_ count: Reads.Count) async throws -> Int {
    switch count {
    case .dependents(let relay): try await storage.dependentCount(of: relay)
    case .members(let relay): try await storage.channelCount(of: relay)
    case .owned(let identity): try await storage.channelCount(of: identity)
    }
  }

  private func list(_ page: Reads.Page, _ slots: SlotSet) async throws -> [ChannelID] {
    switch page {
    case .inStatus(let status, let relay, let after, let limit):
      try await storage.channels(of: relay, in: status, after: after, limit: limit, among: slots)
    case .due(let relay, let now, let limit): try await storage.channelsToVerify(on: relay, at: now, limit: limit, among: slots)
    }
  }

  /// Channels that a relay failed. Of those that may have it again, only as many as are useful.
  private func failed(_ place: Reads.Failed, _ slots: SlotSet) async throws -> Facts.FailedPage {
    let found = try await storage.failedChannels(
      on: place.relay, for: Cause.allCases.filter(\.mayPass), before: place.before, after: place.after,
      limit: Decider.failedMax, among: slots)
    var returns = 0
    let some = found.prefix { _, mayReturn in
      if mayReturn { returns += 1 }
      return returns <= place.returnsMax
    }
    return Facts.FailedPage(
      channels: some.map { Facts.FailedChannel(channel: $0.0, mayReturn: $0.mayReturn) },
      isLast: some.count == found.count && found.count < Decider.failedMax)
  }
}
