import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// What was said before is read page by page, with the deletions and reactions that belong to it, and never further ahead than it is taken.
struct FollowerPagingTests {
  private static func messages(_ count: Int, in channel: Int64 = 1, by key: SecretKey = Saying.alice) -> [NostrEvent] {
    (1...count).map { Saying.message("\($0)", in: channel, at: FollowingDesk.noon - 10_000 + Int64($0), by: key) }
  }

  private static let all450 = messages(450)

  @Test func everythingIsReadAndThenReported() {
    var desk = FollowingDesk()
    (desk.stored, desk.cap) = (Self.all450, 120)
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    #expect(desk.texts == (1...450).reversed().map { "\($0)" } && desk.news.allSatisfy { !$0.isLive })
    #expect(desk.syncs.count == 1 && desk.syncs.first?.outcome == .complete)
    guard case .synced? = desk.reports.last else { return #expect(Bool(false), "it comes after everything was taken") }
    #expect(desk.batches.allSatisfy { $0.news.count <= MessageOutbox.batchMax })
    #expect(desk.batches.map(\.id.number) == Array(101...(100 + desk.batches.count)))
    #expect(Set(desk.subscriptions.keys.map { $0.prefix(2) }) == ["fl", "fm"], "pages are closed")
  }

  @Test func onlySoManyMessagesAreRead() {
    let desk = FollowingDesk.following([Saying.channel(1, window: MessageWindow(count: 30))], stored: Self.all450)
    #expect(desk.texts == (421...450).reversed().map { "\($0)" } && desk.syncs.first?.outcome == .complete)
  }

  @Test func onlySoOldMessagesAreRead() {
    let day: Int64 = 86_400
    let stored = [1, 2, 3].map { Saying.message("\($0)", at: FollowingDesk.noon - $0 * day + 10) }
    #expect(FollowingDesk.following([Saying.channel(1, window: MessageWindow(days: 2))], stored: stored).texts == ["1", "2"])
    #expect(FollowingDesk.following([Saying.channel(1, window: MessageWindow(days: nil))], stored: stored).texts.count == 3)
    #expect(FollowingDesk.following([Saying.channel(1, window: MessageWindow(days: .max))], stored: stored).texts.count == 3)
  }

  /// Any author can date a message ahead. Live ones are heard whatever their dates.
  @Test func messagesOfAnyDateAheadAreRead() {
    let stored = [60, 7_200, 86_400 * 400].map { Saying.message("+\($0)", at: FollowingDesk.noon + $0) } + Self.messages(3)
    let desk = FollowingDesk.following([Saying.channel(1)], stored: stored)
    #expect(Set(desk.texts) == ["+60", "+7200", "+34560000", "1", "2", "3"] && desk.syncs.first?.outcome == .complete)
  }

  /// A second may have nearly as many messages as the relay serves at once, and others are said in it while it is read.
  @Test(arguments: [false, true]) func denseSecondsAreReadWhileOthersWrite(_ isAgain: Bool) {
    func dense(_ numbers: ClosedRange<Int>) -> [NostrEvent] {
      numbers.map { Saying.message("\($0)", at: FollowingDesk.noon - Int64($0 % 3)) }
    }
    var desk = FollowingDesk.following([Saying.channel(1, window: MessageWindow(count: 2_000))], stored: dense(1...1_000))
    #expect(desk.texts.count == 1_000 && desk.syncs.map(\.outcome) == [.complete])
    if isAgain {
      desk.feed(.sync(ChannelID(rawValue: 1)))
    } else {
      desk.feed(.unfollow(ChannelID(rawValue: 1)))
      desk.feed(.follow(Saying.channel(1, window: MessageWindow(count: 2_000))))
    }
    for event in dense(1_001...1_300) {
      desk.publish(event)
      while !desk.untaken.isEmpty { desk.take() }
      if event.createdAt == FollowingDesk.noon, let next = desk.pending.first { desk.answerFirst(next) }
    }
    desk.settle()
    #expect(Set(desk.texts).count == 1_300 && desk.syncs.map(\.outcome) == [.complete, .complete])
  }

  private static let far = (1...520).map { Saying.message("far", at: FollowingDesk.noon + 86_400 * 27_000 + $0) }

  /// Anyone can date any number of messages ahead, and relays serve these first.
  @Test func messagesFarAheadTakeNothingFromTheRest() {
    var desk = FollowingDesk.following([Saying.channel(1, window: MessageWindow(count: 30))], stored: Self.far + Self.all450)
    #expect(Set(desk.texts) == Set((421...450).map { "\($0)" } + ["far"]) && desk.syncs.map(\.outcome) == [.complete])
    // Pages overlap, and what is served twice counts twice.
    #expect((450...PageReader.aheadMax).contains(desk.texts.count { $0 == "far" }))
    // So it is with what was missed.
    desk.lose()
    desk.now += 100
    desk.stored.append(Saying.message("meanwhile", at: desk.now))
    desk.fire(.reconnect)
    desk.connect()
    desk.settle()
    #expect(desk.texts.contains("meanwhile"))
  }

  /// Events that cannot be read may have such dates, too.
  @Test func unreadableEventsFarAheadTakeNothingFromTheRest() {
    var desk = FollowingDesk()
    desk.stored = [Saying.message("now")]
    desk.feed(.follow(Saying.channel(1, window: MessageWindow(count: 1))))
    desk.connect()
    desk.isMute = true
    for _ in 0..<200 {
      guard let next = desk.pending.first else { break }
      let until = next.filters.first?["until"]?.integer ?? .max
      if next.isPage, !next.isForMarks, until > FollowingDesk.noon + 1_000_000 {
        for number in 0..<200 as Range<Int64> {
          let date = min(until, 4_000_000_000) - number
          desk.feed(.received(.unreadable(subscription: next.name, createdAt: date, bytes: 300)))
        }
        desk.answerFirst(next, with: [])
      } else {
        desk.answerFirst(next)
      }
    }
    #expect(desk.texts == ["now"] && desk.syncs.map(\.outcome) == [.complete])
  }

  @Test func whatIsForgedOrSaidElsewhereIsNotTold() {
    let good = Saying.message("good", at: FollowingDesk.noon - 50)
    func altered(_ event: NostrEvent, _ content: String, _ signature: String) -> NostrEvent {
      NostrEvent(
        id: event.id, publicKey: event.publicKey, createdAt: event.createdAt, kind: 42, tags: event.tags, content: content,
        signature: signature)
    }
    let (one, two) = (Saying.message("one"), Saying.message("two"))
    let elsewhere = Saying.event(42, [["e", Saying.name(9), "", "root"], ["e", Saying.name(1), "", "mention"]], "elsewhere")
    let stored = [
      altered(one, "bad", one.signature), altered(two, "two", String(repeating: "0", count: 128)), good, elsewhere,
    ]
    #expect(FollowingDesk.following([Saying.channel(1)], stored: stored).texts == ["good"])
  }

  @Test func nothingIsReadFurtherAheadThanItIsTaken() {
    var desk = FollowingDesk()
    (desk.stored, desk.takes) = (Self.all450, false)
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    #expect(desk.batches.count == MessageOutbox.batchesOutMax && desk.syncs.isEmpty)
    let pages = desk.requests.count { $0.isPage }
    #expect(pages <= 2)
    desk.take()
    desk.settle()
    #expect(desk.batches.count == MessageOutbox.batchesOutMax + 1)
    desk.takes = true
    desk.settle()
    #expect(desk.texts.count == 450 && desk.syncs.count == 1)
  }

  @Test func completeComesOnlyOnceEverythingIsTaken() {
    var desk = FollowingDesk()
    (desk.stored, desk.takes) = ([Saying.message("one")], false)
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    #expect(desk.texts == ["one"] && desk.syncs.isEmpty)
    desk.feed(.took(99))
    #expect(desk.syncs.isEmpty, "that is another's batch")
    desk.take()
    #expect(desk.syncs.isEmpty && desk.questions.map(\.served) == [[Saying.message("one").id]])
    desk.settle()
    desk.takes = true
    desk.settle()
    #expect(desk.syncs.count == 1)
  }

  @Test func whatNobodyTakesIsLeftOutAndAskedForLater() {
    var desk = FollowingDesk.following([Saying.channel(1)])
    desk.takes = false
    let count = MessageOutbox.waitingMax + 300
    for number in 1...count { desk.publish(Saying.message("\(number)", at: FollowingDesk.noon + Int64(number))) }
    #expect(desk.batches.count == MessageOutbox.batchesOutMax)
    desk.takes = true
    desk.settle()
    #expect(desk.texts.count == count && Set(desk.texts).count == count)
    let late = desk.news.filter { !$0.isLive }
    #expect(late.count == count - MessageOutbox.waitingMax - MessageOutbox.batchesOutMax)
  }

  // MARK: - What is missing

  @Test func deletionsOfWhatIsNotServedAnyMoreAreAskedFor() {
    let messages = Self.messages(250)
    // The relay follows requests to delete: of these it has the requests alone.
    let gone = Array(messages[..<120])
    var desk = FollowingDesk()
    desk.stored = Array(messages[120...]) + gone[..<110].map { Saying.deletion(of: [$0]) }
    desk.known = Set(messages.map(\.id))
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    #expect(desk.texts.count == 130 && desk.syncs.map(\.outcome) == [.complete])
    #expect(Set(desk.deletions) == Set(gone[..<110].map(\.id)), "what the relay only lost is not deleted")
    #expect(desk.requests.filter { $0.isPage && $0.isForMarks }.allSatisfy { $0.values("e").count <= PageReader.marksMax })
  }

  @Test func deletionsOfOthersReactionsAreAskedForByTheirNames() {
    let message = Saying.message("one")
    let (gone, there) = (Saying.reaction("+", to: message), Saying.reaction("-", to: message))
    var desk = FollowingDesk()
    // The relay follows the request to delete: it has that alone.
    desk.stored = [message, there, Saying.deletion(of: [gone], by: Saying.bob)]
    desk.knownReactions = [gone.id, there.id]
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    #expect(desk.reactions.map(\.networkID) == [there.id] && desk.deletions == [gone.id])
    #expect(desk.syncs.map(\.outcome) == [.complete])
    let asked = desk.requests.filter(\.isPage).flatMap { $0.values("e") }
    #expect(asked.count { $0 == gone.id } == asked.count { $0 == there.id }, "one that is known and found is asked for once")
  }

  @Test func questionsNameWhatWasServed() throws {
    var desk = FollowingDesk()
    (desk.stored, desk.takes) = (Self.all450, false)
    desk.feed(.follow(Saying.channel(1, window: MessageWindow(count: 30))))
    desk.connect()
    while desk.questions.isEmpty {
      desk.settle()
      desk.take()
    }
    let question = try #require(desk.questions.first)
    #expect(question.relay == FollowingDesk.relay && question.channel.rawValue == 1)
    #expect(question.served.isSuperset(of: Self.all450.suffix(20).map(\.id)) && question.served.count < 450)
    // Another reading begins once this one is over.
    desk.feed(.sync(ChannelID(rawValue: 1)))
    desk.settle()
    #expect(desk.questions.count == 1)
    // The answer to another question ends nothing.
    let requests = desk.requests.count
    desk.feed(.lacks(StoredNames(), question.channel, number: question.number + 1))
    desk.settle()
    #expect(desk.requests.count == requests && desk.syncs.isEmpty)
    desk.answerQuestion()
    desk.takes = true
    desk.settle()
    #expect(desk.questions.isEmpty && desk.syncs.map(\.outcome) == [.complete])
  }

  @Test func questionsSurviveLostConnectionsAndChannelsThatAreLeft() {
    let gone = Saying.message("gone")
    var desk = FollowingDesk()
    (desk.stored, desk.known, desk.takes) = ([Saying.deletion(of: [gone])], [gone.id], false)
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    #expect(desk.questions.count == 1)
    desk.lose()
    desk.fire(.reconnect)
    desk.answerQuestion()
    desk.takes = true
    desk.connect()
    desk.settle()
    #expect(desk.deletions == [gone.id] && desk.syncs.last?.outcome == .complete)

    desk.takes = false
    desk.feed(.sync(ChannelID(rawValue: 1)))
    desk.settle()
    desk.feed(.unfollow(ChannelID(rawValue: 1)))
    desk.takes = true
    desk.settle()
    desk.feed(.follow(Saying.channel(2)))
    desk.fire(.gather)
    desk.settle()
    #expect(desk.syncs.last?.channel == 2, "an answer that no one waits for holds up nothing")
  }

  // MARK: - Deletions and reactions

  @Test func deletionsAndReactionsAreAskedForByMessage() throws {
    let messages = Self.messages(150)
    let reaction = Saying.reaction("+", to: messages[0])
    let foreign = Saying.reaction("-", to: Saying.message("elsewhere", in: 9))
    let stored =
      messages + [
        reaction, foreign, Saying.deletion(of: [messages[1], messages[140]]), Saying.deletion(of: [reaction], by: Saying.bob),
      ]
    let desk = FollowingDesk.following([Saying.channel(1)], stored: stored)
    #expect(desk.reactions.map(\.networkID) == [reaction.id] && desk.reactions.first?.target == messages[0].id)
    // The two are asked for with other messages, and more than once.
    #expect(Set(desk.deletions) == [messages[1].id, messages[140].id, reaction.id])
    let author = desk.news.compactMap { if case .deleted(messages[1].id, let author) = $0.what { author } else { nil } }.first
    #expect(author == Saying.alice.publicKey)
    let pages = desk.requests.filter { $0.isPage && $0.isForMarks }
    #expect(!pages.isEmpty && pages.allSatisfy { $0.values("e").count <= PageReader.marksMax })
    #expect(
      desk.syncs.first?.outcome == .complete && desk.reports.last.map { if case .synced = $0 { true } else { false } } == true)
  }

