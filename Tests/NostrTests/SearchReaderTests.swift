import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Searches at a followed relay (NIP-50).
struct SearchReaderTests {
  private static let day: Int64 = 86_400
  private static let old = Saying.message("The old bridge", at: FollowingDesk.noon - 400 * day)

  private static func ask(_ desk: inout FollowingDesk, _ text: String, number: Int = 1, channel: Int64 = 1) {
    desk.feed(.search(RelaySearch(channel: ChannelID(rawValue: channel), number: number, text: text)))
  }

  private static func requests(_ desk: FollowingDesk) -> [FollowingDesk.Request] {
    desk.requests.filter { $0.name.hasPrefix("fs") }
  }

  @Test func hitsAreReadHoweverOldWithWhatBelongsToThem() {
    let (deleted, young) = (
      Saying.message("A bridge too far", at: FollowingDesk.noon - 300 * Self.day), Saying.message("A young bridge")
    )
    let reaction = Saying.reaction("👍", to: Self.old)
    var desk = FollowingDesk.following(
      [Saying.channel(1), Saying.channel(2)],
      stored: [
        Self.old, young, deleted, Saying.deletion(of: [deleted]), reaction, Saying.message("An old road", at: 1_700_000_000),
        Saying.message("Another bridge", in: 2, at: FollowingDesk.noon - 300 * Self.day),
      ])
    #expect(desk.texts == ["A young bridge"])
    desk.takes = false
    Self.ask(&desk, "BRIDGE")
    desk.settle()
    #expect(desk.searches.isEmpty, "it comes once everything was taken")
    desk.takes = true
    desk.settle()
    #expect(Set(desk.texts.dropFirst()) == ["The old bridge", "A bridge too far", "A young bridge"])
    #expect(desk.news.dropFirst().allSatisfy { !$0.isLive })
    #expect(desk.deletions == [deleted.id] && desk.reactions.map(\.target) == [Self.old.id])
    #expect(desk.searches.map(\.number) == [1] && desk.searches.first?.outcome == .complete)
    let requests = Self.requests(desk)
    #expect(requests.count == 2)
    #expect(
      requests.first?.filters == [["kinds": [42], "#e": [.string(Saying.name(1))], "search": "BRIDGE", "limit": 200]])
    #expect(requests.last?.filters.first?["kinds"] == [5, 7])
    #expect(!desk.subscriptions.keys.contains { $0.hasPrefix("fs") }, "nothing stays open")
  }

  @Test func hitsInGroupsComeWithTheirDeletionsByAdmins() {
    let hit = Saying.event(9, [["h", "club1"]], "The old bridge", at: FollowingDesk.noon - 400 * Self.day)
    let removal = Saying.event(
      9005, [["h", "club1"], ["e", hit.id]], at: FollowingDesk.noon - 399 * Self.day, by: Saying.bob)
    var desk = FollowingDesk.following([Saying.group(1)], stored: [hit, removal])
    Self.ask(&desk, "bridge")
    desk.settle()
    #expect(desk.texts == ["The old bridge"] && desk.searches.first?.outcome == .complete)
    #expect(
      desk.news.contains { if case .removed(hit.id, by: Saying.bob.publicKey) = $0.what { true } else { false } })
  }

  /// A relay may serve anything for a hit.
  @Test func onlySignedMessagesOfTheChannelAreHits() {
    let (one, elsewhere) = (Saying.message("bridge one"), Saying.message("bridge two", in: 2))
    let forged = NostrEvent(
      id: one.id, publicKey: one.publicKey, createdAt: one.createdAt, kind: 42, tags: one.tags, content: "bridge",
      signature: one.signature)
    var desk = FollowingDesk.following([Saying.channel(1), Saying.channel(2)])
    desk.isMute = true
    Self.ask(&desk, "bridge")
    guard let request = Self.requests(desk).first else { return #expect(Bool(false), "it is asked") }
    for event in [forged, elsewhere, Saying.reaction("bridge", to: one), Self.old, Self.old] {
      desk.feed(.received(.event(subscription: request.name, event)))
    }
    desk.isMute = false
    desk.settle()
    #expect(desk.texts == ["The old bridge"])
  }

  /// No more is taken than was asked for.
  @Test func floodOfHitsIsCutOff() {
    var desk = FollowingDesk.following([Saying.channel(1)])
    desk.isMute = true
    Self.ask(&desk, "bridge")
    let name = Self.requests(desk).first?.name ?? ""
    for number in 0..<(SearchReader.hitsMax + 20) {
      desk.feed(.received(.event(subscription: name, Saying.message("bridge \(number)", at: FollowingDesk.noon - 9_000_000))))
    }
    desk.isMute = false
    desk.settle()
    #expect(desk.texts.count == SearchReader.hitsMax && desk.searches.first?.outcome == .complete)
  }

  @Test func relayThatRefusesOrIsSilentFails() {
    var desk = FollowingDesk.following([Saying.channel(1)], stored: [Self.old])
    desk.refusal = { $0.name.hasPrefix("fs") ? "restricted: no searches for strangers" : nil }
    Self.ask(&desk, "bridge")
    desk.settle()
    #expect(desk.searches.last?.outcome == .failed(Trouble(.rejected, "restricted: no searches for strangers")))
    desk.refusal = { $0.filters.first?["kinds"] == [5, 7] && $0.name.hasPrefix("fs") ? "blocked: no reactions here" : nil }
    Self.ask(&desk, "bridge", number: 2)
    desk.settle()
    #expect(desk.searches.last?.outcome == .complete, "a relay that shows no reactions has searched")
    (desk.refusal, desk.isMute) = ({ _ in nil }, true)
    Self.ask(&desk, "bridge", number: 3)
    Self.ask(&desk, "tunnel", number: 4)
    desk.fire(.answerSearch)
    guard case .failed(let trouble)? = desk.searches.last?.outcome else { return #expect(Bool(false), "it fails") }
    #expect(trouble.cause == .timeout && desk.searches.map(\.number) == [1, 2, 3])
    desk.isMute = false
    desk.settle()
    #expect(desk.searches.last?.number == 4 && desk.searches.last?.outcome == .complete)
    #expect(desk.isOpen, "a slow search is no reason to leave")
  }

  @Test func lostConnectionFailsWhatIsUnderWay() {
    var desk = FollowingDesk.following([Saying.channel(1)], stored: [Self.old])
    desk.isMute = true
    Self.ask(&desk, "bridge")
    Self.ask(&desk, "road", number: 2)
    desk.lose()
    guard case .failed(let trouble)? = desk.searches.first?.outcome else { return #expect(Bool(false), "it fails") }
    #expect(trouble.cause == .unreachable && desk.searches.map(\.number) == [1])
    desk.feed(.dialFailed(.unreachable("connection refused")))
    desk.fire(.reconnect)
    desk.feed(.dialFailed(.unreachable("connection refused")))
    #expect(desk.searches.map(\.number) == [1, 2], "no one waits for a relay that is away")
  }

  @Test func questionsThatAreTooManyAreRefused() {
    var desk = FollowingDesk.following([Saying.channel(1)])
    desk.isMute = true
    for number in 0...(SearchReader.waitingMax + 1) { Self.ask(&desk, "bridge", number: number) }
    #expect(desk.searches.map(\.number) == [SearchReader.waitingMax + 1])
    guard case .failed(let trouble)? = desk.searches.first?.outcome else { return #expect(Bool(false), "it fails") }
    #expect(trouble.cause == .rateLimited)
    // Whoever asked about a channel that is left is told by someone else.
    desk.feed(.unfollow(ChannelID(rawValue: 1)))
    desk.isMute = false
    desk.settle()
    #expect(desk.searches.count == 1 && !desk.subscriptions.keys.contains { $0.hasPrefix("fs") })
    Self.ask(&desk, "bridge", number: 99)
    #expect(Self.requests(desk).count == 1)
  }
}
