import Channels
import RelayNetwork
import Storage
import TestSupport
import Testing

@testable import Coordinator

/// The values that the task for messages is made of, each by itself.
struct MessageValueTests {
  private func id(_ number: Int64) -> ChannelID { ChannelID(rawValue: number) }
  private func relay(_ number: Int64) -> RelayID { RelayID(rawValue: number) }
  private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1_000) }

  // MARK: - Channels

  private func channel(
    _ number: Int64, on relays: [Int64: RelayStatus], network: NetworkKind = .nostr, deletedAt: Timestamp? = nil
  ) -> StoredChannel {
    let row = ChannelRow(
      id: id(number), kind: .channel, network: network, identity: ChannelRows.identity,
      profile: Profile(displayName: "News"), preferences: nil, networkID: "event", trustAnchor: "key", document: "{}",
      wantedRelays: 1, heal: false, custom: nil, idempotencyKey: nil, createdAt: at(1), updatedAt: at(1), revision: 1,
      relayCount: relays.count, keySalt: nil)
    var stored = StoredChannel(row: row, relays: [])
    stored.row.deletedAt = deletedAt
    stored.relays = relays.sorted { $0.key < $1.key }.map { relay, status in
      ChannelRelayRow(
        relay: RelayID(rawValue: relay),
        record: ChannelRelayRecord(
          status: status, since: at(1), operation: 1, relayLink: nil, trouble: nil, task: nil, attempt: 0, startedAt: nil,
          isUnderWay: false, timer: nil))
    }
    return stored
  }

  private let addresses = [RelayID(rawValue: 1): "ws://r1", RelayID(rawValue: 2): "ws://r2", RelayID(rawValue: 3): "ws://r3"]

  private func carryOut(_ steps: FollowList.Steps, _ list: inout FollowList) {
    for entry in steps.unfollow { list.unfollowed(entry.channel.id) }
    list.ended(steps.end)
    for channel in steps.begin { list.began(channel) }
    for entry in steps.follow { list.follows(entry) }
  }

  @Test func stepsLeadToWhatIsStoredAndThenThereAreNone() throws {
    var list = FollowList(window: MessageWindow(days: 3, count: 4), networks: [.nostr])
    var stored = StoredChannels(found: [
      id(1): channel(1, on: [1: .active, 2: .removed, 3: .failed, 9: .active]),
      id(2): channel(2, on: [1: .active], network: .simplex), id(3): channel(3, on: [1: .active], deletedAt: at(2)),
    ])
    let all: Set = [id(1), id(2), id(3), id(4)]
    let steps = list.steps(for: all, stored, addresses: addresses)
    #expect(steps.begin == [id(1), id(2)] && steps.unfollow.isEmpty && steps.end.isEmpty)
    #expect(steps.follow.map(\.channel.id) == [id(1)], "the network of the other is not served")
    let followed = try #require(steps.follow.first?.channel)
    #expect(
      followed.relays == [relay(1): "ws://r1", relay(3): "ws://r3"] && followed.window == MessageWindow(days: 3, count: 4))
    #expect(list.steps(for: all, stored, addresses: addresses) == steps, "nothing was done yet")
    carryOut(steps, &list)
    #expect(list.steps(for: all, stored, addresses: addresses) == FollowList.Steps())

    var moved = addresses
    moved[relay(3)] = "ws://r4"
    #expect(list.steps(for: [id(1)], stored, addresses: moved).follow.first?.channel.relays[relay(3)] == "ws://r4")
    stored.found[id(1)]?.row.networkID = "17"
    #expect(list.steps(for: [id(1)], stored, addresses: addresses).follow.first?.channel.content.networkID == "17")

    stored.found[id(1)]?.row.deletedAt = at(3)
    stored.found[id(2)] = nil
    let last = list.steps(for: all, stored, addresses: addresses)
    #expect(last.unfollow.map(\.channel.id) == [id(1)] && last.end == [id(1), id(2)] && last.begin.isEmpty)
    carryOut(last, &list)
    #expect(list.known.isEmpty && list.entries.isEmpty)
  }

  @Test func damagedChannelIsLeftAlone() {
    var list = FollowList(window: MessageWindow(), networks: [.nostr])
    let stored = StoredChannels(found: [id(1): channel(1, on: [1: .active])])
    carryOut(list.steps(for: [id(1)], stored, addresses: addresses), &list)
    let damaged = StoredChannels(unreadable: [
      id(1): StoreError(.corrupt, "channel 1 is damaged"), id(2): StoreError(.corrupt, "channel 2 is damaged"),
    ])
    #expect(list.steps(for: [id(1), id(2)], damaged, addresses: addresses) == FollowList.Steps())
  }

  @Test func walkMeetsAllAndSaysWhomItMissed() {
    var walk = ChannelWalk()
    walk.grewStale()
    #expect(!walk.isStale, "it has not begun")
    let page = (1...Int64(ChannelWalk.pageMax)).map(id)
    let isOver = walk.passed(page)
    #expect(!isOver && walk.place == page.last)
    walk.grewStale()
    let isOverNow = walk.passed([id(1_000)])
    #expect(isOverNow && walk.isStale && walk.place == id(1_000))
    #expect(walk.missing(of: [id(1), id(500), id(1_000)]) == [id(500)])
  }

  // MARK: - News

  private func batch(_ number: Int, news count: Int) -> MessageBatch {
    let news = MessageNews(channel: id(1), isLive: true, what: .edited(networkID: "a", text: "b"))
    return MessageBatch(
      id: MessageBatch.ID(network: .nostr, number: number), relay: nil, news: Array(repeating: news, count: count))
  }

  @Test func newsComeInTheirOrderAndABoundedNumberAtOnce() {
    var queue = NewsQueue()
    for (number, count) in [3, 7, 1, 25, 0, 2].enumerated() { queue.add(batch(number, news: count)) }
    var taken: [[Int]] = []
    while !queue.isEmpty {
      let next = queue.next(newsMax: 10)
      taken.append(next.map(\.id.number))
      #expect(next.count == 1 || next.reduce(0) { $0 + $1.news.count } <= 10)
      queue.removeFirst(next.count)
    }
    #expect(taken == [[0, 1], [2], [3], [4, 5]] && queue.received == 6 && queue.stored == 6)
    #expect(queue.next(newsMax: 10).isEmpty)
  }

  @Test func failureDoesNotHideASuccessThatWasNotStored() {
    var notes = FreshnessNotes()
    let trouble = Trouble(.unreachable, "refused")
    notes.add(id(2), relay(1), .complete, at: at(1))
    notes.add(id(1), relay(2), .failed(trouble), at: at(1))
    notes.add(id(2), relay(1), .failed(trouble), at: at(2))
    notes.add(id(1), relay(2), .complete, at: at(3))
    #expect(
      notes.rows == [
        MessageSyncRow(channel: id(1), relay: relay(2), completeAt: at(3), askedAt: at(3)),
        MessageSyncRow(channel: id(2), relay: relay(1), completeAt: at(1), askedAt: at(2), trouble: trouble),
      ])
    notes.remove([id(1)])
    #expect(notes.rows.map(\.channel) == [id(2)])
  }

  // MARK: - Requests

  @Test func requestsWaitForEachRelayOnce() {
    var waits = RelayWaits<Bool>()
    waits.add(1, for: id(1), relays: [relay(1), relay(2)])
    waits.add(2, for: id(1), relays: [relay(2)])
    waits.add(3, for: id(2), relays: [relay(1)])
    var over = waits.answered(id(1), relay(1), false)
    #expect(over.isEmpty)
    over = waits.answered(id(1), relay(1), true)
    #expect(over.isEmpty, "it has answered")
    over = waits.answered(id(1), relay(2), true)
    #expect(
      over == [
        .init(number: 1, outcomes: [relay(1): false, relay(2): true]), .init(number: 2, outcomes: [relay(2): true]),
      ])
    over = waits.changed(id(2), relays: [relay(1), relay(5)])
    #expect(over.isEmpty)
    over = waits.changed(id(2), relays: [relay(5)])
    #expect(over == [.init(number: 3, outcomes: [:])])
    waits.add(4, for: id(1), relays: [relay(1)])
    waits.add(5, for: id(1), relays: [relay(1)])
    let ended = waits.ended(4, late: false)
    #expect(ended == [relay(1): false])
    // An answer may be to one of them.
    waits.add(6, for: id(1), relays: [relay(1)])
    over = waits.answered(id(1), relay(1), number: 6, true)
    #expect(over == [.init(number: 6, outcomes: [relay(1): true])])
    over = waits.answered(id(1), relay(1), number: 99, true)
    #expect(over.isEmpty)
    let gone = waits.gone(id(1))
    #expect(gone == [5] && waits.isEmpty)
  }

  @Test func troubleIsSaidOnceAndTriedAgainLaterAndLater() {
    var troubles = KeepingTroubles()
    var wasChange = troubles.worked(.news)
    #expect(!wasChange && troubles.mayTry(.news, at: at(0)) && troubles.next(of: [.news]) == nil)
    wasChange = troubles.failed(.news, "full", at: at(0))
    #expect(wasChange)
    wasChange = troubles.failed(.posts, "gone", at: at(0))
    #expect(!wasChange, "something did not work before")
    #expect(!troubles.mayTry(.news, at: Timestamp(milliseconds: 999)) && troubles.mayTry(.news, at: at(1)))
    #expect(troubles.mayTry(.channels, at: at(0)) && troubles.reason == "full")
    var (now, pauses): (Timestamp, [Duration]) = (at(1), [])
    for _ in 1...8 {
      wasChange = troubles.failed(.news, "full", at: now)
      #expect(!wasChange)
      let next = troubles.next(of: [.news]) ?? now
      pauses.append(next - now)
      now = next
    }
    #expect(pauses == [2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    #expect(troubles.next(of: [.news, .posts]) == at(1) && troubles.next(of: [.channels]) == nil)
    wasChange = troubles.worked(.news)
    #expect(!wasChange, "posts do not work")
    wasChange = troubles.worked(.posts)
    #expect(wasChange && troubles.reason == nil)
    wasChange = troubles.failed(.news, "full", at: at(500))
    #expect(wasChange && troubles.next(of: [.news]) == at(501), "it begins anew")
  }
}