  @Test func newMessagesAreWatchedForReactions() throws {
    var desk = FollowingDesk.following([Saying.channel(1), Saying.channel(2)])
    let (one, two) = (Saying.message("one"), Saying.message("two", in: 2))
    desk.publish(one)
    desk.settle()
    desk.publish(two)
    desk.settle()
    func watched() -> [String] { desk.requests.last { $0.name.hasPrefix("fm") }?.values("e") ?? [] }
    #expect(watched() == [one.id], "the next time is later")
    // What comes before that is served then.
    desk.publish(Saying.reaction("\u{1F41F}", to: two))
    #expect(desk.reactions.isEmpty)
    desk.pass(ticks: MarkReader.renewalTicks)
    #expect(Set(watched()) == [one.id, two.id] && desk.reactions.map(\.text) == ["\u{1F41F}"])
    #expect(desk.subscriptions.keys.count { $0.hasPrefix("fm") } == 1)
    let reaction = Saying.reaction("", to: one)
    desk.publish(reaction)
    desk.publish(Saying.deletion(of: [one, two]))
    desk.settle()
    #expect(desk.reactions.map(\.text) == ["\u{1F41F}", "+"] && Set(desk.deletions) == [one.id, two.id])
    #expect(Set(desk.news.suffix(3).map(\.channel.rawValue)) == [1, 2] && desk.news.suffix(3).allSatisfy(\.isLive))
    // So are reactions, which can be taken back.
    desk.pass(ticks: MarkReader.renewalTicks)
    desk.publish(Saying.deletion(of: [reaction], by: Saying.bob))
    desk.settle()
    #expect(desk.deletions.contains(reaction.id))
  }

