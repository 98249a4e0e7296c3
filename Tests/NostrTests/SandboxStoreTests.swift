import Nostr
import StrictJSON
import Testing

@testable import Sandbox

/// The events that the sandbox relay keeps and serves; the tests of the network rely on it.
struct SandboxStoreTests {
  private func event(_ key: SecretKey, at time: Int64 = 1000, kind: Int = 1, tags: [[String]] = []) throws -> NostrEvent {
    try #require(NostrEvent(signedBy: key, createdAt: time, kind: kind, tags: tags, content: "x"))
  }

  @Test func authorsTakeBackTheirOwnEventsOnly() throws {
    let (author, stranger) = (SecretKey.random(), SecretKey.random())
    let store = try EventStore(path: nil)
    let event = try event(author)
    #expect(try store.add(event))
    #expect(try store.add(self.event(stranger, kind: 5, tags: [["e", event.id]])))
    let filter = try #require(EventFilter(["ids": [.string(event.id)]]))
    #expect(store.find(filter) == [event])
    #expect(try store.add(self.event(author, kind: 5, tags: [["e", event.id]])))
    #expect(store.find(filter).isEmpty)
    #expect(try !store.add(event), "what was taken back stays away")
  }

  @Test func boundsOfTimeAreInclusive() throws {
    let event = try event(.random(), at: 1000)
    for (since, until, isIn) in [(1000, 1000, true), (1001, 2000, false), (0, 999, false)] as [(Int64, Int64, Bool)] {
      let filter = try #require(EventFilter(["since": .integer(since), "until": .integer(until)]))
      #expect(filter.matches(event) == isIn, "\(since) to \(until)")
    }
  }
}
