import Channels
import Storage
import Synchronization
import Testing

@testable import Coordinator

/// Many subscribers of the same changes.
@Suite(.timeLimit(.minutes(10)))
struct ChangeHubTests {
  private func subscribe(_ hub: ChangeHub, _ count: Int) throws -> [ChangeSubscription] {
    try (0..<count).map { _ in try #require(hub.subscribe()) }
  }

  @Test func messageIsEncodedOnceForAll() throws {
    let hub = ChangeHub()
    let subscriptions = try subscribe(hub, 200)
    for revision in 1...50 as ClosedRange<Int64> { hub.publish([relayChange(revision)], revision: revision) }
    var made = 0
    for subscription in subscriptions {
      var messages: [String] = []
      while case .change(let entry) = subscription.take() {
        let message = try subscription.message(of: entry) { change in
          made += 1
          return Array("change \(change.revision)".utf8)
        }
        messages.append(String(decoding: message, as: UTF8.self))
      }
      #expect(messages == (1...50).map { "change \($0)" })
    }
    #expect(made == 50 && hub.figures.messages == 50)
  }

  @Test func subscribersThatDoNotReadCostNothing() throws {
    let hub = ChangeHub(queueMax: 500, bytesMax: 300_000)
    let reader = try #require(hub.subscribe())
    let deaf = try subscribe(hub, 200)
    for revision in 1...20_000 as ClosedRange<Int64> {
      hub.publish([relayChange(revision, of: revision % 7)], revision: revision)
      guard case .change(let entry) = reader.take() else { throw CancellationError() }
      _ = try reader.message(of: entry) { _ in Array(repeating: 0, count: 1000) }
      let held = hub.figures
      guard held.changes <= 500, held.bytes <= 300_000 else {
        Issue.record("\(held) after \(revision) changes")
        return
      }
    }
    #expect(hub.figures.changes > 50, "as much is kept as fits")
    for subscription in deaf { #expect(subscription.take().words == "missed 0 to 20000") }
    #expect(hub.figures.falls == 200)
    for subscription in deaf + [reader] { subscription.cancel() }
    #expect(hub.figures.changes == 0 && hub.figures.bytes == 0 && hub.subscriberCount == 0)
  }

  /// Where others commit, too, what does not follow is left to whoever reads what they have committed.
  @Test func changesWaitForThoseBeforeThem() throws {
    let hub = ChangeHub()
    let reader = try #require(hub.subscribe())
    #expect(hub.publish([relayChange(1)], after: 5, revision: 1), "no one else commits")
    let gaps = Mutex(0)
    hub.fillGaps { gaps.withLock { $0 += 1 } }
    #expect(!hub.publish([relayChange(4)], after: 3, revision: 4))
    #expect(hub.revision == 1 && gaps.withLock { $0 } == 1)
    #expect(hub.publish([relayChange(2), relayChange(3), relayChange(4)], after: 1, revision: 4))
    #expect(!hub.publish([relayChange(4)], after: 3, revision: 4), "it was published with those before it")
    #expect(hub.publish([relayChange(5)], after: 4, revision: 5))
    var revisions: [Int64] = []
    while case .change(let entry) = reader.take() { revisions.append(entry.change.revision) }
    #expect(revisions == [1, 2, 3, 4, 5] && gaps.withLock { $0 } == 2)
  }

  @Test func subscribersAreLimited() throws {
    let hub = ChangeHub(subscribersMax: 2)
    let subscriptions = try subscribe(hub, 2)
    #expect(hub.subscribe() == nil)
    subscriptions[0].cancel()
    #expect(hub.subscribe() != nil)
  }

  @Test func thoseWhoWaitAreWokenAndMissNothing() async throws {
    let hub = ChangeHub()
    let subscriptions = try subscribe(hub, 300)
    await withTaskGroup(of: [Int64].self) { group in
      for subscription in subscriptions {
        group.addTask {
          var revisions: [Int64] = []
          for await change in subscription.changes {
            revisions.append(change.revision)
            if change.revision == 100 { break }
          }
          return revisions
        }
      }
      // Most of them wait by then.
      for _ in 0..<1_000 { await Task.yield() }
      for revision in 1...100 as ClosedRange<Int64> {
        hub.publish([relayChange(revision)], revision: revision)
        if revision % 10 == 0 { await Task.yield() }
      }
      for await revisions in group { #expect(revisions == Array(1...100)) }
    }
  }

  @Test func waitingEndsWithTheTaskAndWithTheHub() async throws {
    let hub = ChangeHub()
    let (cancelled, stopped) = (try #require(hub.subscribe()), try #require(hub.subscribe()))
    let first = Task {
      await cancelled.wait()
      return cancelled.take().words
    }
    let second = Task {
      await stopped.wait()
      return (stopped.take().words, stopped.take().words)
    }
    first.cancel()
    #expect(await first.value == "over at 0")
    hub.publish([relayChange(4)], revision: 4)
    hub.finish()
    #expect(await second.value == ("change 4", "over at 4"))
    #expect(try #require(hub.subscribe()).take().words == "over at 4")
  }

  /// Subscribers are woken by changes that others do not want.
  @Test func subscribersGetOnlyWhatTheyWant() async throws {
    let hub = ChangeHub()
    let subscriptions = try (1...50).map { relay in
      try #require(hub.subscribe(ChangeSelection(relays: [RelayID(rawValue: Int64(relay))])))
    }
    await withTaskGroup(of: (Int64, [Int64]).self) { group in
      for (index, subscription) in subscriptions.enumerated() {
        group.addTask {
          var revisions: [Int64] = []
          for await change in subscription.changes {
            revisions.append(change.revision)
            if revisions.count == 20 { break }
          }
          return (Int64(index + 1), revisions)
        }
      }
      for revision in 1...1000 as ClosedRange<Int64> {
        hub.publish([relayChange(revision, of: (revision - 1) % 50 + 1)], revision: revision)
        if revision % 50 == 0 { await Task.yield() }
      }
      for await (relay, revisions) in group { #expect(revisions == (0..<20).map { $0 * 50 + relay }) }
    }
  }
}
