import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Changes of who belongs to a channel: posts of which the latest about a person counts.
@Suite(.timeLimit(.minutes(10)))
struct MembershipTests {
  private func bench(messages: FakeMessages? = nil) async throws -> (Bench, ChannelID) {
    let bench = try await Bench(posts: true, messages: messages)
    let relays = try await bench.addRelays(1)
    let request = ChannelRequest(kind: .group, profile: Profile(displayName: "Club"), relays: relays)
    let id = try await bench.coordinator.create(request).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    return (bench, id)
  }

  private func change(
    _ bench: Bench, _ channel: ChannelID, _ person: String = "ann", isMember: Bool = true, roles: [String] = [],
    reason: String = ""
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    try await bench.coordinator.changeMembership(
      in: channel, MembershipChange(person: person, isMember ? .member : .removed, roles: roles, reason: reason))
  }

  @Test func changeIsAPostThatIsNoneByItself() async throws {
    let messages = FakeMessages()
    let (bench, channel) = try await bench(messages: messages)
    let first = try await change(bench, channel, roles: ["admin", "herald"])
    let row = first.post.row
    #expect(first.isNew && row.text == "member: admin, herald" && row.isAside)
    #expect(row.about == AboutMessage(act: .membership, networkID: "ann", author: "ann"))
    #expect(row.document.text == "member: admin, herald | ann" && first.post.summary == "Change is on its way.")
    try await bench.settlePosts()
    #expect(try bench.statuses(row.id) == [.verified])
    #expect(try await bench.post(row.id).summary == "Change is done.")
    #expect(try bench.store.posts(PostQuestion(withDeleted: true, limit: 9)).posts.isEmpty)
    let news = try await bench.publish("news", in: channel).row.id
    try await bench.waitForMessages { !messages.messages(of: channel).isEmpty }
    #expect(messages.messages(of: channel).map(\.post) == [news] && messages.reactions.isEmpty)
    let edit = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.editPost(row.id, as: PostRequest(channel: channel, text: "x"))
    }
    #expect(
      edit == .post(.invalidPost(field: "id", reason: "post 1 changes who belongs to the channel. Change that again")))
    try await bench.stop()
  }

  @Test func sameWishOnItsWayIsOneAndLaterItIsNew() async throws {
    let (bench, channel) = try await bench()
    bench.network.set(.silent, at: "ws://r1")
    let first = try await change(bench, channel).post.row.id
    let same = try await change(bench, channel)
    #expect(same.post.row.id == first && !same.isNew)
    #expect(try await change(bench, channel, "bob").isNew)
    bench.network.set(.works, at: "ws://r1")
    try await bench.movePosts { try bench.statuses(first) == [.verified] }
    // Someone else may have changed it since.
    let again = try await change(bench, channel)
    #expect(again.isNew && again.post.row.id != first)
    try await bench.settlePosts()
    #expect(try bench.statuses(first) == [.deleted] && bench.statuses(again.post.row.id) == [.verified])
    #expect(try await bench.post(first).summary == "Change was given up, or another took its place.")
    try await bench.stop()
  }

  @Test func laterWishTakesThePlaceOfOneThatIsNotDone() async throws {
    let (bench, channel) = try await bench()
    bench.network.set(.unreachable, at: "ws://r1")
    let into = try await change(bench, channel).post.row.id
    let other = try await change(bench, channel, "bob").post.row.id
    try await bench.movePosts { try bench.statuses(into) == [.failed] }
    let out = try await change(bench, channel, isMember: false, reason: "spam").post
    #expect(out.row.text == "removed: spam")
    let stored = try #require(try bench.store.post(into))
    #expect(stored.row.deletedAt != nil && stored.row.deletion != nil)
    bench.network.set(.works, at: "ws://r1")
    try await bench.movePosts { try bench.statuses(out.row.id) == [.verified] && bench.statuses(other) == [.verified] }
    #expect(try bench.statuses(into) == [.skipped])
    #expect(bench.network.posts.departures(of: into, for: "ws://r1") == 0, "it never leaves any more")
    try await bench.stop()
  }

  /// Whether someone is banned and what they may do are two matters.
  @Test func banAndRoleDoNotTakeTheirPlaces() async throws {
    let (bench, channel) = try await bench()
    bench.network.set(.silent, at: "ws://r1")
    func wish(_ wish: MembershipChange.Wish) async throws -> PostID {
      try await bench.coordinator.changeMembership(in: channel, MembershipChange(person: "ann", wish)).post.row.id
    }
    let (ban, role, out) = (try await wish(.banned), try await wish(.member), try await wish(.removed))
    #expect(try bench.store.post(ban)?.row.deletedAt == nil && bench.store.post(role)?.row.deletedAt != nil)
    let unban = try await wish(.unbanned)
    #expect(try bench.store.post(ban)?.row.deletedAt != nil && bench.store.post(out)?.row.deletedAt == nil)
    bench.network.set(.works, at: "ws://r1")
    try await bench.movePosts { try bench.statuses(out) == [.verified] && bench.statuses(unban) == [.verified] }
    try await bench.stop()
  }

  /// A relay that comes later gets posts, and no wishes, which may have been decided otherwise since.
  @Test func wishesDoNotGoToRelaysThatComeLater() async throws {
    let bench = try await Bench(posts: true)
    bench.network.posts.channelsHaveMembers = true
    let relays = try await bench.addRelays(2)
    let channel = try await bench.coordinator.create(
      ChannelRequest(profile: Profile(displayName: "News"), relays: [relays[0]])
    ).row.id
    _ = try await bench.channel(channel) { $0.phase == .active }
    let wish = try await change(bench, channel).post.row.id
    let post = try await bench.publish("news", in: channel).row.id
    try await bench.settlePosts()
    _ = try await bench.coordinator.addRelays([relays[1]], to: channel)
    _ = try await bench.channel(channel) { $0.phase == .active && $0.relays.count == 2 }
    try await bench.movePosts { try bench.statuses(post) == [.verified, .verified] }
    #expect(try bench.statuses(wish) == [.verified])
    try await bench.stop()
  }

  @Test func laterWishIsFoundAfterARestart() async throws {
    let (bench, channel) = try await bench()
    bench.network.set(.unreachable, at: "ws://r1")
    let into = try await change(bench, channel).post.row.id
    try await bench.settlePosts()
    try await bench.stop()
    let second = try await Bench(bench, posts: true)
    let same = try await change(second, channel)
    let isUnderWay = try second.statuses(into) == [.pending]
    #expect(isUnderWay == !same.isNew)
    let out = try await change(second, channel, isMember: false).post.row.id
    #expect(try second.store.post(same.post.row.id)?.row.deletedAt != nil)
    second.network.set(.works, at: "ws://r1")
    try await second.movePosts { try second.statuses(out) == [.verified] }
    try await second.stop()
  }

  @Test func wishesAtTheSameMomentAreOne() async throws {
    let (bench, channel) = try await bench()
    try await bench.expectOnce(in: channel) { try await change(bench, channel) }
    try await bench.stop()
  }

  @Test func contraryWishesAtTheSameMomentAreDecidedInTheirOrder() async throws {
    let (bench, channel) = try await bench()
    bench.storage.hold()
    async let holder = bench.publish("before", in: channel)
    while !bench.storage.isCommitWaiting { await Task.yield() }
    await bench.waitForRequests(0)
    async let first = change(bench, channel)
    await bench.waitForRequests(1)
    async let second = change(bench, channel, isMember: false)
    await bench.waitForRequests(2)
    bench.storage.release()
    let (into, out) = (try await first.post.row.id, try await second.post.row.id)
    _ = try await holder
    try await bench.settlePosts()
    let now = (try bench.statuses(into), try bench.statuses(out))
    #expect(into != out && now == ([.skipped], [.verified]), "\(now)")
    try await bench.stop()
  }

  @Test func wishIsGivenUpWhenItsPostIsDeleted() async throws {
    let (bench, channel) = try await bench()
    bench.network.set(.unreachable, at: "ws://r1")
    let id = try await change(bench, channel).post.row.id
    #expect(try await bench.coordinator.deletePost(id).row.deletedAt != nil)
    #expect(try await change(bench, channel).isNew)
    try await bench.stop()
  }

  @Test func peopleComeAndGoInFrozenChannels() async throws {
    let (bench, channel) = try await bench()
    _ = try await bench.coordinator.update(channel, ChannelEdit(isFrozen: true))
    let id = try await change(bench, channel, isMember: false).post.row.id
    try await bench.settlePosts()
    #expect(try bench.statuses(id) == [.verified])
    try await bench.stop()
  }

  @Test func whatCannotBeIsRefusedAndNothingIsStored() async throws {
    let (bench, group) = try await bench()
    let channel = try await bench.create("News", relays: [RelayID(rawValue: 1)]).row.id
    func refusal(_ channel: ChannelID, _ person: String = "ann", roles: [String] = []) async -> BatonError? {
      await bench.refusal { () throws(BatonError) in try await change(bench, channel, person, roles: roles) }
    }
    #expect(await refusal(channel) == .post(.notSupported(.nostr, reason: "no one belongs to channels")))
    #expect(await refusal(group, "us") == .post(.invalidPost(field: "author", reason: "that is us; name another")))
    let role = await refusal(group, roles: ["refuse me"])
    #expect(role == .post(.invalidPost(field: "roles", reason: "the role asks to be refused; name another")))
    #expect(await refusal(ChannelID(rawValue: 9)) == .noSuchChannel(ChannelID(rawValue: 9)))
    #expect(try bench.store.postCounters().post == 0)
    try await bench.stop()
  }
}