  private static let (busy, quiet) = (ChannelID(rawValue: 1), ChannelID(rawValue: 2))

  /// The name of the REQ that is asked, if one is.
  private func ask(_ marks: inout MarkReader) -> String? {
    for case .send(let text) in marks.askNext() {
      if let parts = try? JSONParser.parse(text).array, parts.first?.string == "REQ" { return parts[1].string }
    }
    return nil
  }

  @Test func aBusyChannelTakesNothingFromAQuietOne() {
    var marks = MarkReader(limits: NostrLimits(), prefix: "f")
    for number in 0..<10 as Range<Int64> { marks.add("quiet\(number)", in: Self.quiet, date: number) }
    for number in 0..<1_000 as Range<Int64> { marks.add("busy\(number)", in: Self.busy, date: 1_000 + number) }
    marks.add("older", in: Self.busy, date: 900)
    let room = MarkReader.requestsMax * MarkReader.messagesMax
    #expect((0..<10).allSatisfy { marks.channel(of: "quiet\($0)", isDeletion: false) == Self.quiet })
    let kept = (0..<1_000).filter { marks.channel(of: "busy\($0)", isDeletion: false) == Self.busy }
    #expect(kept == Array((1_000 - room + 10)..<1_000) && marks.channel(of: "older", isDeletion: true) == nil)
    // A new message is asked for with some others, and not with all.
    while let name = ask(&marks) { _ = marks.served(name) }
    marks.tick()
    marks.add("new", in: Self.quiet, date: 0)
    #expect(ask(&marks).map { _ = marks.served($0) } != nil && ask(&marks) == nil)
    // There is as much room again when a channel is left.
    marks.remove(Self.busy)
    for number in 0..<room as Range<Int> { marks.add("third\(number)", in: ChannelID(rawValue: 3), date: Int64(number)) }
    #expect((11..<room).allSatisfy { marks.channel(of: "third\($0)", isDeletion: false) != nil })
  }

