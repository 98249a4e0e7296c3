import Channels
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// Channels that others run: they are read, and nothing else.
@Suite(.timeLimit(.minutes(10)))
struct ForeignChannelTests {
  private let messages = FakeMessages()
  private static let link = "fake|channel|town|theirs|ws://r1|ws://r2|ws://elsewhere"

  private func bench() async throws -> (Bench, [RelayID]) {
    let bench = try await Bench(posts: true, messages: messages)
    let relays = try await bench.addRelays(3)
    bench.network.following.foreign = [
      "town": ForeignChannel("# Town / talk", about: "what we\u{0} say", at: ["ws://r2", "ws://r3"]),
      "club": ForeignChannel("", at: ["ws://r1"]),
    ]
    return (bench, relays)
  }

  @Test func channelOfOthersIsReadFromTheRelaysOfItsLink() async throws {
    let (bench, relays) = try await bench()
    let followed = try await bench.coordinator.follow(FollowRequest(link: Self.link))
    let row = followed.row
    #expect(followed.phase == .followed && followed.relays.isEmpty && followed.readFrom == [relays[0], relays[1]])
    #expect(followed.summary == "Channel is read from 2 relays.")
    #expect(row.profile == Profile(displayName: "# Town / talk", description: "what we say") && !row.isOwned && row.key == nil)
    #expect(row.networkID == "town" && row.trustAnchor == "theirs" && !row.heal && row.preferences == nil)
    #expect(followed.isLinkUsable && followed.link != nil && followed.hasSettled)
    try await bench.waitForMessages { bench.readFrom(row.id) == ["ws://r1", "ws://r2"] }
    let read = try #require(bench.network.following.followed[row.id])
    #expect(!read.isOwned && read.content == row.content)
    bench.network.read(["a"], in: row.id, from: relays[1])
    try await bench.waitForMessages { messages.messages(of: row.id).map(\.networkID) == ["a"] }
    #expect(bench.network.performed == 0, "no relay is asked for anything else")
    #expect(try bench.store.channelCounts().isEmpty)
    #expect(bench.count(.channelCreated) == 1)
    try await bench.stop()
  }

