import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Posts about messages of others: answers, reactions and removals.
@Suite(.timeLimit(.minutes(10)))
struct PostAboutTests {
  private static let place = MessagePlace(
    relays: [RelayID(rawValue: 1), RelayID(rawValue: 9)], textBytes: 5, createdAt: Timestamp(milliseconds: 7_000))

  private func bench(_ kind: ChannelKind = .channel, messages: FakeMessages? = nil) async throws -> (Bench, ChannelID) {
    let bench = try await Bench(posts: true, messages: messages)
    guard kind == .group else { return (bench, try await bench.readyChannel(on: 1)) }
    let relays = try await bench.addRelays(1)
    let request = ChannelRequest(kind: .group, profile: Profile(displayName: "Club"), relays: relays)
    let id = try await bench.coordinator.create(request).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    return (bench, id)
  }

  private func react(
    _ bench: Bench, _ channel: ChannelID, to name: String = "m1", _ reaction: String = "+", key: String? = nil
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    try await bench.coordinator.reactToMessage(
      name, by: "alice", at: Self.place, in: channel, with: reaction, idempotencyKey: key)
  }

  private func answer(
    _ bench: Bench, _ channel: ChannelID, _ text: String = "So do we.", key: String? = nil, at: Timestamp? = nil,
    place: MessagePlace = Self.place
  ) async throws(BatonError) -> PostSnapshot {
    try await bench.coordinator.publish(
      PostRequest(
        channel: channel, text: text, idempotencyKey: key, at: at,
        about: AboutMessage(act: .answer, networkID: "m1", author: "alice"), aboutPlace: place)
    ).post
  }

  private func remove(
    _ bench: Bench, _ channel: ChannelID, _ name: String = "m1", reason: String = "spam"
  ) async throws(BatonError) -> PostSnapshot {
    try await bench.coordinator.removeMessage(
      name, by: "alice", createdAt: Timestamp(milliseconds: 7_000), in: channel, reason: reason)
  }

  // MARK: - Answers