  /// Nothing says how many a relay takes, and pages need one, too.
  @Test func aRelayThatTakesFewSubscriptionsIsAskedForLess() throws {
    var marks = MarkReader(limits: NostrLimits(), prefix: "f")
    for number in 0..<300 as Range<Int64> { marks.add("\(number)", in: Self.busy, date: number) }
    let first = try #require(ask(&marks))
    _ = marks.served(first)
    var refused = 0
    for _ in 0..<20 {
      marks.tick()
      guard let name = ask(&marks), name != first else { continue }
      // It renews the one that it has, and takes no other.
      if marks.isLive(first), refused < MarkReader.requestsMax - 1 {
        refused += 1
        _ = marks.closed(name, "")
      } else {
        _ = marks.served(name)
      }
    }
    let kept = (0..<300).filter { marks.channel(of: "\($0)", isDeletion: false) != nil }
    #expect(refused == MarkReader.requestsMax - 1 && kept == Array((300 - MarkReader.messagesMax)..<300))
    #expect(ask(&marks) == nil && !marks.isLive(first))
    marks.reset()
    for number in 0..<300 as Range<Int64> { marks.add("\(number)", in: Self.busy, date: number) }
    #expect((0..<300).allSatisfy { marks.channel(of: "\($0)", isDeletion: false) != nil }, "another connection may take more")
  }

