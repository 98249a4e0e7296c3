import Channels
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// What people have decided: how it is kept with the channels, and how it holds for messages that arrive later.
struct DecisionStoreTests {
  private typealias Bench = MessageBench
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  private static func hidden(_ name: String, at time: Timestamp? = Bench.now, _ revision: Int64 = 0) -> PersonalDecision {
    PersonalDecision(.hidden, channel: Bench.channel, name: name, at: time, revision: revision)
  }

  // MARK: - With the channels

  @Test func eachDecisionHasARevisionBehindAllOthers() async throws {
    let store = try Store(directory: folder.path + "/state")
    let read = PersonalDecision(.read, channel: Bench.channel, at: Bench.now, message: "b")
    try await store.commit([
      .decide(Self.hidden("a")), .decide(read), .decide(PersonalDecision(.muted, name: "a", at: Bench.now)),
    ])
    #expect(try store.decisions(after: 0, limit: 9).map(\.revision) == [1, 2, 3])
    // The last one is replaced, and its revision is not given a second time.
    try await store.commit([.decide(PersonalDecision(.muted, name: "a", at: nil))])
    try await store.commit([.decide(Self.hidden("a", at: nil))])
    var second = read
    second.revision = 2
    let all = [second, PersonalDecision(.muted, name: "a", at: nil, revision: 4), Self.hidden("a", at: nil, 5)]
    #expect(try store.decisions(after: 0, limit: 9) == all)
    #expect(try store.decisions(after: 2, limit: 1) == [all[1]] && store.decisions(after: 5, limit: 9).isEmpty)
    #expect(try store.check().problems.isEmpty)
    // A damaged one is noted, and keeps nothing from those behind it.
    try await store.pool.write { db in try db.execute(sql: "UPDATE decisions SET at = 7 WHERE revision = 2") }
    #expect(try store.decisions(after: 0, limit: 1) == [all[1]])
    #expect(try store.check().problems.contains { $0.contains("the decision of revision 2") })
    store.close()
  }

  @Test func decisionsAreInBackups() async throws {
    let store = try Store(directory: folder.path + "/state")
    try await store.commit([.decide(Self.hidden("a"))])
    try store.backUp(to: folder.path + "/copy")
    store.close()
    _ = try Store.restore(from: folder.path + "/copy", directory: folder.path + "/other", stamp: "s")
    let other = try Store(directory: folder.path + "/other")
    #expect(try other.decisions(after: 0, limit: 9) == [Self.hidden("a", 1)])
    other.close()
  }

  // MARK: - With messages

  /// Decisions that were made on one daemon, with the revisions that they are given.
  private static func shared(_ store: MessageStore) throws -> [PersonalDecision] {
    let new = try store.newDecisions(isLeftOver: false, limit: 99)
    let all = new.enumerated().map { place, decision in
      var decision = decision
      decision.revision = Int64(place) + 1
      return decision
    }
    let before = try store.messageCounters()
    _ = try store.carryOut(all)
    #expect(try store.messageCounters() == before, "what was decided here is carried out already")
    #expect(try store.newDecisions(isLeftOver: false, limit: 99).isEmpty)
    return all
  }

  /// A daemon with messages, about which everything was decided that can be.
  private static func decided() throws -> [PersonalDecision] {
    let bench = try Bench()
    try bench.take([Bench.message("old", at: -50), Bench.message("older", at: -60)], isLive: false)
    try bench.take([Bench.message("a", at: 1), Bench.message("b", author: "eve", at: 2), Bench.message("c", at: 3)], at: 3)
    let request = ReadJoinRequest(networkID: "j", author: "bob", text: "hello", createdAt: Bench.time(9_999))
    try bench.take([.joinRequest(request)], at: 4)
    func id(_ name: String) throws -> MessageID { try #require(try bench.named(name)).row.id }
    _ = try bench.store.hideMessage(try id("old"), at: Bench.time(5))
    _ = try bench.store.pinMessage(try id("a"), at: Bench.time(5))
    _ = try bench.store.mute("eve", at: Bench.time(5))
    _ = try bench.store.decline("bob", in: Bench.channel, at: Bench.time(5))
    _ = try bench.store.hide(Bench.channel, at: Bench.time(5))
    _ = try bench.store.markRead(Bench.channel, through: nil)
    return try shared(bench.store)
  }

  @Test func decisionsNameWhatRelaysKnow() throws {
    let decisions = try Self.decided()
    let stripped = decisions.map { decision in
      var decision = decision
      decision.revision = 0
      return decision
    }
    #expect(
      Set(stripped) == [
        Self.hidden("old", at: Bench.time(5)),
        PersonalDecision(.pinned, channel: Bench.channel, name: "a", at: Bench.time(5)),
        PersonalDecision(.muted, name: "eve", at: Bench.time(5)),
        PersonalDecision(.declined, channel: Bench.channel, name: "bob", at: Bench.time(9_999)),
        PersonalDecision(.channelHidden, channel: Bench.channel, at: Bench.time(5)),
        PersonalDecision(.read, channel: Bench.channel, at: Bench.time(3), message: "c"),
      ])
  }

