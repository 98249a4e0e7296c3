internal import Channels
internal import RelayNetwork
internal import Storage

// How decisions are undone that are not stored.
extension Decider {
  // MARK: - One object is not stored

  /// Removes rejected parts from a decision, and from the one on top of it. If another process has changed a channel, it is read again and
  /// its requests are decided again. If an object cannot be stored, its requests are refused, and an existing channel is quarantined.
  mutating func takeOut(
    _ rejections: [Int: CommitReceipt.Rejection], from decision: inout Decision, at now: Timestamp
  ) {
    for (index, rejection) in rejections.sorted(by: { $0.key < $1.key }) {
      guard decision.parts.indices.contains(index) else { continue }
      switch decision.parts[index] {
      case .channel(let id):
        let isNew = decision[id].isNew
        let heard = (decision.inputs + open.inputs).filter { $0.isAbout(id) }
        let relays = (decision.live[id]?.machine.relays ?? []).map(\.relay)
        let answers = decision.drop(id) + open.drop(id)
        base.live[id] = nil
        alarms.set(.channel(id), at: nil)
        switch rejection {
        case .conflict:
          // Its inputs are decided again, except inputs that follow from the stored state.
          open.effects.inputs += withLastName(heard, of: id)
          open.effects.inputs += answers.map(\.request).filter { !heard.contains($0) }
          for relay in relays where catalog.relays[relay]?.condition.health == .down && alarms[.grace(relay)] == nil {
            alarms.set(.grace(relay), at: now)
          }
          recovery.owe([id])
          alarms.set(.recovery, at: now)
        case .refused(let reason):
          refuse(answers, reason)
          if isNew { say(reason, "channel \(id.rawValue)") } else { quarantine(id, reason, what: "cannot be stored") }
        }
      case .catalog:
        let heard = open.catalog ?? decision.catalog ?? base.catalog
        let objects = Set((decision.objects + open.objects).map(\.reference))
        let answers = decision.dropCatalog() + open.dropCatalog()
        keepConditions(of: heard, objects, at: now)
        alarms.set(.recovery, at: now + Self.recoveryWait)
        switch rejection {
        case .conflict: open.effects.inputs += answers.map(\.request)
        case .refused(let reason):
          refuse(answers, reason)
          say(reason, "a change of operators, servers, relays or identities")
        }
      case .roundTrips:
        if case .refused(let reason) = rejection { say(reason, "connection times of relays and servers") }
      case .signOfLife: break
      }
    }
  }

  /// Leaves out all but the last name of a channel, because a later name may be decided before they are decided again.
  private mutating func withLastName(_ heard: [Input], of id: ChannelID) -> [Input] {
    let last = heard.lastIndex { $0.name != nil }
    guard let last, let name = heard[last].name else { return heard }
    replayedNames[id] = (name, false)
    return heard.enumerated().filter { $0.offset == last || $0.element.name == nil }.map(\.element)
  }

  private mutating func refuse(_ answers: [Answer], _ reason: String) {
    for answer in answers {
      open.answers.append(
        Answer(
          asker: answer.asker, outcome: .refused(.storageUnavailable(reason: reason)), channel: nil,
          request: answer.request))
    }
  }

  /// Writes a refusal into the journal.
  mutating func say(_ reason: String, _ what: String) {
    open.effects.journal.append(
      JournalEntry(level: .error, message: "\(what) could not be stored: \(reason)", isHeard: true))
  }

  // MARK: - Nothing is stored