  /// The message itself is not here.
  @Test func marksOfWhatAnotherRelayServesAreFoundHere() {
    let (before, now) = (Saying.message("before"), Saying.message("now"))
    var desk = FollowingDesk.following([Saying.channel(1)], stored: [Saying.deletion(of: [before])])
    func heard(_ event: NostrEvent, isLive: Bool) -> FollowerMachine.Event {
      .heard(Saying.channel(1).news(of: event, isLive: isLive))
    }
    desk.feed(heard(before, isLive: false))
    desk.settle()
    #expect(desk.deletions == [before.id] && desk.texts.isEmpty)
    desk.pass(ticks: MarkReader.renewalTicks)
    let pages = desk.requests.count(where: \.isPage)
    desk.feed(heard(now, isLive: true))
    desk.settle()
    desk.publish(Saying.reaction("+", to: now))
    desk.settle()
    #expect(desk.reactions.map(\.target) == [now.id] && desk.requests.count(where: \.isPage) == pages)
    // What is served here as well was asked for then.
    let both = Saying.message("both")
    desk.publish(both)
    desk.settle()
    desk.feed(heard(both, isLive: false))
    desk.settle()
    #expect(desk.texts == ["both"] && desk.requests.count(where: \.isPage) == pages)
  }

  @Test func relayWithoutReactionsIsReadAllTheSame() {
    var desk = FollowingDesk()
    desk.stored = [Saying.message("one")]
    desk.refusal = { $0.isForMarks ? "blocked: kind not allowed" : nil }
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    #expect(desk.texts == ["one"] && desk.syncs.map(\.outcome) == [.complete])
  }

