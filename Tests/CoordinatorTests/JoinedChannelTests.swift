import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Channels of others on a network where whoever reads a channel is a member of it.
@Suite(.timeLimit(.minutes(10)))
struct JoinedChannelTests {
  private let messages = FakeMessages()
  private static let request = FollowRequest(link: "fake|channel|town|", join: true)

  private func bench(_ earlier: Bench? = nil) async throws -> Bench {
    let bench = try await Bench(
      earlier, network: FakeNetwork(readsAsMember: true), posts: true, messages: messages)
    bench.network.following.foreign = ["town": ForeignChannel("Town", about: "what we say")]
    return bench
  }

  private func refusal(_ request: FollowRequest, _ bench: Bench) async -> BatonError? {
    await bench.refusal { () throws(BatonError) in try await bench.coordinator.follow(request) }
  }

  private func unfollowing(_ channel: ChannelID, _ bench: Bench) async -> BatonError? {
    await bench.refusal { () throws(BatonError) in try await bench.coordinator.unfollow(channel) }
  }

  @Test func channelIsJoinedReadAndLeft() async throws {
    let bench = try await bench()
    let followed = try await bench.coordinator.follow(Self.request)
    let row = followed.row
    #expect(followed.phase == .followed && followed.summary == "Channel is read as a member.")
    #expect(row.profile == Profile(displayName: "Town", description: "what we say") && !row.isOwned)
    #expect(row.networkID == "town" && followed.readFrom.isEmpty && followed.isReadAsMember)
    try await bench.waitForMessages { bench.readFrom(row.id) == [] }
    #expect(bench.network.following.joined == ["town"])
    #expect(try await bench.coordinator.follow(Self.request).row == row)

    bench.network.read(["a"], in: row.id)
    try await bench.waitForMessages { messages.messages(of: row.id).map(\.networkID) == ["a"] }
    #expect(bench.network.performed == 0)

    #expect(try await bench.coordinator.unfollow(row.id).phase == .deleted)
    #expect(bench.network.following.joined.isEmpty)
    try await bench.waitForMessages { bench.readFrom(row.id) == nil && messages.conversations[row.id] == nil }
    #expect(try await bench.coordinator.unfollow(row.id).phase == .deleted, "again does no harm")
    #expect(try await bench.coordinator.follow(Self.request).row.id != row.id)
    try await bench.stop()
  }

  /// How far it was read is told of the network as a whole, and a request for all of it waits for that.
  @Test func freshnessIsThatOfTheNetwork() async throws {
    let bench = try await bench()
    let id = try await bench.coordinator.follow(Self.request).row.id
    try await bench.waitForMessages { bench.readFrom(id) != nil }
    for sync in [MessageSync.complete, .failed(Trouble(.unreachable, "no core"))] {
      let count = bench.network.following.syncs.count
      let asked = Task { try await bench.coordinator.syncMessages(of: id, within: .seconds(30)) }
      while bench.network.following.syncs.count == count { await Task.yield() }
      // Relays that the channel does not have say nothing.
      bench.network.send(.synced(channel: id, relay: RelayID(rawValue: 1), .complete))
      bench.network.send(.synced(channel: id, relay: .network, sync))
      #expect(try await asked.value == (sync == .complete))
    }
    let syncs = messages.syncs(of: id)
    #expect(Array(syncs.keys) == [RelayID.network])
    #expect(syncs[.network]?.completeAt != nil && syncs[.network]?.trouble?.cause == .unreachable)
    try await bench.stop()
  }

  @Test func whatCannotBeJoinedIsRefused() async throws {
    let bench = try await bench()
    let relays = try await bench.addRelays(1)
    bench.network.following.foreign["mine"] = ForeignChannel("Mine", isOwn: true)
    guard case .following(.notFollowable(let reason))? = await refusal(FollowRequest(link: "fake|channel|town|"), bench) else {
      return #expect(Bool(false))
    }
    #expect(reason.contains("--join") && bench.network.following.joined.isEmpty, "\(reason)")
    var request = Self.request
    request.relays = relays
    #expect(
      await refusal(request, bench)
        == .following(.notFollowable(reason: "on nostr the channel decides from which relays it is read")))
    request = FollowRequest(link: "fake|channel|nowhere|", join: true)
    #expect(await refusal(request, bench) == .following(.notFollowable(reason: "the link leads nowhere")))
    request = FollowRequest(link: "fake|channel|mine|", join: true)
    #expect(
      await refusal(request, bench)
        == .following(
          .notFollowable(reason: "it belongs to the user who runs channels on nostr, and Baton did not create it")))
    let own = try await bench.create(relays: relays).row
    bench.network.following.foreign[own.networkID] = ForeignChannel("News", isOwn: true)
    let mine = try await bench.coordinator.follow(FollowRequest(link: "fake|channel|\(own.networkID)|", join: true)).row
    #expect(mine.id == own.id && mine.isOwned)
    #expect(await unfollowing(own.id, bench) == .following(.owned(own.id)))
    #expect(try bench.store.livingChannels(after: nil, limit: 9) == [own.id])
    try await bench.stop()
  }

  /// A channel that cannot be left stays: once it is forgotten no one would know that there is something to leave.
  @Test func channelThatCannotBeLeftStaysUnlessThatIsMeant() async throws {
    let bench = try await bench()
    let id = try await bench.coordinator.follow(Self.request).row.id
    bench.network.following.trouble = "there is no core"
    let reason =
      "the channel could not be left: there is no core. Try again, or unfollow it and keep the membership (keepMembership, or "
      + "--keep-membership)"
    #expect(await unfollowing(id, bench) == .networkUnavailable(.nostr, reason: reason))
    #expect(try bench.store.channel(id)?.row.deletedAt == nil)
    #expect(await refusal(Self.request, bench) == .networkUnavailable(.nostr, reason: "there is no core"))
    #expect(try await bench.coordinator.unfollow(id, keepMembership: true).phase == .deleted)
    bench.network.following.trouble = nil
    #expect(bench.network.following.joined == ["town"])
    #expect(try await bench.coordinator.follow(Self.request).row.id != id, "it is followed again without joining twice")
    try await bench.stop()
  }

  @Test func restartGoesOnReading() async throws {
    let first = try await bench()
    let id = try await first.coordinator.follow(Self.request).row.id
    try await first.waitForMessages { first.readFrom(id) != nil }
    try await first.stop()
    let second = try await bench(first)
    try await second.waitForMessages { second.readFrom(id) == [] }
    #expect(second.network.following.joined.isEmpty, "it is not joined again")
    try await second.stop()
  }
}
