import Channels
import ControlAPI
import TestSupport
import Testing

@testable import BatonClient

/// The loaded part of a channel's messages.
struct LiveMessageWindowTests {
  private static func message(
    _ id: Int64, _ text: String = "", place: Int, revision: Int64, isDeleted: Bool = false, isHidden: Bool = false
  ) -> Message {
    Message(
      id: id, channelId: 1, channelName: "News", network: "nostr", author: "alice", text: text, own: false, mention: false,
      attachments: [], reactions: [], relayIds: [], place: place, time: "t", createdAt: "t", receivedAt: "t",
      deletedAt: isDeleted ? "t" : nil, hidden: isHidden, pinned: false, revision: revision)
  }

  @Test func orderIsThatOfPlacesAndThenOfIdentifiers() {
    var window = LiveMessageWindow()
    window.willLoad()
    #expect(window.load([], isLast: true).isEmpty)
    var mirror: [Message] = []
    for (id, place) in [(1, 5), (2, 9), (3, 5), (4, 1)] as [(Int64, Int)] {
      mirror.apply(window.take(Self.message(id, place: place, revision: id)))
    }
    #expect(window.elements.map(\.id) == [2, 3, 1, 4] && mirror == window.elements)
  }

  /// A page and the changes that arrive while it loads may each be ahead of the other.
  @Test func laterOfPageAndChangeWins() {
    var window = LiveMessageWindow()
    window.willLoad()
    for change in [
      Self.message(1, "old", place: 1, revision: 5), Self.message(2, "new", place: 2, revision: 9),
      Self.message(3, place: 3, revision: 8, isDeleted: true),
    ] {
      #expect(window.take(change).isEmpty)
    }
    let page = [
      Self.message(3, "back", place: 3, revision: 3), Self.message(2, "old", place: 2, revision: 6),
      Self.message(1, "new", place: 1, revision: 7),
    ]
    let steps = window.load(page, isLast: true)
    #expect(window.elements.map(\.text) == ["new", "new"])
    #expect(steps.count == 2, "no one sees how a message was before: \(steps)")
  }

  /// In another database, revisions mean something else: what was loaded again is right, and changes count from there.
  @Test func newMessagesWinWhateverTheirRevisions() {
    var window = LiveMessageWindow()
    window.willLoad()
    var mirror: [Message] = []
    let before = [Self.message(2, "gone", place: 2, revision: 101), Self.message(1, "late", place: 1, revision: 100)]
    mirror.apply(window.load(before, isLast: true))
    #expect(mirror == before)
    // The same identifier is another message, at another place.
    let after = [Self.message(1, "early", place: 7, revision: 7), Self.message(2, "gone", place: 2, revision: 1)]
    mirror.apply(window.replace(with: after, isComplete: true))
    #expect(mirror == after && window.elements == after)
    #expect(window.replace(with: after, isComplete: true).isEmpty, "nothing has changed")
    mirror.apply(window.take(Self.message(1, "next", place: 7, revision: 8)))
    #expect(mirror.map(\.text) == ["next", "gone"] && window.elements == mirror)
    #expect(window.take(Self.message(1, "old", place: 7, revision: 7)).isEmpty, "a change that is late is none")
  }

  /// What a naive client would have: all messages of a channel, and how far they are loaded.
  private struct World {
    var messages: [Int64: Message] = [:]
    var revision: Int64 = 0
    /// The last message of what was loaded; it may be deleted since.
    var end: Message?
    var isComplete = false

    static func isBefore(_ a: Message, _ b: Message) -> Bool { (a.place, a.id) < (b.place, b.id) }

    var all: [Message] { messages.values.filter { $0.deletedAt == nil && !$0.hidden }.sorted { Self.isBefore($1, $0) } }
    var hasBegun: Bool { isComplete || end != nil }

    /// What is loaded.
    var expected: [Message] {
      guard hasBegun else { return [] }
      return all.filter { message in isComplete || end.map { !Self.isBefore(message, $0) } == true }
    }

    /// A message that is new, or that was edited, deleted, hidden or shown again.
    mutating func change(_ random: inout SplitMix64) -> Message {
      revision += 1
      let id = Int64.random(in: 1...25, using: &random)
      let place = messages[id]?.place ?? Int.random(in: 0...12, using: &random)
      let isDeleted = messages[id]?.deletedAt != nil || random.draw(15)
      let changed = LiveMessageWindowTests.message(
        id, "\(revision)", place: place, revision: revision, isDeleted: isDeleted, isHidden: !isDeleted && random.draw(20))
      messages[id] = changed
      return changed
    }
  }

  /// Whatever happens to messages, the reported steps lead from the old ones to the new ones, and those are right.
  /// `BATON_SEED=n scripts/test ControlTests --filter LiveMessageWindow` repeats a failure.
  @Test func stepsLeadFromTheOldMessagesToTheNew() async {
    let seed = Seeds.repeated ?? 20_261_124
    var random = SplitMix64(seed: seed)
    for round in 0..<100 {
      await Task.yield()
      let pageSize = Int.random(in: 1...6, using: &random)
      var (world, window, mirror) = (World(), LiveMessageWindow(), [Message]())
      func change() {
        let changed = world.change(&random)
        for _ in 0..<2 { mirror.apply(window.take(changed)) }
      }
      for step in 0..<100 {
        switch Int.random(in: 0..<12, using: &random) {
        case 0 where !world.isComplete:
          #expect(window.anchor == world.end?.id)
          let rest = world.all.filter { message in world.end.map { World.isBefore(message, $0) } ?? true }
          window.willLoad()
          // Meanwhile things happen that the page does not know of.
          for _ in 0..<Int.random(in: 0...3, using: &random) { change() }
          if random.draw(20) {
            window.didNotLoad()
          } else {
            let page = Array(rest.prefix(pageSize))
            (world.end, world.isComplete) = (page.last ?? world.end, rest.count <= pageSize)
            mirror.apply(window.load(page, isLast: world.isComplete))
          }
        case 1:
          // Loaded again, as after a long absence in which changes were missed, or from another database.
          if random.draw(30) { (world.messages, world.revision) = ([:], 0) }
          for _ in 0..<5 { _ = world.change(&random) }
          let loaded = Array(world.all.prefix(max(window.elements.count, pageSize)))
          (world.end, world.isComplete) = (loaded.last, loaded.count == world.all.count)
          mirror.apply(window.replace(with: loaded, isComplete: world.isComplete))
        default: change()
        }
        guard mirror == window.elements, window.elements == world.expected else {
          Issue.record("round \(round), step \(step); repeat with BATON_SEED=\(seed)")
          return
        }
      }
    }
  }
}
