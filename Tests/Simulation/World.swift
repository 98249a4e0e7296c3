import Channels
import RelayNetwork
import Storage
import Synchronization
import TestSupport

@testable import Coordinator

/// Everything outside of the engine: what is durable, what relays have, what waits in the inbox. It outlives the crashes of the daemon.
final class World: SeededWorld {
  /// What happens to the next commit.
  enum CommitFate: SeededFate {
    case works
    /// Nothing was written.
    case fails
    /// It is durable, but no one learns of it.
    case isDoubtful
    case crashesBefore
    case crashesAfter
  }

  /// How a request was answered.
  struct Answer: Sendable {
    let number: Int
    let channel: ChannelID?
    let error: BatonError?
  }

  struct State: SeededState {
    var ledger = Ledger()
    var inbox: [Engine.Input] = []
    var relays = SimRelays()
    var isAlive = true
    var wordsLeft: Int?
    var fate = CommitFate.works
    var areReadsBroken = false
    var readsLeft: Int?
    var answers: [Answer] = []
    /// Requests that the engine has, or had and asks itself again.
    var unanswered = 0
    /// Channels that someone else had changed when the engine wrote them.
    var conflicts: Set<ChannelID> = []
    /// What the network calls those channels by now to which it has given names.
    var names: [ChannelID: Ledger.Name] = [:]
    var namesGiven = 0
    var violation: Violation?
    var tally = Tally()
    var elsewhere = Elsewhere()

    /// What was heard and is not durable is lost. For operations that are under way that does no harm; but no one asks again
    /// whether an invitation came through after the farewell.
    mutating func forget(_ inputs: [Engine.Input]) {
      for input in inputs {
        guard case .report(.outcome(let id, let relay, _, .accepted)) = input, ledger.channels[id] != nil,
          let address = ledger.catalog[relay]?.address
        else { continue }
        relays.lies.insert(SimRelays.Place(id, at: address))
      }
    }

    /// The network reports the name of a channel.
    mutating func tellName(of id: ChannelID) {
      guard isAlive, let name = names[id] else { return }
      ledger.expect(name, of: id)
      inbox.append(.report(.named(channel: id, networkID: name.networkID, trustAnchor: name.trustAnchor)))
    }

    /// Nothing is being decided: names that were reported, are not durable and do not wait in the inbox never become durable.
    mutating func forgetNames() {
      ledger.forgetNames()
      for case .report(.named(let id, let networkID, let trustAnchor)) in inbox {
        ledger.expect(Ledger.Name(networkID: networkID, trustAnchor: trustAnchor), of: id)
      }
    }
  }

  let clock = SimClock()
  private let longestWait: Duration
  private let state: Mutex<State>
  let trace: Trace

  init(plan: Plan, seed: UInt64, isTraced: Bool) {
    longestWait = plan.policy.slowRetry * 6 + plan.policy.queueAllowance + plan.policy.verifyInterval * 2
    state = Mutex(State(relays: SimRelays(random: SplitMix64(seed: seed), refusing: plan.refusing)))
    trace = Trace(isKept: isTraced)
  }

  func read<T: Sendable>(_ body: (State) -> T) -> T { state.withLock { body($0) } }
  func write<T: Sendable>(_ body: (inout State) -> T) -> T { state.withLock { body(&$0) } }

  // MARK: - What is told

  /// Checks a rule against what is durable; the first that is broken is remembered.
  func holds(_ body: (Ledger) throws -> Void) {
    state.withLock { state in
      guard state.violation == nil else { return }
      do {
        try body(state.ledger)
      } catch let error as Violation {
        state.violation = error
      } catch {
        state.violation = Violation("\(error)")
      }
    }
  }

  /// What the engine puts into its inbox itself. A request among it was not answered, because it must be decided again.
  func repost(_ input: Engine.Input) {
    if Simulation.isRequest(input) { write { $0.unanswered -= 1 } }
    post(input)
  }

  /// Where the answer to request `number` goes.
  func reply(_ number: Int) -> Reply<ChannelSnapshot> {
    Reply { [self] result in
      guard speaks() else { return }
      switch result {
      case .success(let snapshot):
        holds { try $0.check(answer: snapshot) }
        note("  answer \(number): \(snapshot.row.id.rawValue) is \(snapshot.phase)")
        state.withLock { $0.answers.append(Answer(number: number, channel: snapshot.row.id, error: nil)) }
      case .failure(let error):
        note("  answer \(number): \(error)")
        state.withLock { $0.answers.append(Answer(number: number, channel: nil, error: error)) }
      }
    }
  }