  /// A new file of messages knows what was decided before it reads any.
  @Test func decisionsHoldForWhatArrivesLater() throws {
    let bench = try Bench(channels: 2...2)
    _ = try bench.store.carryOut(try Self.decided())
    try bench.store.begin(Bench.channel, since: Bench.time(100))
    #expect(try bench.conversation()?.isHidden == true)
    // Relays are read again, the newest first. There is one more message, from before the channel was hidden.
    try bench.take(
      [
        Bench.message("late", at: 4), Bench.message("c", at: 3), Bench.message("b", author: "eve", at: 2),
        Bench.message("a", at: 1), Bench.message("old", at: -50),
      ], at: 101, isLive: false)
    let request = ReadJoinRequest(networkID: "j", author: "bob", text: "hello", createdAt: Bench.time(9_999))
    try bench.take([.joinRequest(request)], at: 101)
    #expect(try bench.names() == ["a", "c", "late"] && bench.unread() == [1, 0], "what is dated after the mark is unread")
    #expect(try bench.conversation()?.isHidden == true)
    #expect(try bench.named("a")?.row.pinnedAt == Bench.time(5) && bench.named("c")?.row.pinnedAt == nil)
    #expect(try bench.store.person("eve")?.mutedAt == Bench.time(5))
    #expect(try bench.store.member("bob", in: Bench.channel)?.standing == .declined)
    // Something that was said since brings the channel back, also if it is asked for.
    try bench.take([Bench.message("new", at: 50)], at: 102, isLive: false)
    #expect(try bench.conversation()?.isHidden == false && bench.unread() == [2, 0])
    // What is taken back holds no more.
    let hidden = MessageQuestion(isHidden: true, limit: 9)
    _ = try bench.store.carryOut([
      Self.hidden("old", at: nil, 21), PersonalDecision(.muted, name: "eve", at: nil, revision: 22),
    ])
    #expect(try bench.store.messages(hidden).messages.isEmpty)
    #expect(try bench.store.lastDecision()?.revision == 22)
    // A pinned message has room where others have none.
    _ = try bench.store.carryOut([PersonalDecision(.pinned, channel: Bench.channel, name: "p", at: Bench.now, revision: 23)])
    let few = MessageLimits(keepMax: 1)
    try bench.take([Bench.message("p", at: -90), Bench.message("q", at: -80)], at: 103, isLive: false, within: few)
    #expect(try bench.named("p") != nil && bench.named("q") == nil)
  }