  @Test func answerNamesTheMessageWhereItWasRead() async throws {
    let (bench, channel) = try await bench()
    let post = try await answer(bench, channel)
    #expect(
      post.row.document.text == "So do we. | answers m1 at ws://r1, written at 7000", "relays that do not exist are left out")
    #expect(post.row.about == AboutMessage(act: .answer, networkID: "m1", author: "alice") && !post.row.isAside)
    try await bench.settlePosts()
    #expect(try await bench.post(post.row.id).phase == .published)
    // It can be answered and reacted to like others.
    let next = try await bench.publish("And they.", in: channel, replyTo: post.row.id)
    #expect(next.row.document.text.contains("answers post1"))
    _ = try await bench.coordinator.react(to: post.row.id, with: "+")
    try await bench.stop()
  }

  @Test func editGoesOnAnsweringTheMessage() async throws {
    let (bench, channel) = try await bench()
    let post = try await answer(bench, channel)
    try await bench.settlePosts()
    let edit = try await bench.coordinator.editPost(
      post.row.id, as: PostRequest(channel: channel, text: "So did we.")
    ).post
    #expect(edit.row.about == post.row.about && edit.row.document.text == "So did we. | answers m1 at ")
    try await bench.stop()
  }

  @Test func scheduledAnswerKnowsWhereTheMessageIs() async throws {
    let (bench, channel) = try await bench()
    let due = bench.clock.now + .seconds(600_000)
    var place = Self.place
    place.participants = ["bob", "carol"]
    let post = try await answer(bench, channel, at: due, place: place)
    #expect(post.phase == .scheduled && post.row.about?.networkID == "m1")
    let row = try #require(try bench.store.post(post.row.id)?.row)
    let request = try #require(row.schedule?.request.flatMap(PostRequest.init(stored:)))
    #expect(request.about == row.about && request.aboutPlace == place)
    bench.clock.advance(by: due - bench.clock.now)
    try await bench.waitForPosts { try bench.statuses(post.row.id) == [.verified] }
    #expect(
      try bench.store.post(post.row.id)?.row.document.text
        == "So do we. | answers m1 at ws://r1, written at 7000, heard by bob and carol")
    try await bench.stop()
  }

  @Test func sameKeyIsTheSameAnswerWhereverTheMessageIsByThen() async throws {
    let (bench, channel) = try await bench()
    let first = try await answer(bench, channel, key: "k")
    let again = try await answer(bench, channel, key: "k", place: MessagePlace(relays: [], textBytes: 0))
    #expect(again.row.id == first.row.id)
    let other = await bench.refusal { () throws(BatonError) in try await answer(bench, channel, "Not we.", key: "k") }
    #expect(other == .post(.keyReused(first.row.id, isDeleted: false)))
    try await bench.stop()
  }

  // MARK: - Reactions

  @Test func reactionIsMadeOnceUntilItIsDeleted() async throws {
    let (bench, channel) = try await bench()
    let first = try await react(bench, channel, key: "k")
    #expect(first.isNew && first.post.row.text == "+" && first.post.row.isAside && first.post.row.reactionTo == nil)
    #expect(first.post.row.document.text == "+ | to m1 at ws://r1")
    let id = first.post.row.id
    for key in ["k", "other", nil] {
      let again = try await react(bench, channel, key: key)
      #expect(again.post.row.id == id && !again.isNew)
    }
    #expect(try await react(bench, channel, "-").isNew)
    #expect(try await react(bench, channel, to: "m2").isNew)
    try await bench.settlePosts()
    #expect(try bench.statuses(id) == [.verified])
    _ = try await bench.coordinator.deletePost(id)
    let second = try await react(bench, channel)
    #expect(second.isNew && second.post.row.id != id)
    try await bench.settlePosts()
    #expect(try bench.statuses(id) == [.deleted] && bench.statuses(second.post.row.id) == [.verified])
    try await bench.stop()
  }

  @Test func sameReactionAtTheSameMomentIsOne() async throws {
    let (bench, channel) = try await bench()
    try await bench.expectOnce(in: channel) { try await react(bench, channel) }
    try await bench.stop()
  }

  @Test func reactionIsNoPostToReferTo() async throws {
    let (bench, channel) = try await bench()
    let id = try await react(bench, channel).post.row.id
    func refusal(_ request: () async throws(BatonError) -> Void) async -> String? {
      guard case .post(.invalidPost(_, let reason)) = await bench.refusal(request) else { return nil }
      return reason
    }
    let toReaction = await refusal { () throws(BatonError) in _ = try await bench.coordinator.react(to: id, with: "+") }
    #expect(toReaction == "post 1 is a reaction to a message. React to another")
    let reply = await refusal { () throws(BatonError) in _ = try await bench.publish("a", in: channel, replyTo: id) }
    #expect(reply == "post 1 is a reaction to a message. Refer to another")
    let edit = await refusal { () throws(BatonError) in
      _ = try await bench.coordinator.editPost(id, as: PostRequest(channel: channel, text: "-"))
    }
    #expect(edit == "post 1 is a reaction. Delete it, and react again")
    try await bench.stop()
  }

  // MARK: - Reports

  @Test func reportIsDeliveredAndIsNoMessage() async throws {
    let messages = FakeMessages()
    let bench = try await Bench(posts: true, messages: messages)
    let (channel, _) = try await bench.followedChannel()
    func report(_ words: String, key: String? = nil) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
      try await bench.coordinator.reportMessage(
        "m1", by: "alice", in: channel, category: .spam, words: words, idempotencyKey: key)
    }
    let first = try await report("every: hour", key: "k").post.row
    #expect(first.text == "spam: every: hour" && first.isAside && first.about?.act == .report)
    #expect(first.document.text == "spam: every: hour | of m1 by alice")
    #expect(try await !report("every: hour", key: "k").isNew)
    #expect(try await report("").post.row.text == "spam")
    try await bench.settlePosts()
    #expect(try bench.statuses(first.id) == [.verified])
    let news = try await bench.publish("news", in: channel).row.id
    try await bench.waitForMessages { !messages.messages(of: channel).isEmpty }
    #expect(messages.messages(of: channel).map(\.post) == [news] && messages.reactions.isEmpty)
    let refusal = await bench.refusal { () throws(BatonError) in try await report("not here") }
    #expect(refusal == .post(.notSupported(.nostr, reason: "no reports")))
    _ = try await bench.coordinator.deletePost(first.id)
    try await bench.settlePosts()
    #expect(try bench.statuses(first.id) == [.deleted])
    try await bench.stop()
  }

  @Test(arguments: Report.Category.allCases)
  func reportIsReadFromItsText(_ category: Report.Category) {
    for words in ["", "a", "a: b", " c "] {
      let report = Report(category: category, words: words)
      #expect(Report(text: report.text) == report)
    }
    for text in ["", ": a", "\(category)a", "weather: x"] { #expect(Report(text: text) == nil, "\(text)") }
  }

  // MARK: - Removals

  @Test func removalIsOverOnceReadersDoNotFindTheMessage() async throws {
    let messages = FakeMessages()
    let (bench, channel) = try await bench(.group, messages: messages)
    bench.network.posts.serveAgain(PostID(rawValue: 1), named: "m1", at: "ws://r1")
    let removal = try await remove(bench, channel)
    #expect(removal.phase == .deleting && removal.summary == "Message is being removed." && removal.link == nil)
    let row = removal.row
    #expect(row.about == AboutMessage(act: .removal, networkID: "m1", author: "alice") && row.isAside && row.text.isEmpty)
    #expect(row.document.text == "of 7000" && row.deletion?.text == "spam" && row.deletedAt != nil)
    try await bench.settlePosts()
    #expect(try bench.statuses(row.id) == [.deleted] && !bench.network.posts.isStored(row.id, at: "ws://r1"))
    #expect(try await bench.post(row.id).summary == "Message is removed.")
    #expect(bench.network.posts.mostDepartures == 0 && bench.network.posts.violations.isEmpty)
    let history = try bench.history(row.id)
    #expect(history == ["deleting", "deleted"])
    #expect(try bench.store.posts(PostQuestion(withDeleted: true, limit: 9)).posts.isEmpty, "it is no post by itself")
    try await bench.stop()
  }

  @Test func messageThatTheRelayGoesOnShowingIsSaidToBeThere() async throws {
    let (bench, channel) = try await bench(.group)
    bench.network.posts.serveAgain(PostID(rawValue: 1), named: "m1", at: "ws://r1")
    bench.network.posts.change(at: "ws://r1") { $0.keepsDeleted = true }
    let id = try await remove(bench, channel).row.id
    try await bench.movePosts { try bench.statuses(id) == [.stillServed] }
    #expect(try await bench.post(id).summary == "Message may still be shown at a relay.")
    bench.network.posts.change(at: "ws://r1") { $0.keepsDeleted = false }
    _ = try await bench.coordinator.retryPost(id)
    try await bench.settlePosts()
    #expect(try bench.statuses(id) == [.deleted])
    try await bench.stop()
  }

  @Test func removalIsNeitherEditedNorDeletedNorWaitedForForEver() async throws {
    let (bench, channel) = try await bench(.group)
    bench.network.posts.serveAgain(PostID(rawValue: 1), named: "m1", at: "ws://r1")
    bench.network.set(.unreachable, at: "ws://r1")
    let removal = try await remove(bench, channel)
    let id = removal.row.id
    #expect(!removal.hasSettled)
    let same = try await bench.coordinator.deletePost(id)
    #expect(same.row.id == id && same.phase == .deleting)
    let edit = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.editPost(id, as: PostRequest(channel: channel, text: "x"))
    }
    let reason = "post 1 is the removal of a message, which has nothing to edit"
    #expect(edit == .post(.invalidPost(field: "id", reason: reason)))
    try await bench.movePosts { try bench.store.post(id)?.deliveries.first?.record.repair ?? 0 > 0 }
    try await bench.settlePosts()
    #expect(try await bench.post(id).hasSettled, "it goes on, and no one waits")
    try await bench.stop()
  }

  @Test func frozenChannelTakesRemovalsAndNothingElse() async throws {
    let (bench, channel) = try await bench(.group)
    _ = try await bench.coordinator.update(channel, ChannelEdit(isFrozen: true))
    let frozen = BatonError.post(.frozen(channel))
    #expect(await bench.refusal { () throws(BatonError) in try await react(bench, channel) } == frozen)
    #expect(await bench.refusal { () throws(BatonError) in try await answer(bench, channel) } == frozen)
    _ = try await remove(bench, channel)
    try await bench.settlePosts()
    #expect(try bench.statuses(PostID(rawValue: 1)) == [.deleted])
    try await bench.stop()
  }

  @Test func whatCannotBeDoneIsRefusedAndNothingIsStored() async throws {
    let (bench, channel) = try await bench()
    let refusal = await bench.refusal { () throws(BatonError) in try await remove(bench, channel) }
    #expect(refusal == .post(.notSupported(.nostr, reason: "only groups remove what others wrote")))
    let foreign = await bench.refusal { () throws(BatonError) in try await react(bench, channel, to: "of another network") }
    guard case .networkUnavailable = foreign else { throw Violation("\(String(describing: foreign))") }
    let none = await bench.refusal { () throws(BatonError) in try await remove(bench, ChannelID(rawValue: 9)) }
    #expect(none == .noSuchChannel(ChannelID(rawValue: 9)))
    #expect(try bench.store.postCounters().post == 0)
    try await bench.stop()
  }

  // MARK: - As messages

  @Test func messagesShowWhatPostsDoAboutThem() async throws {
    let messages = FakeMessages()
    let bench = try await Bench(posts: true, messages: messages)
    let (channel, _) = try await bench.followedChannel()
    let reply = try await answer(bench, channel).row
    let reaction = try await react(bench, channel).post.row.id
    try await bench.waitForMessages { messages.reactions[reaction] != nil }
    #expect(messages.reactions[reaction]?.reactionTo == "m1")
    #expect(messages.messages(of: channel).map(\.post) == [reply.id])
    #expect(messages.messages(of: channel).first?.replyTo == "m1")
    try await bench.stop()
  }
}