  @Test func channelThatIsFollowedOrOwnIsTheSame() async throws {
    let (bench, relays) = try await bench()
    let first = try await bench.coordinator.follow(FollowRequest(link: Self.link)).row
    let again = try await bench.coordinator.follow(FollowRequest(link: Self.link, relays: [relays[2]], displayName: "x"))
    #expect(again.row == first)
    // Two requests at once are one.
    let club = "fake|group|club|r1key|ws://r1"
    async let one = bench.coordinator.follow(FollowRequest(link: club))
    async let two = bench.coordinator.follow(FollowRequest(link: club))
    let both = try await (one.row, two.row)
    #expect(both.0.id == both.1.id && both.0.profile.displayName == "group club" && both.0.kind == .group)
    // The group of another relay may have the same name.
    bench.network.following.foreign["club"]?.addresses = ["ws://r3"]
    let other = try await bench.coordinator.follow(FollowRequest(link: "fake|group|club|r3key|ws://r3")).row
    #expect(other.id != both.0.id)
    // At one relay they could not be told apart.
    bench.network.following.foreign["club"]?.addresses = ["ws://r1"]
    let clash = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.follow(FollowRequest(link: "fake|group|club|evil|ws://r1"))
    }
    let words = "channel \(both.0.id.rawValue) has the same name at the same relay, and another key"
    #expect(clash == .following(.notFollowable(reason: words)))
    // What is known needs no relay.
    bench.network.following.foreign = [:]
    #expect(try await bench.coordinator.follow(FollowRequest(link: "fake|channel|town|x")).row == first)
    let own = try await bench.create(relays: [relays[0]]).row
    bench.network.following.foreign[own.networkID] = ForeignChannel("News", at: ["ws://r1"])
    let mine = try await bench.coordinator.follow(
      FollowRequest(link: "fake|channel|\(own.networkID)|\(own.trustAnchor)|ws://r1"))
    #expect(mine.row.id == own.id && mine.row.isOwned)
    try await bench.stop()
  }

  /// A key alone does not say which group is meant.
  @Test func relaysWithOneKeyHaveGroupsOfTheirOwn() async throws {
    let (bench, relays) = try await bench()
    let (near, far) = ("fake|group|club|key|ws://r1", "fake|group|club|key|ws://r3")
    let first = try await bench.coordinator.follow(FollowRequest(link: near)).row
    bench.network.following.foreign["club"]?.addresses = ["ws://r3"]
    let second = try await bench.coordinator.follow(FollowRequest(link: far)).row
    #expect(second.id != first.id && first.readFrom == [relays[0]] && second.readFrom == [relays[2]])
    #expect(try await bench.coordinator.follow(FollowRequest(link: near)).row.id == first.id)
    #expect(try await bench.coordinator.follow(FollowRequest(link: far)).row.id == second.id)
    #expect(try await bench.coordinator.follow(FollowRequest(link: near, relays: [relays[2]])).row.id == second.id)
    // Two requests at once for one of them are still one.
    _ = try await bench.coordinator.unfollow(second.id)
    async let one = bench.coordinator.follow(FollowRequest(link: far))
    async let two = bench.coordinator.follow(FollowRequest(link: far))
    #expect(try await one.row.id == two.row.id)
    try await bench.stop()
  }

  @Test func channelThatIsLeftIsForgottenAndCanBeFollowedAgain() async throws {
    let (bench, _) = try await bench()
    let first = try await bench.coordinator.follow(FollowRequest(link: Self.link)).row.id
    try await bench.waitForMessages { bench.readFrom(first) != nil && messages.conversations[first] != nil }
    let left = try await bench.coordinator.unfollow(first)
    #expect(left.phase == .deleted && left.row.deletedAt != nil)
    #expect(left.summary == "Channel is no longer followed.")
    try await bench.waitForMessages { bench.readFrom(first) == nil && messages.conversations[first] == nil }
    #expect(bench.network.performed == 0)
    let second = try await bench.coordinator.follow(FollowRequest(link: Self.link)).row
    #expect(second.id != first && second.deletedAt == nil)
    try await bench.waitForMessages { bench.readFrom(second.id) != nil }
    try await bench.stop()
  }

  @Test func whatIsForOwnChannelsIsRefused() async throws {
    let (bench, relays) = try await bench()
    let id = try await bench.coordinator.follow(FollowRequest(link: Self.link)).row.id
    let refused = BatonError.following(.notOwned(id))
    let coordinator = bench.coordinator
    #expect(await bench.refusal { () throws(BatonError) in try await coordinator.retry(id, relay: nil) } == refused)
    #expect(await bench.refusal { () throws(BatonError) in try await coordinator.verify(id) } == refused)
    #expect(await bench.refusal { () throws(BatonError) in try await coordinator.delete(id) } == refused)
    #expect(await bench.refusal { () throws(BatonError) in try await coordinator.addRelays([relays[2]], to: id) } == refused)
    #expect(
      await bench.refusal { () throws(BatonError) in try await coordinator.removeRelay(relays[0], from: id) } == refused)
    for edit in [
      ChannelEdit(fullName: "x"), ChannelEdit(description: "x"), ChannelEdit(image: ""), ChannelEdit(preferences: [:]),
      ChannelEdit(heal: true), ChannelEdit(isFrozen: true), ChannelEdit(following: FollowingChoice(isOn: false)),
    ] {
      #expect(await bench.refusal { () throws(BatonError) in try await coordinator.update(id, edit) } == refused)
    }
    #expect(
      await bench.refusal { () throws(BatonError) in
        try await coordinator.publish(PostRequest(channel: id, text: "hello"))
      } == refused)
    #expect(
      await bench.refusal { () throws(BatonError) in
        try await coordinator.reportMessage("a", by: "ann", in: id, category: .spam, words: "")
      } == refused)
    #expect(
      await bench.refusal { () throws(BatonError) in
        try await coordinator.removeMessage(
          "a", by: "ann", createdAt: Timestamp(milliseconds: 1), in: id, reason: "")
      } == refused)
    #expect(
      await bench.refusal { () throws(BatonError) in
        try await coordinator.changeMembership(in: id, MembershipChange(person: "ann", .member))
      } == refused)
    // What is for ourselves is not.
    let marked = try await coordinator.update(
      id, ChannelEdit(displayName: "Mine", custom: ["a": 1], isMuted: true, isPinned: true, following: FollowingChoice(days: 2))
    )
    #expect(marked.row.profile.displayName == "Mine" && marked.row.edition == 1 && marked.row.newestEdition == nil)
    #expect(marked.row.marks.isMuted && marked.phase == .followed)
    try await bench.waitForMessages { bench.network.following.followed[id]?.window.days == 2 }
    #expect(bench.network.performed == 0)
    let own = try await bench.create(relays: [relays[0]]).row.id
    #expect(
      await bench.refusal { () throws(BatonError) in try await coordinator.unfollow(own) } == .following(.owned(own)))
    try await bench.stop()
  }

  @Test func linksAndRelaysThatCannotBeAreRefused() async throws {
    let (bench, relays) = try await bench()
    func refusal(_ request: FollowRequest) async -> BatonError? {
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.follow(request) }
    }
    #expect(
      await refusal(FollowRequest(link: "news"))
        == .following(
          .invalidLink(
            reason:
              "on nostr a link begins with nostr:nevent1 or nostr:naddr1, and on simplex it has /c# after the host"
          )))
    #expect(await refusal(FollowRequest(link: "fake|x")) == .following(.invalidLink(reason: "it names nothing")))
    #expect(
      await refusal(FollowRequest(link: "fake|channel|unheard|k"))
        == .post(.notSupported(.nostr, reason: "no one can do this")))
    #expect(
      await refusal(FollowRequest(link: "https://smp.example/c#key"))
        == .networkUnavailable(.simplex, reason: "this daemon does not serve the network 'simplex'"))
    let far = "fake|channel|town|theirs|ws://far"
    #expect(await refusal(FollowRequest(link: far)) == .following(.noKnownRelay(addresses: ["ws://far"])))
    #expect(
      await refusal(FollowRequest(link: far, relays: [RelayID(rawValue: 99)])) == .noSuchRelay(RelayID(rawValue: 99)))
    let many = FollowRequest(link: far, relays: (1...33).map(RelayID.init(rawValue:)))
    #expect(await refusal(many) == .tooManyRelays(wanted: 33, max: 32))
    #expect(
      await refusal(FollowRequest(link: "fake|group|club|k", relays: [relays[0], relays[1]])) == .groupNeedsOneRelay)
    #expect(
      await refusal(FollowRequest(link: far, relays: [relays[0]]))
        == .following(.notFollowable(reason: "no relay shows the channel; 'r1': it knows of nothing")))
    guard case .invalidDisplayName? = await refusal(FollowRequest(link: Self.link, displayName: "a\u{200B}b")) else {
      return #expect(Bool(false))
    }
    #expect(await refusal(FollowRequest(link: Self.link, identity: "nobody")) == .noSuchIdentity("nobody"))
    #expect(try bench.store.livingChannels(after: nil, limit: 9).isEmpty)
    // A relay of the caller's choice need not be one of the link.
    let row = try await bench.coordinator.follow(FollowRequest(link: far, relays: [relays[2]], displayName: "Town")).row
    #expect(row.namedRelays == [relays[2]] && row.profile.displayName == "Town")
    try await bench.stop()
  }

  @Test func relayFromWhichAChannelIsReadIsInUse() async throws {
    let (bench, relays) = try await bench()
    let coordinator = bench.coordinator
    let id = try await coordinator.follow(FollowRequest(link: Self.link)).row.id
    try await bench.waitForMessages { bench.readFrom(id) == ["ws://r1", "ws://r2"] }
    func remove(force: Bool) async -> BatonError? {
      await bench.refusal { () throws(BatonError) in try await coordinator.removeRelay(relays[0], force: force) }
    }
    #expect(await remove(force: false) == .relayInUse(channels: 1))
    #expect(
      await bench.refusal { () throws(BatonError) in
        let revision = coordinator.relays.first { $0.id == relays[0] }?.revision ?? 0
        return try await coordinator.updateRelay(
          relays[0], revision: revision, RelayEdit(address: "ws://moved"), force: true)
      } == .relayInUse(channels: 1))
    #expect(await remove(force: true) == nil)
    try await bench.waitForMessages { bench.readFrom(id) == ["ws://r2"] }
    #expect(try bench.store.channel(id).map(coordinator.snapshot)?.readFrom == [relays[1]])
    // Once it is left, nothing is in use.
    _ = try await coordinator.unfollow(id)
    #expect(
      await bench.refusal { () throws(BatonError) in try await coordinator.removeRelay(relays[1], force: false) } == nil)
    try await bench.stop()
  }

  /// A group is read from the relay that shows it, whatever else its link names.
  @Test func groupIsReadWhereItIs() async throws {
    let (bench, relays) = try await bench()
    bench.network.following.foreign["club"] = ForeignChannel("Club", at: ["ws://r2"])
    let followed = try await bench.coordinator.follow(FollowRequest(link: "fake|group|club|k|ws://r1|ws://r2"))
    #expect(followed.readFrom == [relays[1]])
    try await bench.stop()
  }

  @Test func nothingIsFollowedWhereNoMessagesAreRead() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    let refusal = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.follow(FollowRequest(link: Self.link))
    }
    guard case .following(.notFollowable)? = refusal else { return #expect(Bool(false), "\(String(describing: refusal))") }
    try await bench.stop()
  }

  /// What could not be stored is not there.
  @Test func faultOfStorageLeavesNothing() async throws {
    let (bench, _) = try await bench()
    bench.storage.isBroken = true
    guard
      case .storageUnavailable? = await bench.refusal({ () throws(BatonError) in
        try await bench.coordinator.follow(FollowRequest(link: Self.link))
      })
    else { return #expect(Bool(false)) }
    bench.storage.isBroken = false
    let row = try await bench.coordinator.follow(FollowRequest(link: Self.link)).row
    #expect(try bench.store.livingChannels(after: nil, limit: 9) == [row.id])
    try await bench.stop()
  }
}
