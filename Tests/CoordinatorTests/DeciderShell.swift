import Channels
import RelayNetwork
import Storage
import Store
import TestSupport

@testable import Coordinator

/// Drives a decider as the engine does, one step after the other, on a real store. Nothing is performed, logged or answered.
final class DeciderShell {
  /// What became of a decision.
  enum Landing {
    /// - receipt: what storage answered; `nil` if nothing had to be stored.
    case landed(CommitReceipt?, Decision, Effects)
    case failed(CommitFailure, Effects, [Answer])

    var effects: Effects {
      switch self {
      case .landed(_, _, let effects), .failed(_, let effects, _): effects
      }
    }

    var answers: [Answer] {
      switch self {
      case .landed(_, let decision, _): decision.answers
      case .failed(_, _, let answers): answers
      }
    }
  }

  let network = FakeNetwork()
  let store: Store
  let storage: FaultyStorage
  let directory: RelayDirectory
  let relays: [RelayID]
  static let start = Timestamp(milliseconds: 1_750_000_000_000)
  var now = DeciderShell.start
  var decider: Decider
  /// The request of the decision that is in flight.
  private(set) var request: CommitRequest?
  private let folder: TemporaryFolder

  /// - Parameter relays: how many relays there are; relay 1 is `r1` at `ws://r1`.
  init(
    relays count: Int, schedule: TestSchedule? = nil, upkeep: UpkeepPolicy? = nil, seed: UInt64 = 1
  ) async throws {
    folder = try TemporaryFolder()
    store = try Store(directory: folder.path + "/state")
    storage = FaultyStorage(store)
    relays = (1...count).map { RelayID(rawValue: Int64($0)) }
    let key = try network.makeIdentity(secret: nil)
    let identity = IdentityRow(
      id: IdentityID(rawValue: 1), name: Coordinator.mainIdentity, network: .nostr, publicName: key.publicName, sealedKey: [1],
      createdAt: now)
    var rows: [StoreMutation] = [.insertIdentity(identity)]
    for (index, id) in relays.enumerated() {
      let (name, revision) = ("r\(id.rawValue)", PendingRevision.at(index + 1))
      rows.append(.appendChange(ChangeRow(revision: revision, at: now, object: .relay(id))))
      rows.append(
        .saveRelay(
          RelayRow(
            id: id, network: .nostr, address: "ws://\(name)", host: name, comparisonKey: "ws://\(name)", name: name,
            revision: revision)))
    }
    try await storage.write(rows)
    var policy = RelayPolicy()
    policy.backOffJitterPercent = 0
    directory = RelayDirectory(networks: [network], addressing: [], servers: nil, seed: seed)
    let catalog = try await Catalog(stored: storage, addressing: directory.addressing)
    directory.write {
      $0.identities = [identity]
      $0.catalog = catalog
    }
    decider = Decider(
      directory: directory, rules: Rules(policy: policy, schedule: schedule, upkeep: upkeep), hasTests: schedule != nil,
      seed: ~seed, counters: try await storage.counters(), catalog: catalog, now: now)
    decider.begin([], at: now)
    try await land()
  }

  /// Decides on inputs.
  /// - Returns: what they asked of storage.
  @discardableResult
  func take(_ inputs: [Engine.Input]) async -> Reads {
    let unfolded = decider.unfold(inputs, at: now)
    let reads = decider.reads(for: unfolded, at: now)
    let facts = reads.isEmpty ? Facts() : await Questions(storage, directory).answer(reads)
    decider.decide(unfolded, facts, at: now)
    return reads
  }

  @discardableResult
  func close() -> CommitRequest {
    let closed = decider.close() ?? CommitRequest([CommitPart]())
    request = closed
    return closed
  }

  /// Commits what was decided, and takes in what became of it.
  @discardableResult
  func land() async throws -> Landing {
    let request = request ?? close()
    self.request = nil
    var receipt: CommitReceipt?
    if !request.isEmpty {
      do throws(CommitFailure) {
        receipt = try await storage.commit(request)
      } catch {
        return fail(error)
      }
    }
    let revision = decider.base.counters.revision
    return land(receipt ?? CommitReceipt(base: revision, revision: revision), isStored: receipt != nil)
  }

