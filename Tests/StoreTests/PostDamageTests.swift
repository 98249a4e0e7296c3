import Channels
import Foundation
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// Damage of the tables of posts is noticed and named, and no other post suffers from it. Files from before posts are brought up to date.
struct PostDamageTests {
  private typealias Bench = PostBench
  private let bench: PostBench
  private let folder: TemporaryFolder
  private var store: Store { bench.store }

  init() async throws {
    bench = try await PostBench()
    folder = try TemporaryFolder()
    let records = [Bench.record(.verified), Bench.record(.failed, cause: .unreachable)]
    try await bench.add(
      (1...5 as ClosedRange<Int64>).map { Bench.stored($0, records.enumerated().map { Bench.delivery(Int64($0 + 1), $1) }) })
    try await store.commit(
      (1...5 as ClosedRange<Int64>).map { .appendPostTransition(Bench.transition($0, $0)) } + [
        .savePostRoute(Self.route(1, .joining)), .savePostRoute(Self.route(2, .joining)),
      ])
  }

  private static func route(_ channel: Int64, _ status: PostRouteRow.Status) -> PostRouteRow {
    PostRouteRow(
      channel: ChannelID(rawValue: channel), relay: RelayID(rawValue: 1), status: status, cursor: PostID(rawValue: 3))
  }

  private func damage(_ sql: String) async throws {
    try await store.pool.write { db in
      try db.execute(sql: sql)
      #expect(db.changesCount == 1)
    }
  }

  private func scrubbed() -> [String] {
    var found: [String] = []
    var place: Store.Scrub? = Store.Scrub()
    while let now = place {
      let (some, next) = store.scrub(now, rows: 3)
      found += some
      place = next
    }
    return found
  }

  @Test(arguments: [
    ("UPDATE posts SET text = 'Hellp' WHERE id = 3", "post 3 was changed"),
    ("UPDATE posts SET revision = 4 WHERE id = 3", "post 3 was changed"),
    (
      "UPDATE deliveries SET detail = 'no ansver' WHERE post_id = 3 AND relay_id = 2",
      "the delivery of post 3 at relay 2 was changed"
    ),
    ("UPDATE deliveries SET departed = 1 WHERE post_id = 3 AND relay_id = 1", "the delivery of post 3 at relay 1 was changed"),
  ])
  func damagedPostFailsAlone(sql: String, words: String) async throws {
    try await damage(sql)
    let (damaged, others) = (PostID(rawValue: 3), Bench.ids([5, 4, 2, 1]))
    #expect { try store.post(damaged) } throws: { ($0 as? StoreError)?.code == .corrupt && "\($0)".hasPrefix(words) }
    let some = try store.posts(Set(others + [damaged]))
    #expect(Set(some.found.keys) == Set(others) && some.unreadable.keys.map { $0 } == [damaged])
    let page = try store.posts(PostQuestion(limit: 10))
    #expect(page.posts.map(\.row.id) == others && page.unreadable == [damaged])
    let changed = try store.changedPosts(after: 0, channels: nil, limit: 10)
    #expect(Set(changed.posts.map(\.row.id)) == Set(others) && changed.through == 5)
    #expect(store.damageFound.count == 1, "told once, however often it is read")
    #expect(scrubbed().contains { $0.hasPrefix(words) })
    #expect(try store.check().problems.contains { $0.hasPrefix(words) })
    #expect { try store.backUp(to: folder.path + "/copy") } throws: { "\($0)".contains(words) }
  }

  @Test func missingDeliveryFailsItsPostAlone() async throws {
    try await damage("DELETE FROM deliveries WHERE post_id = 3 AND relay_id = 2")
    let words = "post 3 has 2 deliveries, and 1 of them can be found. Restore a backup"
    #expect { try store.post(PostID(rawValue: 3)) } throws: { "\($0)" == words }
    #expect(try store.check().problems == [words])
    #expect(try store.post(PostID(rawValue: 2))?.deliveries.count == 2)
  }

