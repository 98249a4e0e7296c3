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
    var counters = try storage.counters()
    counters.revision = 2
    decider = Decider(
      storage: Questions(storage), directory: directory, rules: Rules(policy: RelayPolicy()), hasTests: false, seed: 1,
      counters: counters,
      catalog: catalog)
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

  @Test func decidingOnACreationWritesSaysAndPerformsNothing() async throws {
    let answers = Answers()
    let batch = Batch(now: now)
    await decider.decide([creation(answers)], batch)
    let mutations = decider.writes(of: batch)
    #expect(storage.commits == 0 && network.performed == 0 && answers.all.isEmpty)
    #expect(directory.read { $0.loads.carried }.isEmpty)
    let inserted = mutations.compactMap { mutation -> ChannelRow? in
      if case .insertChannel(let row) = mutation { row } else { nil }
    }
    #expect(inserted.map(\.id.rawValue) == [1] && inserted.first?.revision == decider.counters.revision)
    guard case .probe(now)? = mutations.last else {
      Issue.record("each write says when it was made")
      return
    }
    #expect(batch.effects.operations.isEmpty, "nothing is performed before it is durable")
    #expect(batch.effects.created == [ChannelID(rawValue: 1)] && batch.effects.loads == [relays[0]: 1, relays[1]: 1])
    let revisions = batch.effects.changes.map(\.revision)
    #expect(!revisions.isEmpty && revisions == revisions.sorted() && revisions.first == 3)

    decider.committed(batch, hasWritten: true, at: now)
    #expect(batch.effects.operations.map(\.operation.task) == [.invite, .invite])
    #expect(batch.effects.operations.map(\.operation.relay) == relays)
    #expect(batch.effects.isWatchChanged && network.performed == 0)
    batch.answer(nil)
    #expect(try answers.all.map { try $0.get().row.id.rawValue } == [1])
    decider.letGo(batch)
    #expect(decider.alarms[.channel(ChannelID(rawValue: 1))] != nil)
    store.close()
  }

  @Test func creationWhoseCommitFailedLeavesNothingButWhatIsOwed() async throws {
    let answers = Answers()
    let batch = Batch(now: now)
    let before = decider.counters
    await decider.decide([creation(answers)], batch)
    _ = decider.writes(of: batch)
    decider.failed(batch, "full", isInDoubt: true, at: now)
    #expect(decider.counters == before && decider.live.isEmpty)
    #expect(decider.recovery.channels == [ChannelID(rawValue: 1)] && decider.recovery.trouble == "full")
    #expect(decider.alarms.times.keys.map { $0 } == [.recovery])
    let effects = batch.effects
    #expect(effects.operations.isEmpty && effects.changes.isEmpty && effects.loads.isEmpty && effects.publication == nil)
    #expect(effects.journal.map(\.event) == [.storageFailed])
    batch.answer(.storageUnavailable(reason: "full"))
    #expect(throws: BatonError.storageUnavailable(reason: "full")) { try answers.all.first?.get() }
    // These are the consequences if the commit is durable after all.
    let withheld = try #require(decider.recovery.doubt?.withheld)
    #expect(withheld.created == [ChannelID(rawValue: 1)] && !withheld.changes.isEmpty)
    store.close()
  }

  @Test func equalInputsGiveEqualWrites() async throws {
    let other = try DeciderTests()
    var all: [[StoreMutation]] = []
    for one in [self, other] {
      let batch = Batch(now: now)
      await one.decider.decide([one.creation(Answers())], batch)
      all.append(one.decider.writes(of: batch))
      one.store.close()
    }
    #expect(all[0].count >= 5 && all[0] == all[1])
  }
}