  /// A daemon that has messages does what was decided elsewhere.
  @Test func decisionsOfOthersAreCarriedOut() throws {
    let bench = try Bench()
    try bench.take([Bench.message("old", at: -50)], isLive: false)
    // They arrived in another order.
    try bench.take(
      [
        Bench.message("c", at: 3), Bench.message("b", author: "eve", at: 2), Bench.message("a", at: 1),
        Bench.message("d", at: 5),
      ],
      at: 4)
    let request = ReadJoinRequest(networkID: "j", author: "bob", text: "hello", createdAt: Bench.time(9_999))
    try bench.take([.joinRequest(request)], at: 4)
    let before = try bench.store.messageCounters().revision
    #expect(try bench.store.carryOut(try Self.decided()).revision > before)
    #expect(try bench.names() == ["c", "a", "d"] && bench.unread() == [1, 0] && bench.conversation()?.isHidden == true)
    #expect(try bench.store.member("bob", in: Bench.channel)?.standing == .declined)
    // The mark goes back, too. What arrived here before the message that it names was read.
    let back = PersonalDecision(.read, channel: Bench.channel, at: Bench.time(2), message: "b", revision: 31)
    _ = try bench.store.carryOut([back])
    #expect(try bench.unread() == [2, 0])
    // A message that the mark names and that is not there yet was read.
    _ = try bench.store.carryOut([
      PersonalDecision(.read, channel: Bench.channel, at: Bench.time(9), message: "e", revision: 32)
    ])
    #expect(try bench.unread() == [0, 0])
    try bench.take([Bench.message("e", at: 9)], at: 10)
    #expect(try bench.unread() == [0, 0])
    try bench.take([Bench.message("f", at: 8)], at: 11)
    #expect(try bench.unread() == [1, 0], "no one hides a message by its date")
  }

  @Test func decisionsThatNobodyKeepsAreLeftOver() throws {
    let bench = try Bench()
    try bench.take([Bench.message("a")])
    _ = try bench.store.hideMessage(MessageID(rawValue: 1), at: Bench.now)
    // What changes nothing is no decision.
    _ = try bench.store.hideMessage(MessageID(rawValue: 1), at: Bench.time(1))
    #expect(try Self.shared(bench.store) == [Self.hidden("a", 1)] && bench.store.lastDecision() == Self.hidden("a", 1))
    _ = try bench.store.hideMessage(MessageID(rawValue: 99), at: Bench.now)
    _ = try bench.store.mute("nobody", at: nil)
    #expect(try bench.store.newDecisions(isLeftOver: false, limit: 9).isEmpty)
    try bench.store.forgetRevisionsOfDecisions()
    #expect(try bench.store.lastDecision() == nil)
    #expect(try bench.store.newDecisions(isLeftOver: true, limit: 9).map(\.name) == ["a"])
    _ = try bench.store.carryOut([Self.hidden("a", at: nil, 1)])
    #expect(try bench.names() == ["a"], "what is kept elsewhere counts")
  }

  /// Decisions of a file from before they were kept with the channels.
  @Test func decisionsOfOlderFilesAreLeftOver() throws {
    let bench = try Bench()
    try bench.take([Bench.message("old", at: -50)], isLive: false)
    try bench.take([Bench.message("a", at: 1), Bench.message("b", author: "eve", at: 2), Bench.message("c", at: 3)], at: 3)
    let request = ReadJoinRequest(networkID: "j", author: "bob", text: "hello", createdAt: Bench.time(4))
    try bench.take([.joinRequest(request)], at: 4)
    _ = try bench.store.hideMessage(try #require(try bench.named("a")).row.id, at: Bench.now)
    _ = try bench.store.pinMessage(try #require(try bench.named("c")).row.id, at: Bench.time(5))
    _ = try bench.store.mute("eve", at: Bench.time(5))
    _ = try bench.store.decline("bob", in: Bench.channel, at: Bench.time(5))
    _ = try bench.store.hide(Bench.channel, at: Bench.time(5))
    _ = try bench.store.markRead(Bench.channel, through: nil)
    try bench.store.pool.write { db in
      try db.execute(sql: "DROP TABLE decisions")
      try db.execute(sql: "PRAGMA user_version = \(MessageSchema.version - 1)")
    }
    try bench.reopen()
    #expect(bench.store.setAside == nil)
    let left = try bench.store.newDecisions(isLeftOver: true, limit: 9)
    #expect(left.allSatisfy { $0.revision < 0 })
    let words = left.map { "\($0.kind) \($0.name) \($0.at == nil ? "" : "on") \($0.message ?? "")" }
    #expect(
      words.sorted() == [
        "channelHidden  on ", "declined bob on ", "hidden a on ", "muted eve on ", "pinned c on ", "read  on c",
      ])
    #expect(left.first { $0.kind == .read }?.at == Bench.time(3))
  }
}