  /// Some relays refuse a request that names more messages than they take, or do not answer it.
  @Test(arguments: ["invalid: too many values", "error: filter too complex", nil])
  func relayThatTakesFewIDsIsAskedForMarksOfFewer(_ refusal: String?) {
    let messages = Self.messages(150)
    func isTooLong(_ request: FollowingDesk.Request) -> Bool { request.isForMarks && request.values("e").count > 20 }
    var desk = FollowingDesk()
    desk.stored = messages + messages.map { Saying.deletion(of: [$0]) }
    desk.refusal = { isTooLong($0) ? refusal : nil }
    desk.ignores = { refusal == nil && isTooLong($0) }
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    for _ in 1...100 {
      for timer in [FollowerMachine.Timer.answerHistory, .answerMarks] where desk.timers[timer] != nil {
        desk.fire(timer)
        desk.settle()
      }
      desk.pass(ticks: 1)
    }
    #expect(desk.isOpen && desk.syncs.map(\.outcome) == [.complete])
    #expect(Set(desk.deletions) == Set(messages.map(\.id)))
    // The newest are watched, in as many subscriptions as before.
    let watched = desk.subscriptions.filter { $0.key.hasPrefix("fm") }.values.joined().flatMap {
      $0["#e"]?.array?.compactMap(\.string) ?? []
    }
    #expect(Set(watched).isSuperset(of: messages.suffix(40).map(\.id)), "\(watched.count)")
  }

  /// A relay that ignores them answers everything else.
  @Test func silenceAboutMarksEndsNoConnection() {
    var desk = FollowingDesk()
    desk.stored = Self.messages(3)
    desk.ignores = { $0.isForMarks && !$0.isPage }
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    for _ in 1...30 {
      desk.fire(.answerMarks)
      desk.pass(ticks: 1)
    }
    #expect(desk.isOpen && desk.requests.count { $0.isForMarks && !$0.isPage } > 2)
  }

  @Test func marksOfWhatAnotherRelayServesAreReadLaterIfTheyCannotBeReadNow() {
    let before = Saying.message("before")
    var desk = FollowingDesk.following([Saying.channel(1)], stored: [Saying.deletion(of: [before])])
    desk.known = [before.id]
    desk.refusal = { $0.isForMarks ? "rate-limited: slow down" : nil }
    desk.feed(.heard(Saying.channel(1).news(of: before, isLive: false)))
    desk.settle()
    #expect(desk.deletions.isEmpty)
    desk.refusal = { $0.isForMarks && !$0.isPage ? "rate-limited: slow down" : nil }
    desk.pass(ticks: FollowerMachine.retryTicks + 12)
    #expect(desk.deletions == [before.id])
  }

  @Test func groupHasItsReactionsInItsPages() {
    let one = Saying.event(9, [["h", "club1"]], "one")
    let like = Saying.event(7, [["h", "club1"], ["e", one.id]], "+")
    let deletion = Saying.event(5, [["h", "club1"], ["e", one.id]])
    let desk = FollowingDesk.following([Saying.group(1)], stored: [one, like, deletion])
    #expect(desk.texts == ["one"] && desk.reactions.map(\.target) == [one.id] && desk.deletions == [one.id])
    #expect(!desk.requests.contains { $0.isForMarks })
  }

  // MARK: - Again

