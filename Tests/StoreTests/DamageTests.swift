import Channels
import Filters
import Foundation
import GRDB
import Storage
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// That damage on the disk is noticed: in what is read, by a check, by the scrub, and before a copy counts as one.
@Suite(.serialized)
struct DamageTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/state" }
  private static let now = Timestamp(milliseconds: 1_750_000_000_123)
  private static let channels = 1...Int64(12)

  init() throws { folder = try TemporaryFolder() }

  private func fill(_ directory: String) async throws {
    let store = try Store(directory: directory)
    var mutations: [StoreMutation] = [
      .insertIdentity(
        IdentityRow(
          id: IdentityID(rawValue: 1), name: "main", network: .nostr, publicName: "ab", sealedKey: [1, 2, 3],
          createdAt: Self.now
        )),
      .saveOperator(OperatorRow(id: OperatorID(rawValue: 1), name: "Example", domains: ["example.org"], revision: 1)),
      .saveServer(
        ServerRow(
          id: ServerID(rawValue: 1), transport: .smp, address: "smp://a@smp.example", fingerprint: "a", hosts: ["smp.example"])),
    ]
    for id in 1...Int64(3) {
      mutations.append(
        .saveRelay(RelayRow(id: RelayID(rawValue: id), network: .nostr, address: "ws://r\(id)", name: "r\(id)", revision: id)))
    }
    var revision: Int64 = 10
    for id in Self.channels {
      mutations.append(
        .insertChannel(
          ChannelRow(
            id: ChannelID(rawValue: id), kind: .channel, network: .nostr, identity: IdentityID(rawValue: 1),
            profile: Profile(displayName: "News \(id)", description: String(repeating: "about ", count: 60)),
            preferences: ["history": "on"], networkID: "id\(id)", trustAnchor: "ab",
            document: String(repeating: "{} ", count: 120),
            wantedRelays: 3, heal: true, custom: ["team": "news"], idempotencyKey: "k\(id)", createdAt: Self.now,
            updatedAt: Self.now, revision: revision, relayCount: 3)))
      for relay in 1...Int64(3) {
        revision += 1
        mutations.append(
          .saveChannelRelay(
            ChannelID(rawValue: id), position: Int(relay),
            ChannelRelayRow(
              relay: RelayID(rawValue: relay), record: ChannelRelayRecord(ChannelRelayMachine(salt: 0, now: Self.now)))))
        mutations.append(
          .appendTransition(
            TransitionRow(
              revision: revision, channel: ChannelID(rawValue: id), relay: RelayID(rawValue: relay),
              transition: .init(from: .new, to: .invited, cause: nil, detail: "asked", attempt: 1, at: Self.now))))
      }
      revision += 1
      mutations.append(.appendChange(ChangeRow(revision: revision, at: Self.now, object: .channel(ChannelID(rawValue: id)))))
    }
    try await store.commit(mutations + Self.posts)
    try store.keepKeyIndexes(["team"])
    store.close()
  }

  /// A post in each channel, with a delivery that waits and one that is done.
  private static let posts: [StoreMutation] = channels.flatMap { id -> [StoreMutation] in
    let text = String(repeating: "post ", count: 60)
    let deliveries = [PostBench.delivery(1, PostBench.record(.verified)), PostBench.delivery(2, PostBench.record(.failed))]
    return PostBench.inserting(PostBench.stored(id, channel: id, text: text, deliveries)) + [
      .appendPostTransition(PostBench.transition(id, id)),
      .savePostRoute(
        PostRouteRow(
          channel: ChannelID(rawValue: id), relay: RelayID(rawValue: 1), status: .joined, cursor: PostID(rawValue: id))),
      .savePostRetention(PostRetention(channel: ChannelID(rawValue: id), days: 30, count: 100)),
    ]
  }

  /// Everything that can be asked for, by what it is; nil: the store says that it is damaged.
  private static func everything(_ store: Store) -> [String: String?] {
    var all: [String: String?] = [:]
    func ask(_ name: String, _ body: () throws -> String) { all[name] = .some(try? body()) }
    ask("operators") { "\(try store.operators())" }
    ask("servers") { "\(try store.servers())" }
    ask("relays") { "\(try store.relays())" }
    ask("identities") { "\(try store.identities())" }
    ask("counters") { "\(try store.counters())" }
    ask("changes") { "\(try store.changes(after: 0, limit: 10_000))" }
    ask("unfinished") { "\(try store.unfinishedChannels())" }
    for id in channels {
      ask("channel \(id)") { "\(try store.channel(ChannelID(rawValue: id)).map { "\($0)" } ?? "none")" }
      ask("key \(id)") { "\(try store.channel(idempotencyKey: "k\(id)").map { "\($0)" } ?? "none")" }
      ask("transitions \(id)") { "\(try store.transitions(of: ChannelID(rawValue: id), limit: 100))" }
    }
    askForPosts(store, ask)
    ask("indexes") {
      try store.keepKeyIndexes(["team"])
      return "kept"
    }
    for field in ["id", "profile.displayName", "custom.team"] {
      ask("list by \(field)") {
        let part = try store.channels(
          matching: try Filter(nil, known: nil),
          in: try ListOrder([["field": .string(field)]], known: nil),
          withDeleted: true, after: nil, limit: 1000)
        guard part.unreadable.isEmpty else { throw StoreError(.corrupt, "\(part.unreadable)") }
        return "\(part.channels)"
      }
    }
    return all
  }

  private static func askForPosts(_ store: Store, _ ask: (String, () throws -> String) -> Void) {
    ask("counters of posts") { "\(try store.postCounters())" }
    ask("routes") { "\(try store.postRoutes(of: Set(channels.map(ChannelID.init(rawValue:)))))" }
    ask("due deliveries") { "\(try store.dueDeliveries(on: RelayID(rawValue: 2), at: now, limit: 100))" }
    for id in channels {
      ask("retention \(id)") { "\(try store.postRetention(of: ChannelID(rawValue: id)))" }
      ask("post \(id)") { "\(try store.post(PostID(rawValue: id)).map { "\($0)" } ?? "none")" }
      ask("transitions of post \(id)") { "\(try store.postTransitions(of: PostID(rawValue: id), limit: 100))" }
    }
    for status in [nil, .failed] as [DeliveryStatus?] {
      ask("posts with \(status.map(\.rawValue) ?? "any status")") {
        let page = try store.posts(PostQuestion(status: status, limit: 100))
        guard page.unreadable.isEmpty else { throw StoreError(.corrupt, "\(page.unreadable)") }
        return "\(page.posts) \(page.revision)"
      }
    }
  }

  /// Two hundred files, each with one byte that is another. Where any answer is another one, the store must say that it is damaged.
  @Test func noChangedByteAltersOrHidesAnythingInSilence() async throws {
    try await fill(path)
    let intact = try Data(contentsOf: URL(fileURLWithPath: path + "/baton.db"))
    let store = try Store(directory: path)
    let right = Self.everything(store)
    #expect(right.values.allSatisfy { $0 != nil })
    #expect(try store.check().problems.isEmpty)
    store.close()
    var random = SplitMix64(seed: 20_261_122)
    var (refused, said, altered) = (0, 0, 0)
    for number in 0..<200 {
      // Other tests want this thread, too.
      await Task.yield()
      let place = Int(random.next() % UInt64(intact.count))
      var damaged = intact
      damaged[place] ^= UInt8(random.next() % 255 + 1)
      let directory = folder.path + "/d\(number)"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try damaged.write(to: URL(fileURLWithPath: directory + "/baton.db"))
      defer { try? FileManager.default.removeItem(atPath: directory) }
      guard let store = try? Store(directory: directory) else {
        refused += 1
        continue
      }
      defer { store.close() }
      let found = Self.everything(store)
      let isAltered = found.contains { name, answer in answer != nil && answer != right[name] }
      let isSaid = found.values.contains { $0 == nil } || !store.damageFound.isEmpty
      let problems = (try? store.check().problems) ?? ["it cannot be checked"]
      if isAltered { altered += 1 }
      if !problems.isEmpty { said += 1 }
      #expect(!(isAltered && problems.isEmpty), "byte \(place) alters something in silence")
      #expect(!(isSaid && problems.isEmpty), "byte \(place): what is said on reading is said by the check, too")
      // No row is ever read with another content.
      for id in Self.channels {
        let answer = found["channel \(id)"] ?? nil
        #expect(answer == nil || answer == "none" || answer == right["channel \(id)"], "byte \(place) alters channel \(id)")
        let post = found["post \(id)"] ?? nil
        #expect(post == nil || post == "none" || post == right["post \(id)"], "byte \(place) alters post \(id)")
      }
    }
    // Many bytes of a database mean nothing; the others are what this is about.
    #expect(refused + said >= 15 && altered <= said, "refused \(refused), said \(said), altered \(altered)")
  }

  private func damage(_ sql: String) async throws -> Store {
    try await fill(path)
    let store = try Store(directory: path)
    try await store.pool.write { db in try db.execute(sql: sql) }
    return store
  }

  @Test func changedRowIsNamedByReadsListsCheckScrubAndBackup() async throws {
    let store = try await damage("UPDATE channels SET display_name = 'Nevs 5' WHERE id = 5")
    let told = RecordingSink()
    store.tellDamage { told.add($0) }
    #expect { try store.channel(ChannelID(rawValue: 5)) } throws: {
      ($0 as? StoreError)?.code == .corrupt && "\($0)".contains("channel 5")
    }
    let page = try store.channels(matching: Filter([:]), in: ListOrder([]), withDeleted: true, after: nil, limit: 100)
    #expect(page.channels.count == 11 && page.unreadable == [ChannelID(rawValue: 5)])
    let some = try store.channels(Set([4, 5, 6, 99].map(ChannelID.init(rawValue:))))
    #expect(some.found.keys.map(\.rawValue).sorted() == [4, 6] && some.found.allSatisfy { $0.key == $0.value.row.id })
    #expect(some.unreadable.keys.map(\.rawValue) == [5] && some.unreadable.values.allSatisfy { $0.code == .corrupt })
    #expect(told.all == ["channel 5 was changed on the disk: its checksum is wrong"], "told once, however often it is read")
    #expect(try store.check().problems == told.all)
    let copy = folder.path + "/copy"
    #expect { try store.backUp(to: copy) } throws: { "\($0)".contains("channel 5") }
    #expect(!FileManager.default.fileExists(atPath: copy), "a damaged copy is not left behind")
    try await store.commit([.quarantine(ChannelID(rawValue: 5), reason: "its checksum is wrong", at: Self.now)])
    store.close()
    let accepted = RecordingSink()
    let again = try Store(directory: path) { accepted.add($0) }
    #expect(accepted.all == ["channel 5"])
    #expect(try again.totals().quarantined == 0, "it is not left alone any more")
    #expect(try again.channel(ChannelID(rawValue: 5))?.row.profile.displayName == "Nevs 5")
    try again.backUp(to: copy)
    again.close()
  }

  /// Whoever goes while a copy is made does not have the rest made and read.
  @Test func copiesThatNobodyWantsAreEnded() throws {
    let store = try Store(directory: path)
    let copy = folder.path + "/copy"
    #expect {
      try Reading.$current.withValue(Reading { true }) { try store.backUp(to: copy) }
    } throws: {
      ($0 as? StoreError)?.code == .inputOutput
    }
    #expect(!FileManager.default.fileExists(atPath: copy))
    try store.backUp(to: copy)
    store.close()
  }

  /// These are read while the database is opened.
  @Test(arguments: ["schema_sum", "database_id", "generation"])
  func damagedSettingsCanBeAcceptedToo(key: String) async throws {
    try await damage("UPDATE settings SET value = '7' WHERE key = '\(key)'").close()
    #expect { try Store(directory: path) } throws: { ($0 as? StoreError)?.code == .corrupt }
    let accepted = RecordingSink()
    let store = try Store(directory: path, whenLost: .acceptOlder) { accepted.add($0) }
    #expect(accepted.all == ["the setting '\(key)'"])
    #expect(try store.check().problems.isEmpty)
    store.close()
    try Store(directory: path).close()
  }

  /// Whoever accepts a damaged setting does not accept more than that.
  @Test func damagedSettingDoesNotHideADamagedDescription() async throws {
    try await damage("DROP INDEX channels_by_name; UPDATE settings SET value = '7' WHERE key = 'generation'").close()
    #expect { try Store(directory: path, whenLost: .acceptOlder) { _ in } } throws: {
      ($0 as? StoreError)?.code == .corrupt && "\($0)".contains("the description of its tables")
    }
  }

  @Test(arguments: [
    ("UPDATE channels SET custom = '{\"team' WHERE id = 5", "channel 5"),
    ("UPDATE channel_relays SET status = 'removed' WHERE channel_id = 3 AND relay_id = 2", "relay 2 of channel 3"),
    ("DELETE FROM channel_relays WHERE channel_id = 3 AND relay_id = 2", "channel 3 has 3 relays, and 2 of them"),
    ("UPDATE transitions SET detail = 'x' WHERE revision = 11", "the transition of revision 11"),
    ("UPDATE changes SET channel_id = 2 WHERE channel_id = 4", "the change of revision"),
    ("UPDATE settings SET value = '7' WHERE key = 'generation'", "the setting 'generation'"),
    ("UPDATE operators SET domains = '[]'", "operator 1"), ("UPDATE servers SET port = 5", "server 1"),
    ("UPDATE relays SET name = 'x' WHERE id = 2", "relay 2"), ("UPDATE identities SET public_key = 'cd'", "identity 1"),
  ])
  func eachTableIsChecked(sql: String, words: String) async throws {
    let store = try await damage(sql)
    let problems = try store.check().problems
    #expect(problems.contains { $0.hasPrefix(words) }, "\(problems)")
    if !words.contains("of them") {
      var found: [String] = []
      var place: Store.Scrub? = Store.Scrub()
      while let now = place {
        let (some, next) = store.scrub(now, rows: 7)
        found += some
        place = next
      }
      #expect(found.contains { $0.hasPrefix(words) }, "\(found)")
    }
    store.close()
  }

  /// Rows whose sums are right, with a word that no version has written. Leaving them out would hide what channels and keys belong to.
  @Test(arguments: [
    ("UPDATE relays SET health = 'well' WHERE id = 2", "relay 2"),
    ("UPDATE relays SET network = 'irc' WHERE id = 3", "relay 3"),
    ("UPDATE servers SET transport = 'ftp'", "server 1"), ("UPDATE identities SET network = 'irc'", "identity 1"),
  ])
  func unknownWordsHideNothing(sql: String, name: String) async throws {
    try await damage(sql).close()
    let accepted = RecordingSink()
    let store = try Store(directory: path) { accepted.add($0) }
    #expect(accepted.all == [name])
    #expect {
      _ = try store.relays()
      _ = try store.servers()
      _ = try store.identities()
    } throws: {
      ($0 as? StoreError)?.code == .corrupt && "\($0)".contains("\(name) is unreadable")
    }
    store.close()
  }

  @Test func scrubOfWhatIsWholeEndsAndFindsNothing() async throws {
    try await fill(path)
    let store = try Store(directory: path)
    var steps = 0
    var place: Store.Scrub? = Store.Scrub()
    while let now = place, steps < 1_000 {
      let (found, next) = store.scrub(now, rows: 50)
      #expect(found.isEmpty)
      place = next
      steps += 1
    }
    #expect(steps > 10 && steps < 100)
    store.close()
  }

  /// Takes times back row by row, and leaves damaged rows as they are.
  @Test func takingTimesBackKeepsSumsAndDamage() async throws {
    let store = try await damage(
      "UPDATE channel_relays SET status = 'failed', since = 9999999999999 WHERE channel_id = 1; "
        + "UPDATE channel_relays SET sum = \(SummedTable.channelRelays.expression) WHERE channel_id = 1; "
        + "UPDATE channel_relays SET cause = 'left' WHERE channel_id = 1 AND relay_id = 2")
    try await store.commit([.clampTimes(now: Self.now, latestVerifyDue: Self.now)])
    let problems = try store.check().problems
    #expect(problems.contains { $0.hasPrefix("relay 2 of channel 1 ") })
    #expect(!problems.contains { $0.hasPrefix("relay 1 of channel 1") || $0.hasPrefix("relay 3 of channel 1") }, "\(problems)")
    store.close()
  }

  @Test func summedTablesAreWhatTheSchemaSays() throws {
    let store = try Store(directory: path)
    for table in SummedTable.all {
      let columns = try store.pool.read { db in try db.columns(in: table.name).map(\.name) }
      #expect(columns == table.columns + ["sum"])
      #expect(Array(table.columns.prefix(table.key.count)) == table.key)
    }
    store.close()
  }

  @Test func sumTellsValuesApart() {
    let values: [[DatabaseValue]] = [
      [], [.null], [.null, .null], [0.databaseValue], [Double(0).databaseValue], ["".databaseValue], ["0".databaseValue],
      [Data([0x30]).databaseValue], ["a".databaseValue, "b".databaseValue], ["ab".databaseValue], ["ab".databaseValue, .null],
      ["abcdefgh".databaseValue], ["abcdefg".databaseValue], ["abcdefgh\0".databaseValue],
    ]
    #expect(Set(values.map { RowSum.of($0) }).count == values.count)
  }
}

private final class RecordingSink: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []
  func add(_ line: String) { lock.withLock { lines.append(line) } }
  var all: [String] { lock.withLock { lines } }
}