  /// Undoes decisions whose commit failed by dropping their layers. Their channels are forgotten and read again. Observations such as
  /// connections, tests and the state of networks are kept.
  /// - Returns: the effects that do not depend on the commit, and the requests to refuse.
  mutating func failed(_ failure: CommitFailure, at now: Timestamp) -> (effects: Effects, answers: [Answer]) {
    let heard = catalog
    let dropped = [flight, open].compactMap { $0 }
    let wasCommitted = flight
    flight = nil
    open = Decision(now: now)
    var effects = Effects()
    for var decision in dropped {
      decision.effects.withhold()
      effects.add(decision.effects)
    }
    if case .inDoubt = failure, let wasCommitted {
      doubt = wasCommitted
      // Its measurements may be stored, which turns out later.
      recovery.owe(dropped.dropFirst().flatMap(\.roundTrips))
    } else {
      recovery.owe(dropped.flatMap(\.roundTrips))
    }
    storageFailed(failure.description)
    for id in dropped.flatMap(\.order) {
      base.live[id] = nil
      alarms.set(.channel(id), at: nil)
      recovery.owe([id])
    }
    let learned = dropped.reduce(into: Set<CatalogReference>()) { $0.formUnion($1.objects.map(\.reference) + $1.heard) }
    keepConditions(of: heard, learned, at: now)
    // The network keeps its operations. The other ones follow when the channels are read again.
    for id in dropped.reduce(into: Set<ChannelID>(), { $0.formUnion($1.seen) }) where base.live[id] != nil {
      settle(id)
    }
    for relay in dropped.reduce(into: Set<RelayID>(), { $0.formUnion($1.lanesToServe) }).sorted() {
      serve(relay, &effects)
    }
    effects.add(open.effects)
    open.effects = Effects()
    return (effects, dropped.flatMap(\.answers))
  }

  /// Keeps observations about relays and servers, which are stored later. Requested changes, including new addresses, did not happen.
  private mutating func keepConditions(of heard: Catalog, _ some: Set<CatalogReference>, at now: Timestamp) {
    for reference in some.union(recovery.objects) {
      switch reference {
      case .operator: continue
      case .server(let id):
        guard let learned = Self.learned(heard.servers[id], since: base.catalog.servers[id]) else { continue }
        base.catalog.servers[id] = learned
      case .relay(let id):
        guard let learned = Self.learned(heard.relays[id], since: base.catalog.relays[id]) else { continue }
        base.catalog.relays[id] = learned
      }
      recovery.owe(reference)
    }
    // The alarms were set for changes that did not happen.
    for reference in some { reschedule(reference, at: now) }
  }

  /// The row with its observations. `nil` if the address has changed, or if a request alone changed the row.
  private static func learned<Row: Peer>(_ heard: Row?, since known: Row?) -> Row? {
    guard let heard, let known, known.address == heard.address else { return nil }
    var (unchanged, learned) = (heard, known)
    unchanged.learn(from: known)
    unchanged.revision = known.revision
    learned.learn(from: heard)
    // A change by a request alone does not count.
    return learned != known || unchanged == known ? learned : nil
  }

  mutating func storageFailed(_ reason: String) {
    if recovery.failed(reason) {
      let words = "storage does not work, and changes are refused until it does: \(reason)"
      open.effects.journal.append(JournalEntry(event: .storageFailed, level: .error, message: words, isHeard: true))
    }
    alarms.set(.recovery, at: now + Self.recoveryWait)
  }

  mutating func storageRecovered(at now: Timestamp) {
    if recovery.succeeded() {
      open.effects.journal.append(
        JournalEntry(event: .storageRecovered, level: .notice, message: "storage works again", isHeard: true))
      sweepAgain(now)
    } else if alarms[.recovery] == nil {
      alarms.set(.recovery, at: now)
    }
  }

  /// Makes up for sweeps that were missed while storage did not work or another daemon acted for the channels.
  mutating func sweepAgain(_ now: Timestamp) {
    for id in watched.all.sorted() {
      guard let row = relays[id] else { continue }
      if row.condition.health == .down {
        let since = min(row.condition.healthSince ?? now, now)
        alarms.set(.grace(id), at: max(since + policy(of: row.network).inactiveGrace, now))
      } else {
        open.effects.inputs.append(.sweep(id, .inactive, .relayReturned, after: nil))
        if watched.isConnected(id) { doubt(id) }
      }
    }
  }
}

/// A relay or server as stored.
private protocol Peer: Equatable {
  var address: String { get }
  var revision: Int64 { get set }
  mutating func learn(from row: Self)
}

extension RelayRow: Peer {
  /// Adopts the observations of tests, connections and channels.
  mutating func learn(from row: RelayRow) {
    (condition, profile, capabilities) = (row.condition, row.profile, row.capabilities)
  }
}

extension ServerRow: Peer {
  /// Adopts the observations of tests.
  mutating func learn(from row: ServerRow) { condition = row.condition }
}