  /// The sum is right, and the row says what cannot be.
  @Test(arguments: ["status = 'dancing'", "task = NULL", "cause = NULL", "left_edition = 2", "attempt = 0", "cause = 'spite'"])
  func deliveryThatContradictsItselfFailsItsPostAlone(change: String) async throws {
    try await damage("UPDATE deliveries SET \(change) WHERE post_id = 3 AND relay_id = 2")
    try await damage("UPDATE deliveries SET sum = \(SummedTable.deliveries.expression) WHERE post_id = 3 AND relay_id = 2")
    #expect { try store.post(PostID(rawValue: 3)) } throws: {
      "\($0)" == "post 3: the state of its delivery at relay 2 contradicts itself. Restore a backup"
    }
    #expect(try store.check().problems.contains { $0.hasPrefix("post 3:") })
    #expect(try store.posts(PostQuestion(limit: 10)).posts.count == 4)
  }

  @Test func damagedRoutesAndTransitionsAreNamed() async throws {
    try await damage("UPDATE post_routes SET cursor = 2 WHERE channel_id = 1")
    try await damage("UPDATE post_transitions SET attempt = 2 WHERE revision = 4")
    let words = [
      "the route of the posts of channel 1 to relay 1 was changed", "the transition of post 4 with revision 4 was changed",
    ]
    for found in [scrubbed(), try store.check().problems] {
      #expect(words.allSatisfy { word in found.contains { $0.hasPrefix(word) } }, "\(found)")
    }
    #expect { try store.postRoutes(of: [ChannelID(rawValue: 1)]) } throws: { "\($0)".hasPrefix(words[0]) }
    #expect(try store.postRoutes(of: [ChannelID(rawValue: 2)]) == [Self.route(2, .joining)])
    #expect(try store.postRoutesUnderWay() == [Self.route(2, .joining)], "others go on")
    #expect { try store.postTransitions(of: PostID(rawValue: 4), limit: 5) } throws: { "\($0)".hasPrefix(words[1]) }
    #expect(try store.postTransitions(of: PostID(rawValue: 5), limit: 5).count == 1)
  }

  /// Changing a damaged post does not make its damage right.
  @Test func changesKeepDamage() async throws {
    try await damage("UPDATE posts SET text = 'Hellp' WHERE id = 3")
    try await damage("UPDATE deliveries SET detail = 'no ansver', timer_at = 9999999999999 WHERE post_id = 3 AND relay_id = 2")
    try await store.commit([
      .updatePost(Bench.post(3, deliveries: 2, revision: PendingRevision.at(1))),
      .clampTimes(now: Bench.now, latestVerifyDue: Bench.now),
    ])
    let found = scrubbed()
    #expect(found.contains { $0.hasPrefix("post 3 was changed") })
    #expect(found.contains { $0.hasPrefix("the delivery of post 3 at relay 2 was changed") })
  }

  // MARK: - Files of an earlier schema

  /// A database of the schema before posts, with an identity and a channel.
  private func earlier(_ path: String, _ changes: String = "") throws {
    let pool = try DatabasePool(path: path)
    try Schema.migrate(pool, to: 11)
    try pool.write { db in
      try db.execute(
        sql: """
          INSERT INTO identities (id, name, network, public_key, sealed_key, created_at) VALUES (1, 'main', 'nostr', 'k', x'00', 1);
          INSERT INTO channels (id, kind, network, identity_id, display_name, network_id, author, document, wanted_relays, heal,
            created_at, updated_at, revision, relay_count) VALUES (1, 'channel', 'nostr', 1, 'News', 'i', 'k', '{}', 1, 1, 1, 1, 2, 0);
          UPDATE identities SET sum = \(Schema.sum(of: .identities, db));
          UPDATE channels SET sum = \(Schema.sum(of: .channels, db));
          \(changes)
          """)
    }
    try pool.close()
  }

  private func expectPosts(in directory: String) async throws {
    let store = try Store(directory: directory)
    defer { store.close() }
    #expect(try store.channel(ChannelID(rawValue: 1))?.row.profile.displayName == "News")
    let (id, revision) = (try store.postCounters().post + 1, try store.postCounters().revision + 1)
    try await store.commit([.insertPost(Bench.post(id, revision: PendingRevision.at(1)))])
    #expect(try store.post(PostID(rawValue: id))?.row == Bench.post(id, revision: revision))
    #expect(try store.check().problems.isEmpty)
  }

  @Test func databaseFromBeforePostsIsBroughtUpToDate() async throws {
    let directory = folder.path + "/state"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try earlier(directory + "/baton.db")
    try await expectPosts(in: directory)
  }

  @Test func copyFromBeforePostsIsRestored() async throws {
    try earlier(folder.path + "/copy.db")
    _ = try Store.restore(from: folder.path + "/copy.db", directory: folder.path + "/state", stamp: "1")
    try await expectPosts(in: folder.path + "/state")
    try earlier(folder.path + "/damaged.db", "UPDATE channels SET display_name = 'Nevs';")
    #expect { try Store.restore(from: folder.path + "/damaged.db", directory: folder.path + "/other", stamp: "1") } throws: {
      ($0 as? StoreError)?.code == .corrupt && "\($0)".contains("channel 1 was changed")
    }
  }
}
