import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Posts to which their network gives another form with an outcome, because each attempt to publish them is signed again.
@Suite(.timeLimit(.minutes(10)))
struct PostFormTests {
  private let relay = RelayID(rawValue: 1)

  /// A bench with posts for which `handedOver` is still to come.
  private func bench(posts count: Int = 1) async throws -> PostBench {
    let bench = try await PostBench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    for number in 1...count { bench.publish("post \(number)") }
    await bench.run()
    return bench
  }

  private func post(_ number: Int) -> PostID { PostID(rawValue: Int64(number)) }

  private func form(_ name: String, author: String = "key") -> PostDocument {
    PostDocument(networkID: name, author: author, text: "attempts: \(name)")
  }

  private func number(_ id: PostID, _ bench: PostBench) throws -> Int {
    try #require(bench.decider.awake[id]?.machine(at: relay)?.underWay?.operation)
  }

  private func departures(_ id: PostID, _ bench: PostBench) -> Int { bench.network.posts.departures(of: id, for: "ws://r1") }

  @Test func formIsStoredBeforeThePostLeaves() async throws {
    let bench = try await bench()
    let id = post(1)
    let revision = try #require(try bench.store.post(id)?.row.revision)
    bench.report(.handedOver, of: id, number: try number(id, bench), form: form("attempt 1"))
    await bench.decide()
    #expect(departures(id, bench) == 0 && bench.network.posts.withheld == 0, "it is not durable yet")
    #expect(try bench.store.post(id)?.row.document.networkID == "post1")
    await bench.land()
    #expect(departures(id, bench) == 1)
    let row = try #require(try bench.store.post(id)?.row)
    #expect(row.document == form("attempt 1") && row.revision > revision, "clients see it")
    #expect(try bench.statuses(id) == [.verified])
  }

  @Test func formThatCannotBeStoredKeepsThePostFromLeaving() async throws {
    let bench = try await bench()
    let id = post(1)
    bench.storage.isBroken = true
    bench.report(.handedOver, of: id, number: try number(id, bench), form: form("attempt 1"))
    await bench.run()
    #expect(departures(id, bench) == 0 && bench.network.posts.withheld == 1)
    #expect(try bench.store.post(id)?.row.document.networkID == "post1")
    bench.storage.isBroken = false
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = false }
    try await bench.move { try bench.statuses(id) == [.verified] }
    #expect(departures(id, bench) == 1)
    #expect(try bench.store.post(id)?.row.document.networkID == "post1", "that attempt was never made")
  }

  @Test func formThatStorageRefusesKeepsOnlyItsPostFromLeaving() async throws {
    let bench = try await bench(posts: 2)
    let (damaged, other) = (post(1), post(2))
    bench.storage.refusePosts { mutation in
      if case .rewritePost(let row) = mutation { row.id == damaged } else { false }
    }
    for id in [damaged, other] {
      bench.report(.handedOver, of: id, number: try number(id, bench), form: form("attempt of \(id.rawValue)"))
    }
    await bench.run()
    #expect(departures(damaged, bench) == 0 && bench.network.posts.withheld == 1 && departures(other, bench) == 1)
    #expect(try bench.store.post(damaged)?.row.document.networkID == "post1")
    #expect(try bench.store.post(other)?.row.document == form("attempt of 2"))
    #expect(Array(bench.decider.leftAlone.keys) == [damaged])
  }

  @Test func formOfAnOutdatedOperationIsIgnored() async throws {
    let bench = try await bench()
    let id = post(1)
    let current = try number(id, bench)
    let outcomes: [DeliveryOutcome] = [
      .handedOver, .troubled(Trouble(.timeout, "no OK"), retryAfter: nil), .missing, .verified(edition: 1),
    ]
    for outcome in outcomes {
      for number in [current - 1, current + 1] { bench.report(outcome, of: id, number: number, form: form("stray")) }
      await bench.run()
      #expect(try bench.store.post(id)?.row.document.networkID == "post1", "\(outcome)")
    }
    #expect(departures(id, bench) == 0)
  }

  @Test func authorOfAPostNeverChanges() async throws {
    let bench = try await bench()
    let id = post(1)
    bench.report(.handedOver, of: id, number: try number(id, bench), form: form("stray", author: "someone else"))
    await bench.run()
    #expect(departures(id, bench) == 1)
    #expect(try bench.store.post(id)?.row.document.networkID == "post1")
  }

  /// Readers may find the post under an earlier number while the latest one is on its way.
  @Test func formOfTheLatestReadingCountsAfterAnEarlierOne() async throws {
    let bench = try await bench()
    let id = post(1)
    bench.network.set(.silent, at: "ws://r1")
    let first = try number(id, bench)
    bench.report(.handedOver, of: id, number: first, form: form("attempt 1"))
    await bench.run()
    bench.report(.accepted, of: id, number: first)
    await bench.run()
    bench.report(.verified(edition: 1), of: id, number: first, form: form("stray"))
    bench.report(.verified(edition: 1), of: id, number: first + 1, form: form("found"))
    await bench.run()
    #expect(try bench.statuses(id) == [.verified])
    #expect(try bench.store.post(id)?.row.document == form("found"))
  }

  @Test func formThatReadersFindIsKeptAndNothingElseChanges() async throws {
    let bench = try await bench()
    let id = post(1)
    bench.network.set(.silent, at: "ws://r1")
    let first = try number(id, bench)
    bench.report(.handedOver, of: id, number: first, form: form("attempt 1"))
    await bench.run()
    bench.report(.troubled(Trouble(.timeout, "no OK"), retryAfter: nil), of: id, number: first)
    await bench.run()
    #expect(try bench.statuses(id) == [.sent], "it is read back")
    bench.report(.verified(edition: 1), of: id, number: try number(id, bench), form: form("found"))
    await bench.run()
    let stored = try #require(try bench.store.post(id))
    #expect(stored.row.document == form("found") && stored.row.text == "post 1")
    #expect(stored.deliveries.map(\.record.status) == [.verified])
  }
}