  @Test func channelIsToldAgainIfSomebodyAsks() {
    var desk = FollowingDesk.following([Saying.channel(1), Saying.channel(2)], stored: [Saying.message("one")])
    desk.feed(.sync(ChannelID(rawValue: 1)))
    desk.settle()
    #expect(desk.texts == ["one", "one"], "perhaps it was not stored")
    #expect(desk.syncs.map(\.channel) == [1, 2, 1] && desk.syncs.allSatisfy { $0.outcome == .complete })
    desk.feed(.sync(ChannelID(rawValue: 9)))
    #expect(desk.syncs.count == 3)
  }

  @Test func channelIsReadOnceADay() {
    var desk = FollowingDesk.following([Saying.channel(1)], stored: [Saying.message("one")])
    // It was dated back, so that no subscription brought it.
    desk.stored.append(Saying.message("two", at: FollowingDesk.noon - 5_000))
    desk.pass(ticks: FollowerMachine.wholeTicks - 12)
    #expect(desk.texts == ["one"] && desk.syncs.count == 1)
    desk.pass(ticks: 24)
    #expect(desk.texts == ["one", "two"], "what is known is not told again")
    #expect(desk.syncs.map(\.outcome) == [.complete, .complete])
  }

  @Test func refusedReadingIsTriedAgain() {
    var desk = FollowingDesk()
    desk.refusal = { $0.isPage ? "error: busy" : nil }
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    #expect(desk.syncs.map(\.outcome) == [.failed(Trouble(.storage, "error: busy"))])
    desk.refusal = { _ in nil }
    desk.pass(ticks: FollowerMachine.retryTicks + 12)
    #expect(desk.syncs.map(\.outcome).last == .complete)
  }

  @Test func pageThatIsNotServedFailsTheReading() {
    var desk = FollowingDesk.following([Saying.channel(1)])
    desk.isMute = true
    desk.feed(.sync(ChannelID(rawValue: 1)))
    desk.fire(.answerHistory)
    guard case .failed(let trouble)? = desk.syncs.last?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .timeout && desk.isOpen)
  }

  @Test func readingGoesOnAfterALostConnection() {
    var desk = FollowingDesk()
    (desk.stored, desk.cap) = (Self.all450, 100)
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.isMute = true
    // The two subscriptions, and the first two pages.
    for _ in 1...4 {
      guard let next = desk.pending.first else { return #expect(Bool(false)) }
      desk.answerFirst(next)
    }
    #expect(desk.requests.count { $0.isPage } == 3)
    desk.lose()
    desk.isMute = false
    desk.settle()
    #expect(desk.syncs.isEmpty, "there will be another connection")
    desk.fire(.reconnect)
    desk.connect()
    desk.settle()
    #expect(Set(desk.texts).count == 450 && desk.texts.count == 450 && desk.syncs.map(\.outcome) == [.complete])
  }

  /// A page of events that cannot be read leads to the next one, like a page of forged ones.
  @Test func eventsThatCannotBeReadDoNotHideWhatIsOlder() {
    var desk = FollowingDesk()
    desk.stored = (1...60).map { Saying.message("\($0)", at: FollowingDesk.noon - 10_000 + Int64($0)) }
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.isMute = true
    for _ in 0..<100 {
      guard let next = desk.pending.first else { break }
      if next.isPage, let until = next.filters.first?["until"]?.integer, until > FollowingDesk.noon - 500 {
        for _ in 0..<200 {
          desk.feed(.received(.unreadable(subscription: next.name, createdAt: FollowingDesk.noon - 500, bytes: 300)))
        }
        desk.answerFirst(next, with: [])
      } else {
        desk.answerFirst(next)
      }
    }
    #expect(desk.texts.count == 60 && desk.syncs.first?.outcome == .complete)
  }

  @Test func relayThatServesTheSameForEverIsGivenUp() {
    var desk = FollowingDesk()
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    desk.isMute = true
    desk.feed(.sync(ChannelID(rawValue: 1)))
    let stranger = Saying.message("stranger", in: 9)
    for _ in 0..<10_000 {
      guard let page = desk.pending.first, page.isPage else { break }
      desk.answerFirst(page, with: [stranger])
    }
    guard case .failed(let trouble)? = desk.syncs.last?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .misbehaving && desk.texts.isEmpty)
  }
}