  /// Where the answer to a request about relays goes.
  func plainReply<Value>(_ number: Int) -> Reply<Value> {
    Reply { [self] result in
      guard speaks() else { return }
      var error: BatonError?
      if case .failure(let reason) = result { error = reason }
      note("  answer \(number): \(error.map { "\($0)" } ?? "done")")
      state.withLock { $0.answers.append(Answer(number: number, channel: nil, error: error)) }
    }
  }

  // MARK: - What becomes durable

  /// Whether the store can be read.
  func canRead() -> Bool {
    state.withLock { state in
      guard state.isAlive, !state.areReadsBroken else { return false }
      guard let left = state.readsLeft else { return true }
      state.readsLeft = max(0, left - 1)
      return left > 0
    }
  }

  func die() { state.withLock { $0.isAlive = false } }

  /// - Parameter bySomebodyElse: whether it was not the daemon that wrote this.
  func becameDurable(_ mutations: [StoreMutation], bySomebodyElse: Bool = false) {
    state.withLock { state in
      // Upkeep looks whether there is anything to do; that is no work by itself.
      if !mutations.allSatisfy(\.isUpkeep) { state.tally.commits += 1 }
      state.tally.transitions += mutations.count { if case .appendTransition = $0 { true } else { false } }
      guard state.violation == nil else { return }
      for mutation in bySomebodyElse ? [] : mutations {
        let id: ChannelID? =
          switch mutation {
          case .insertChannel(let row): row.id
          case .appendTransition(let row): row.channel
          case .quarantine(let id, _, _): id
          default: mutation.channelWritten
          }
        if let id, state.elsewhere.away.contains(id) {
          state.violation = Violation("\(id) is written, and is another daemon's")
        }
      }
      do {
        try state.ledger.apply(mutations, now: clock.now, longestWait: longestWait, bySomebodyElse: bySomebodyElse)
      } catch let error as Violation {
        state.violation = error
      } catch {
        state.violation = Violation("\(error)")
      }
    }
    note("  durable: \(mutations.map(Self.words).joined(separator: ", "))")
  }

  // MARK: - Trace

  private static func words(_ mutation: StoreMutation) -> String {
    switch mutation {
    case .insertChannel(let row): "channel \(row.id.rawValue) '\(row.document)'"
    case .touchChannel(let row):
      "channel \(row.id.rawValue) r\(row.revision) wants \(row.wantedRelays)\(row.deletedAt == nil ? "" : " deleted")"
    case .rewriteChannel(let row):
      "channel \(row.id.rawValue) edition \(row.edition) '\(row.profile.displayName)', named '\(row.networkID)', heal=\(row.heal)"
    case .saveChannelRelay(let id, _, let row):
      "\(id.rawValue)@\(row.relay.rawValue) \(row.record.status) \(row.record.task?.rawValue ?? "-") #\(row.record.operation)"
    case .appendTransition(let row):
      "r\(row.revision) \(row.channel.rawValue)@\(row.relay.rawValue) \(row.transition.from)→\(row.transition.to)"
        + " (\(row.transition.cause?.rawValue ?? "-") \(row.transition.detail))"
    case .appendChange(let row): "r\(row.revision)"
    case .saveOperator(let row): "operator \(row.id.rawValue)"
    case .saveServer(let row): "server \(row.id.rawValue)"
    case .saveRelay(let row): "relay \(row.id.rawValue) \(row.condition.health)"
    case .recordRoundTrip: "round trip"
    case .appendHealth(let row): "health of \(row.peer) \(row.from) to \(row.to)"
    case .insertIdentity, .removeIdentity: "identity"
    case .probe: "probe"
    case .quarantine(let id, let reason, _): "\(id.rawValue) is left alone: \(reason)"
    case .clampTimes: "times taken back"
    case .forgetHistory(let end, let rows, let limit): "history before \(end) and beyond \(rows) forgotten, at most \(limit)"
    case .insertPost(let row), .updatePost(let row), .rewritePost(let row): "post \(row.id.rawValue)"
    case .saveDelivery(let id, let row): "post \(id.rawValue)@\(row.relay.rawValue) \(row.record.status)"
    case .appendPostTransition(let row): "post \(row.post.rawValue)@\(row.relay.rawValue) transition"
    case .savePostRoute(let row): "posts of \(row.channel.rawValue)@\(row.relay.rawValue) \(row.status)"
    case .savePostRetention(let retention): "retention of the posts of \(retention.channel.rawValue)"
    case .forgetPostHistory: "history of posts forgotten"
    case .decide(let decision): "someone decided \(decision.kind)"
    case .compactChanges(let revision): "changes up to r\(revision) forgotten"
    }
  }
}