  /// Takes in that what was decided is durable, as the receipt says.
  @discardableResult
  func land(_ receipt: CommitReceipt, isStored: Bool = true) -> Landing {
    request = nil
    let (decision, effects) = decider.landed(receipt, at: now)
    tell(effects)
    return .landed(isStored ? receipt : nil, decision, effects)
  }

  /// Takes in that the commit failed.
  @discardableResult
  func fail(_ failure: CommitFailure) -> Landing {
    request = nil
    let (effects, answers) = decider.failed(failure, at: now)
    tell(effects)
    return .failed(failure, effects, answers)
  }

  /// Lets go of channels that have nothing left to do, after the answers were given.
  func letGo(_ landing: Landing) {
    guard case .landed(_, let decision, let effects) = landing else { return }
    decider.letGo(decision, after: effects)
  }

  /// Finds out what is durable after a commit in doubt.
  /// - Returns: what follows; `nil` if there is no doubt.
  func settleDoubt() async throws -> Effects? {
    guard let doubt = decider.doubt else { return nil }
    let isDurable = try await storage.lastSignOfLife()?.commit == doubt.number
    let found =
      isDurable
      ? Decider.Found(
        catalog: try await Catalog(stored: storage, addressing: directory.addressing),
        channels: try store.channels(Set(doubt.order)).found.mapValues(\.row))
      : nil
    let effects = decider.settleDoubt(try await storage.counters(), found, try await storage.identities(), at: now)
    tell(effects)
    return effects
  }

  /// Decides on inputs, commits that, and lets go.
  @discardableResult
  func store(_ inputs: Engine.Input...) async throws -> Landing {
    await take(inputs)
    let landing = try await land()
    letGo(landing)
    return landing
  }

  private func tell(_ effects: Effects) {
    directory.carry(effects.loads)
    let catalog = decider.base.catalog
    let identities = effects.identities
    directory.write {
      $0.catalog = catalog
      if let identities { $0.identities = identities }
    }
  }

  // MARK: - Inputs

  /// The creation of a channel whose answer no one reads.
  func creation(_ name: String, on relays: [RelayID]? = nil, key: String? = nil) -> Engine.Input {
    let (profile, relays) = (Profile(displayName: name), relays ?? self.relays)
    return .create(
      NewChannel(
        request: ChannelRequest(profile: profile, relays: relays, idempotencyKey: key), profile: profile, network: .nostr,
        relays: relays, isPicked: false,
        content: ChannelContent(
          identity: IdentityID(rawValue: 1), networkID: "event of \(name)", trustAnchor: "key of \(name)", document: name,
          keySalt: Array(name.utf8))),
      Reply { _ in })
  }

  func update(_ channel: Int64, name: String, revision: Int64? = nil) -> Engine.Input {
    .update(ChannelID(rawValue: channel), ChannelEdit(displayName: name, revision: revision), Reply { _ in })
  }

  func renaming(_ relay: RelayID, to name: String) -> Engine.Input {
    let revision = decider.relays[relay]?.revision ?? 0
    return .change(.updateRelay(relay, revision: revision, nil, RelayEdit(name: name)), force: false, Reply { _ in })
  }

  /// An outcome of the operation that is under way.
  func outcome(_ channel: Int64, _ relay: RelayID, _ outcome: RelayOutcome) -> Engine.Input {
    let id = ChannelID(rawValue: channel)
    let number = decider[id]?.machine(of: relay)?.operation ?? 0
    return .report(.outcome(channel: id, relay: relay, number: number, outcome))
  }

  /// Creates a channel that is active on all of its relays.
  func createActive(_ name: String, on relays: [RelayID]? = nil) async throws -> ChannelID {
    try await store(creation(name, on: relays))
    let id = ChannelID(rawValue: decider.base.counters.channel)
    for relay in relays ?? self.relays {
      try await store(outcome(id.rawValue, relay, .accepted(link: "ws://r\(relay.rawValue)")))
      try await store(outcome(id.rawValue, relay, .verified(edition: 1)))
    }
    return id
  }
}
