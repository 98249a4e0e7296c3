import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

@testable import Nostr

/// Pinned posts of groups, as independent readers and another admin see them.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GroupPinTests {
  private let owner = SecretKey.random()

  /// A group of the owner with posts that readers have found.
  private func makeClub(posts: Int) async throws -> (club: GroupPostTests.Club, ids: [String]) {
    let club = try await GroupPostTests.Club(secret: Hex.encode(owner.secret.bytes))
    for number in 1...posts { try await club.baton.publish("post \(number)") }
    let all = try await club.baton.posts { all in all.count == posts && all.values.allSatisfy(\.isPublished) }
    return (club, try (1...posts).map { try #require(all[Int64($0)]?["networkId"]?.string) })
  }

  /// The list of pinned posts as an independent anonymous reader gets it: the tags, without the name of the group.
  private func pinned(_ club: GroupPostTests.Club) async throws -> [JSONValue] {
    let lists = try await club.baton.events(at: club.url, ["kinds": [39_005], "#d": [.string(club.id)]])
    #expect(lists.count <= 1)
    return (lists.first?["tags"]?.array ?? []).filter { $0.array?.first != "d" }
  }

  /// The lists that were sent to the relay.
  private func sentLists(_ club: GroupPostTests.Club) async throws -> [JSONValue] {
    try await club.baton.events(at: club.url, ["kinds": [9_010], "#h": [.string(club.id)]])
  }

  private func tag(_ id: String) -> JSONValue { ["e", .string(id)] }

  @Test func readersSeePinnedPostsInOrderWithThoseOfOthers() async throws {
    let (club, ids) = try await makeClub(posts: 2)
    #expect(try await pinned(club).isEmpty)
    // Asked for again, it is the same pin.
    for (post, pin) in [(1, 3), (2, 4), (2, 4)] as [(Int64, Int64)] {
      let made = try await club.baton.control("post", "pin", "\(post)", "--wait", "all", "--json")
      let row = try JSONParser.parse(made.lines.last ?? "")
      #expect(made.status == 0 && row["id"] == .integer(pin) && row["reactionTo"] == .integer(post), "\(made.lines)")
    }
    #expect(try await pinned(club) == ids.map(tag))
    #expect(try await sentLists(club).count == 2)

    // Another admin, who knows nothing of this daemon, puts an article between the two.
    let article = ["a", "30023:\(owner.publicKey):rules", "wss://articles.example"]
    let list = NostrEvent(
      signedBy: owner, createdAt: Int64(Date().timeIntervalSince1970), kind: 9_010,
      tags: [["h", club.id], ["e", ids[0]], article, ["e", ids[1]]], content: "")
    var line = try await HistoryRelayTests.Line(club.url)
    try await line.publish([try #require(list)])
    line.hangUp()

    #expect(try await club.baton.control("post", "unpin", "1").status == 0)
    let gone = try await club.baton.post(3) { $0.statuses == ["r1": "deleted"] }
    #expect(gone["phase"] == "deleted" && gone["reactionTo"] == 1, "\(gone)")
    #expect(try await pinned(club) == [.array(article.map(JSONValue.string)), tag(ids[1])])
    // The post itself stays, and can be pinned anew.
    #expect(try await club.served().count == 2)
    #expect(try await club.baton.control("post", "pin", "1", "--wait", "all").status == 0)
    #expect(try await pinned(club) == [.array(article.map(JSONValue.string)), tag(ids[1]), tag(ids[0])])
    await club.stop()
  }

  @Test func pinWhoseAnswerWasLostWithTheDaemonIsFoundAndNotSentAgain() async throws {
    let (club, ids) = try await makeClub(posts: 1)
    try await club.set("mute")
    #expect(try await club.baton.control("post", "pin", "1", "--wait", "none").status == 0)
    _ = try await club.baton.post(2) { $0.statuses == ["r1": "sent"] }
    // It left, and no one answers.
    while try await pinned(club).isEmpty {}
    await club.kill()
    try await club.set("none")
    try await club.startAgain()
    _ = try await club.baton.post(2, until: \.isPublished)
    #expect(try await pinned(club) == ids.map(tag))
    #expect(try await sentLists(club).count == 1)
    await club.stop()
  }

  /// The relay says that it takes the list, and never shows one.
  @Test func relayWithoutPinnedPostsIsNamed() async throws {
    let (club, _) = try await makeClub(posts: 1)
    try await club.set("lose")
    #expect(try await club.baton.control("post", "pin", "1", "--wait", "none").status == 0)
    let pin = try await club.baton.post(2) { $0.statuses == ["r1": "skipped"] }
    let place = try #require(pin.relays["r1"])
    #expect(place["cause"] == "notSupported" && place["detail"]?.string?.contains("39005") == true, "\(place)")
    #expect(try await sentLists(club).isEmpty)
    await club.stop()
  }
}
