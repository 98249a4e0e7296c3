import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Relays that forget posts get them again, and relays that serve deleted ones are told again.
struct PostComparisonTests {
  private static let (first, second) = ("ws://r1", "ws://r2")
  /// Longer than a day, with all that it may vary by.
  private static let day = Duration.seconds(100_000)

  /// A channel on two relays with posts that readers find on both.
  private func begin(_ count: Int) async throws -> (bench: Bench, relays: [RelayID], posts: [PostID]) {
    let bench = try await Bench(upkeep: UpkeepPolicy(), posts: true)
    let relays = try await bench.addRelays(2)
    let channel = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(channel) { $0.phase == .active }
    var posts: [PostID] = []
    for number in 1...count {
      posts.append(try await bench.coordinator.publish(PostRequest(channel: channel, text: "post \(number)")).post.row.id)
    }
    try await bench.moveComparisons { try posts.allSatisfy { try bench.statuses($0) == [.verified, .verified] } }
    // What was verified at the very moment at which a comparison begins does not count.
    bench.clock.advance(by: .seconds(1))
    return (bench, relays, posts)
  }

  private func check(_ bench: Bench) {
    #expect(bench.network.posts.violations.isEmpty, "\(bench.network.posts.violations)")
    #expect(bench.network.violations.isEmpty, "\(bench.network.violations)")
  }

