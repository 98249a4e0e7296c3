import Channels
import RelayNetwork
import Storage
import Store
import Synchronization
import TestSupport
import Testing

@testable import Coordinator

/// The decider by itself: its decisions for given inputs, without an engine that carries them out.
struct DeciderTests {
  private let network = FakeNetwork()
  private let storage: FaultyStorage
  private let store: Store
  private let folder: TemporaryFolder
  private let directory: RelayDirectory
  private let decider: Decider
  private let now = Timestamp(milliseconds: 1_750_000_000_000)
  private let relays = [RelayID(rawValue: 1), RelayID(rawValue: 2)]

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(directory: folder.path + "/state")
    storage = FaultyStorage(store)
    directory = RelayDirectory(networks: [network], addressing: [], servers: nil, seed: 1)
    var catalog = Catalog()
    for (index, id) in relays.enumerated() {
      let address = "ws://r\(index + 1)"
      catalog.relays[id] = RelayRow(
        id: id, network: .nostr, address: address, host: "r\(index + 1)", comparisonKey: address, name: "r\(index + 1)",
        revision: Int64(index + 1))
    }
    let identity = IdentityRow(
      id: IdentityID(rawValue: 1), name: Coordinator.mainIdentity, network: .nostr, publicName: "key", sealedKey: [],
      createdAt: now)
    directory.write { $0.identities = [identity] }
    var counters = try store.counters()
    counters.revision = 2
    decider = Decider(
      directory: directory, rules: Rules(policy: RelayPolicy()), hasTests: false, seed: 1, counters: counters,
      catalog: catalog, now: now)
  }

  private func creation(_ answers: Answers) -> Engine.Input {
    .create(
      NewChannel(
        request: ChannelRequest(profile: Profile(displayName: "News"), relays: relays), profile: Profile(displayName: "News"),
        network: .nostr, relays: relays, isPicked: false,
        content: ChannelContent(identity: IdentityID(rawValue: 1), networkID: "id", trustAnchor: "key", document: "")),
      Reply { answers.add($0) })
  }

  /// The replies.
  private final class Answers: Sendable {
    private let results = Mutex<[Result<ChannelSnapshot, BatonError>]>([])
    func add(_ result: Result<ChannelSnapshot, BatonError>) { results.withLock { $0.append(result) } }
    var all: [Result<ChannelSnapshot, BatonError>] { results.withLock { $0 } }
  }

  private func decide(_ inputs: [Engine.Input], _ decider: inout Decider) async {
    let unfolded = decider.unfold(inputs, at: now)
    let reads = decider.reads(for: unfolded, at: now)
    decider.decide(unfolded, await Questions(storage, directory).answer(reads), at: now)
  }

  @Test func decidingOnACreationWritesSaysAndPerformsNothing() async throws {
    let answers = Answers()
    var decider = decider
    await decide([creation(answers)], &decider)
    let closed = decider.close()
    let request = try #require(closed)
    #expect(storage.commits == 0 && network.performed == 0 && answers.all.isEmpty)
    #expect(directory.read { $0.loads.carried }.isEmpty)
    let inserted = request.mutations.compactMap { mutation -> ChannelRow? in
      if case .insertChannel(let row) = mutation { row } else { nil }
    }
    #expect(inserted.map(\.id.rawValue) == [1] && inserted.first.map { $0.revision < 0 } == true)
    guard case .probe(now, _)? = request.mutations.last else {
      Issue.record("each write says when it was made")
      return
    }
    let decision = try #require(decider.flight)
    #expect(decision.effects.operations.isEmpty, "nothing is performed before it is durable")
    #expect(decision.loads == [relays[0]: 1, relays[1]: 1] && decider.base.live.channels.isEmpty)

    let receipt = CommitReceipt(base: 2, revision: 2 + 1)
    let (landed, effects) = decider.landed(receipt, at: now)
    #expect(effects.created == [ChannelID(rawValue: 1)] && effects.loads == [relays[0]: 1, relays[1]: 1])
    #expect(effects.changes.map(\.revision) == [3] && decider.base.live[ChannelID(rawValue: 1)]?.row.revision == 3)
    #expect(effects.operations.map(\.operation.task) == [.invite, .invite])
    #expect(effects.operations.map(\.operation.relay) == relays)
    #expect(effects.isWatchChanged && network.performed == 0)
    #expect(landed.answers.map(\.outcome) == [.channel(ChannelID(rawValue: 1))])
    decider.letGo(landed, after: effects)
    #expect(decider.alarms[.channel(ChannelID(rawValue: 1))] != nil)
    store.close()
  }

  @Test func creationWhoseCommitFailedLeavesNothingButWhatIsOwed() async throws {
    let answers = Answers()
    var decider = decider
    let before = decider.base.counters
    await decide([creation(answers)], &decider)
    _ = decider.close()
    let (effects, refused) = decider.failed(.inDoubt("full"), at: now)
    #expect(decider.base.counters == before && !decider.isAwake)
    #expect(decider.recovery.channels == [ChannelID(rawValue: 1)] && decider.recovery.trouble == "full")
    #expect(decider.alarms.times.keys.map { $0 } == [.recovery])
    #expect(effects.operations.isEmpty && effects.changes.isEmpty && effects.loads.isEmpty && effects.publication == nil)
    #expect(effects.journal.map(\.event) == [.storageFailed])
    #expect(refused.map(\.outcome) == [.channel(ChannelID(rawValue: 1))])
    // Should it be durable after all, that is what follows.
    var stored = before
    (stored.revision, stored.channel) = (3, 1)
    var row = try #require(decider.doubt?.live[ChannelID(rawValue: 1)]?.row)
    row.revision = 3
    let found = Decider.Found(catalog: decider.base.catalog, channels: [row.id: row])
    let late = decider.settleDoubt(stored, found, [], at: now)
    #expect(late.created == [ChannelID(rawValue: 1)] && late.publication == .missed(through: 3))
    #expect(late.journal.map(\.message) == ["a commit that failed is durable. Continuing from revision 3"])
    #expect(late.keys.isEmpty && late.operations.isEmpty && decider.doubt == nil && decider.base.counters == stored)
    store.close()
  }

  @Test func equalInputsGiveEqualDecisions() async throws {
    let answers = Answers()
    let input = creation(answers)
    var (one, other) = (decider, decider)
    await decide([input], &one)
    #expect(one.open != other.open && other.open.isEmpty, "a copy is a decider of its own")
    await decide([input], &other)
    #expect(one.open == other.open)
    let requests = [one.close(), other.close()]
    #expect(requests[0].map { $0.mutations.count >= 5 } == true && requests[0] == requests[1])
    store.close()
  }
}
