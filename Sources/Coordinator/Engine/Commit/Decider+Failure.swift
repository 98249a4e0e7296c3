internal import Channels
internal import RelayNetwork
internal import Storage

// What becomes of decisions that are not stored.
extension Decider {
  // MARK: - One object is not stored

  /// Takes what was rejected out of a decision, and out of the one on top of it. A channel that someone else has changed is read again,
  /// and its requests are decided again. If something cannot be stored, its requests are refused; a channel that exists is left alone.
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
          // Whatever was heard of it is decided again, as far as that does not follow from what is stored.
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

  /// Leaves out all but the last name of a channel: others may be decided before it is decided again, and are later ones.
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

  /// Writes into the journal that something is refused.
  mutating func say(_ reason: String, _ what: String) {
    open.effects.journal.append(
      JournalEntry(level: .error, message: "\(what) could not be stored: \(reason)", isHeard: true))
  }

  // MARK: - Nothing is stored

  /// Undoes what was decided and did not happen: its layers are dropped. Its channels are forgotten and read again. What was learned from
  /// outside, such as connections, tests and the state of networks, is kept.
  /// - Returns: what follows all the same, and who must be refused.
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
      // What it measured may be stored; that is known later.
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
    // Operations that the network has stay with it; those that it does not have follow when the channels are read again.
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

  /// Keeps what was learned about relays and servers; it is only stored later. Requested changes did not happen; that includes a new
  /// address.
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

  /// The row with what was learned; `nil` if the address is another one, or if nothing was learned and a request alone changed the row.
  private static func learned<Row: Peer>(_ heard: Row?, since known: Row?) -> Row? {
    guard let heard, let known, known.address == heard.address else { return nil }
    var (unchanged, learned) = (heard, known)
    unchanged.learn(from: known)
    unchanged.revision = known.revision
    learned.learn(from: heard)
    // What a request alone would have changed is as it was.
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

  /// Makes up for sweeps that were missed: while storage did not work, or while someone else acted for channels.
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
  /// Takes over what tests, connections and channels have shown of it.
  mutating func learn(from row: RelayRow) {
    (condition, profile, capabilities) = (row.condition, row.profile, row.capabilities)
  }
}

extension ServerRow: Peer {
  /// Takes over what tests have shown of it.
  mutating func learn(from row: ServerRow) { condition = row.condition }
}