  @Test func forgottenPostIsPublishedAgainOnce() async throws {
    let (bench, relays, posts) = try await begin(3)
    bench.network.posts.lose(posts[1], at: Self.first)
    bench.clock.advance(by: Self.day)
    try await bench.moveComparisons {
      try bench.network.posts.isStored(posts[1], at: Self.first) && bench.statuses(posts[1]) == [.verified, .verified]
        && bench.routes().allSatisfy { $0.comparedAt != nil }
    }
    try await bench.moveComparisons(times: 5)
    for (index, post) in posts.enumerated() {
      #expect(bench.network.posts.departures(of: post, for: Self.first) == (index == 1 ? 2 : 1))
      #expect(bench.network.posts.departures(of: post, for: Self.second) == 1)
    }
    let comparisons = bench.network.posts.comparisons
    #expect(Set(comparisons.map(\.relay)) == Set(relays) && comparisons.allSatisfy { $0.depth == .all })
    let entries = bench.log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.postsNotFound.rawValue }
    #expect(entries.map { $0.fields["BATON_COUNT"] } == ["1"] && entries.first?.fields["BATON_RELAY"] == "1")
    // The next one is a day later.
    #expect(try bench.routes().allSatisfy { $0.compareAt.map { $0 > bench.clock.now + .seconds(50_000) } == true })
    check(bench)
    try await bench.stop()
  }

  @Test func comparisonThatLiesLeadsToReadingBackOnly() async throws {
    let (bench, _, posts) = try await begin(3)
    bench.network.posts.change(at: Self.first) { $0.hidesFromComparisons = true }
    bench.clock.advance(by: Self.day)
    try await bench.moveComparisons {
      try posts.allSatisfy { post in
        let looked = try bench.store.postTransitions(of: post, limit: 100).contains {
          $0.relay.rawValue == 1 && $0.transition.to == .sent && $0.transition.cause == .missing
        }
        return try looked && bench.statuses(post) == [.verified, .verified]
      }
    }
    try await bench.moveComparisons(times: 5)
    for post in posts { #expect(bench.network.posts.departures(of: post, for: Self.first) == 1) }
    check(bench)
    try await bench.stop()
  }

  @Test func relayThatComesBackIsComparedAtOnceButNotAgainAndAgain() async throws {
    let (bench, relays, posts) = try await begin(2)
    let before = bench.network.posts.comparisons.count
    bench.network.posts.lose(posts[0], at: Self.first)
    bench.network.send(.relayDown(relays[0], Trouble(.unreachable, "it restarts")))
    bench.network.send(.relayUp(relays[0], roundTrip: .zero))
    try await bench.moveComparisons {
      try bench.network.posts.isStored(posts[0], at: Self.first) && bench.statuses(posts[0]) == [.verified, .verified]
    }
    #expect(bench.network.posts.departures(of: posts[0], for: Self.first) == 2)
    let newest = bench.network.posts.comparisons.dropFirst(before)
    #expect(newest.map(\.relay) == [relays[0]] && newest.first?.depth == .newest)
    bench.clock.advance(by: .seconds(1))
    let start = bench.clock.now
    for _ in 1...3 { bench.network.send(.relayUp(relays[0], roundTrip: .zero)) }
    try await bench.settleComparisons()
    #expect(bench.network.posts.comparisons.count == before + 1, "that was a moment ago")
    try await bench.moveComparisons { bench.network.posts.comparisons.count == before + 2 }
    #expect(bench.clock.now - start <= PostComparisons.recent + PostComparisons.round)
    try await bench.moveComparisons(times: 3)
    #expect(bench.network.posts.comparisons.count == before + 2, "once for all of them")
    check(bench)
    try await bench.stop()
  }

  /// The second time comes too soon to compare again at once, and is not forgotten.
  @Test func relayThatIsEmptiedTwiceGetsEverythingTwice() async throws {
    let (bench, relays, posts) = try await begin(3)
    for _ in 1...2 {
      let start = bench.clock.now
      bench.network.send(.relayDown(relays[0], Trouble(.unreachable, "it restarts")))
      bench.empty(Self.first, of: posts)
      bench.network.send(.relayUp(relays[0], roundTrip: .zero))
      try await bench.moveComparisons {
        try !bench.network.channels(at: Self.first).isEmpty
          && posts.allSatisfy {
            try bench.network.posts.isStored($0, at: Self.first) && bench.statuses($0) == [.verified, .verified]
          }
      }
      #expect(bench.clock.now - start < .seconds(180))
      bench.clock.advance(by: .seconds(1))
    }
    #expect(posts.allSatisfy { bench.network.posts.departures(of: $0, for: Self.first) == 3 })
    #expect(posts.allSatisfy { bench.network.posts.departures(of: $0, for: Self.second) == 1 })
    check(bench)
    try await bench.stop()
  }

  /// A postponed comparison is stored.
  @Test func relayThatIsEmptiedTwiceIsFoundOutAfterARestart() async throws {
    let (bench, relays, posts) = try await begin(1)
    bench.network.send(.relayUp(relays[0], roundTrip: .zero))
    try await bench.moveComparisons { try bench.routes().contains { $0.comparedAt != nil } }
    bench.clock.advance(by: .seconds(1))
    bench.network.send(.relayUp(relays[0], roundTrip: .zero))
    try await bench.settleComparisons()
    #expect(try bench.routes().contains { $0.compareAt.map { $0 <= bench.clock.now + PostComparisons.recent } == true })
    bench.network.posts.lose(posts[0], at: Self.first)
    let start = bench.clock.now
    try await bench.stop()
    let again = try await Bench(bench, upkeep: UpkeepPolicy(), posts: true)
    try await again.moveComparisons { again.network.posts.isStored(posts[0], at: Self.first) }
    #expect(again.clock.now - start < .seconds(180))
    check(again)
    try await again.stop()
  }

  /// Where posts are missing, the channel may be missing as well. Here only the comparison is due.
  @Test func lostPostsLetTheChannelBeReadBack() async throws {
    let (bench, _, posts) = try await begin(1)
    let start = bench.clock.now
    bench.empty(Self.first, of: posts)
    var route = try #require(try bench.routes().first { $0.relay == RelayID(rawValue: 1) })
    route.compareAt = start
    try await bench.storage.write([.savePostRoute(route)])
    try await bench.moveComparisons { !bench.network.channels(at: Self.first).isEmpty }
    #expect(bench.clock.now - start < .seconds(180))
    check(bench)
    try await bench.stop()
  }

  /// Where the channel is missing, its posts may be missing as well.
  @Test func lostChannelLetsItsPostsBeCompared() async throws {
    let (bench, _, posts) = try await begin(1)
    let start = bench.clock.now
    let channel = try #require(try bench.store.post(posts[0])?.row.channel)
    bench.empty(Self.first, of: posts)
    // The engine reads the channel back, as it does once a day.
    bench.coordinator.inbox.put(.verify(channel, Reply { _ in }))
    try await bench.moveComparisons {
      try bench.network.posts.isStored(posts[0], at: Self.first) && bench.statuses(posts[0]) == [.verified, .verified]
    }
    #expect(bench.clock.now - start < .seconds(180))
    #expect(Set(bench.network.posts.comparisons.map(\.address)) == [Self.first], "only that relay has lost something")
    check(bench)
    try await bench.stop()
  }

  @Test func verifyingAChannelComparesItsPosts() async throws {
    let (bench, _, posts) = try await begin(2)
    let start = bench.clock.now
    let channel = try #require(try bench.store.post(posts[0])?.row.channel)
    bench.network.posts.lose(posts[1], at: Self.second)
    _ = try await bench.coordinator.verify(channel)
    try await bench.moveComparisons {
      try bench.network.posts.isStored(posts[1], at: Self.second) && bench.statuses(posts[1]) == [.verified, .verified]
    }
    #expect(bench.clock.now - start < .seconds(180))
    check(bench)
    try await bench.stop()
  }

  /// What a relay lists has no reactions, so each is looked for where posts are missing, and only there.
  @Test func reactionsAreLookedForWherePostsAreMissing() async throws {
    let (bench, relays, posts) = try await begin(2)
    let reaction = try await bench.coordinator.react(to: posts[0], with: "+").post.row.id
    try await bench.moveComparisons { try bench.statuses(reaction) == [.verified, .verified] }
    bench.clock.advance(by: .seconds(1))
    bench.network.posts.lose(posts[1], at: Self.first)
    bench.network.posts.lose(reaction, at: Self.first)
    bench.network.send(.relayDown(relays[0], Trouble(.unreachable, "it restarts")))
    bench.network.send(.relayUp(relays[0], roundTrip: .zero))
    try await bench.moveComparisons {
      try [posts[1], reaction].allSatisfy {
        try bench.network.posts.isStored($0, at: Self.first) && bench.statuses($0) == [.verified, .verified]
      }
    }
    #expect(bench.network.posts.departures(of: reaction, for: Self.first) == 2)
    #expect(try bench.history(reaction, at: 2) == ["sent", "accepted", "verified"])
    let entries = bench.log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.postsNotFound.rawValue }
    #expect(entries.map { $0.fields["BATON_COUNT"] } == ["1"], "a reaction that is looked for was not missed")
    check(bench)
    try await bench.stop()
  }

  @Test func deletedPostThatIsServedAgainIsDeletedAgain() async throws {
    let (bench, _, posts) = try await begin(2)
    let name = try #require(try bench.store.post(posts[0])?.row.document.networkID)
    _ = try await bench.coordinator.deletePost(posts[0])
    try await bench.moveComparisons { try bench.statuses(posts[0]) == [.deleted, .deleted] }
    bench.network.posts.serveAgain(posts[0], named: name, at: Self.second)
    bench.clock.advance(by: Self.day)
    try await bench.moveComparisons {
      try !bench.network.posts.isStored(posts[0], at: Self.second) && bench.statuses(posts[0]) == [.deleted, .deleted]
    }
    #expect(bench.network.posts.departures(of: posts[0], for: Self.second) == 1)
    #expect(try bench.statuses(posts[1]) == [.verified, .verified])
    check(bench)
    try await bench.stop()
  }

  /// They come back page by page, and no more are under way than the lane lets.
  @Test func relayThatForgetsEverythingGetsItAgainAtItsPace() async throws {
    let (bench, _, posts) = try await begin(150)
    for post in posts { bench.network.posts.lose(post, at: Self.first) }
    bench.clock.advance(by: Self.day)
    try await bench.moveComparisons {
      try posts.allSatisfy { try bench.statuses($0) == [.verified, .verified] }
        && posts.allSatisfy { bench.network.posts.isStored($0, at: Self.first) }
    }
    #expect(posts.allSatisfy { bench.network.posts.departures(of: $0, for: Self.first) == 2 })
    #expect(bench.network.posts.mostUnderWay(at: Self.first) <= PostLane.underWayMax)
    check(bench)
    try await bench.stop()
  }

  @Test func relayThatCannotBeReachedIsAskedAgainLater() async throws {
    let (bench, relays, _) = try await begin(1)
    bench.network.set(.away, at: Self.first)
    bench.clock.advance(by: Self.day)
    func count() -> Int { bench.network.posts.comparisons.count { $0.relay == relays[0] } }
    try await bench.moveComparisons { count() == 1 }
    try await bench.moveComparisons(times: 5)
    #expect(count() == 1, "not every minute")
    #expect(try bench.routes().first?.comparedAt == nil)
    bench.network.set(.works, at: Self.first)
    bench.clock.advance(by: PostComparisons.afterFailure)
    try await bench.moveComparisons { try bench.routes().first?.comparedAt != nil }
    check(bench)
    try await bench.stop()
  }

  /// What a relay lists of posts has no reactions.
  @Test func reactionsAreLeftAlone() async throws {
    let (bench, _, posts) = try await begin(2)
    let reaction = try await bench.coordinator.react(to: posts[0], with: "+").post.row.id
    try await bench.moveComparisons { try bench.statuses(reaction) == [.verified, .verified] }
    let taken = try await bench.coordinator.react(to: posts[1], with: "-").post.row.id
    _ = try await bench.coordinator.deletePost(taken)
    bench.clock.advance(by: Self.day)
    let start = bench.clock.now
    try await bench.moveComparisons { try bench.routes().allSatisfy { $0.comparedAt.map { $0 >= start } == true } }
    try await bench.moveComparisons(times: 5)
    #expect(try bench.history(reaction) == ["sent", "accepted", "verified"])
    #expect(bench.network.posts.departures(of: reaction, for: Self.first) == 1)
    #expect(!bench.log.entries.contains { $0.fields["MESSAGE_ID"] == JournalEvent.postsNotFound.rawValue })
  }

  /// Some networks have no lists.
  @Test func relayThatListsNothingIsNotComparedAgain() async throws {
    let (bench, relays, posts) = try await begin(1)
    bench.network.posts.listsNothing = true
    bench.clock.advance(by: Self.day)
    try await bench.moveComparisons { try bench.routes().allSatisfy { $0.compareAt == nil } }
    #expect(Set(bench.network.posts.comparisons.map(\.relay)) == Set(relays))
    #expect(try bench.statuses(posts[0]) == [.verified, .verified])
    check(bench)
    try await bench.stop()
  }

  @Test func storageThatDoesNotWorkDelaysOnly() async throws {
    let (bench, _, posts) = try await begin(2)
    bench.network.posts.lose(posts[1], at: Self.first)
    bench.storage.arePostsUnreadable = true
    bench.clock.advance(by: Self.day)
    try await bench.moveComparisons(times: 3)
    #expect(!bench.network.posts.isStored(posts[1], at: Self.first))
    bench.storage.arePostsUnreadable = false
    try await bench.moveComparisons {
      try bench.network.posts.isStored(posts[1], at: Self.first)
        && bench.statuses(posts[1]) == [.verified, .verified]
    }
    #expect(bench.network.posts.departures(of: posts[1], for: Self.first) == 2)
    check(bench)
    try await bench.stop()
  }
}

extension Bench {
  fileprivate func routes() throws -> [PostRouteRow] { try store.postRoutes(of: store.channelsWithPosts()) }

  /// A relay loses its channels and posts.
  fileprivate func empty(_ address: String, of posts: [PostID]) {
    network.forget(at: address)
    for post in posts { network.posts.lose(post, at: address) }
  }

  /// Lets everything about posts happen that needs no clock, comparisons too.
  fileprivate func settleComparisons() async throws {
    for _ in 0..<4 {
      try await settle()
      try await coordinator.postBarrier()
    }
  }

  /// Moves the clock from timer to timer until `isDone`.
  fileprivate func moveComparisons(until isDone: () throws -> Bool) async throws {
    try await move(atMost: 500, settling: settleComparisons, until: isDone)
  }

  /// Moves the clock forward this many times, from timer to timer.
  fileprivate func moveComparisons(times: Int) async throws {
    for _ in 0..<times {
      let before = clock.now
      try await moveComparisons { clock.now > before }
    }
  }
}
