import Channels
import RelayNetwork
import Testing

@testable import Nostr

/// A session that follows channels against relays that page in their own ways, refuse, end subscriptions and lose the connection, while
/// what it reads is taken late.
struct FollowingSimulationTests {
  @Test func everythingIsToldAndNothingElse() { FollowingRun.expectNoTrouble(seeds: 1...40) }

  @Test func sameSeedGivesTheSameRun() { FollowingRun.expectSameRunOfSameSeed() }
}

private struct FollowingRun: SeededSession {
  /// Messages are signed once, because that takes long.
  private static let pool: [NostrEvent] = (0..<150).map { number in
    let key = SecretKeys.all[number % SecretKeys.all.count]
    // Three share a second.
    return Saying.message("\(number)", in: Int64(number % 4 + 1), at: FollowingDesk.noon + Int64(number / 3), by: key)
  }
  private static let marks: [NostrEvent] = pool.enumerated().filter { $0.offset % 5 == 0 }.map { number, message in
    number % 2 == 0 ? Saying.reaction("+", to: message) : Saying.deletion(of: [message], by: SecretKeys.all[number % 3])
  }
  private enum SecretKeys { static let all = [Saying.alice, Saying.bob, sessionKey] }

  private var random: SplitMix64
  private var desk = FollowingDesk()
  private var left: [NostrEvent]
  /// In percent.
  private let (closes, refuses): (Int, Int)
  private(set) var trouble: String?
  private(set) var log: [String] = []

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func one(_ values: [Int]) -> Int { values.randomElement(using: &random) ?? 0 }
    desk.cap = one([20, 50, 500])
    desk.isExclusive = one([0, 1]) == 1
    desk.takes = false
    (closes, refuses) = (one([0, 2, 6]), one([0, 0, 10]))
    left = Self.pool
    // Some of what there is was said before.
    for _ in 0..<one([0, 40, 80]) { desk.stored.append(left.removeFirst()) }
    self.random = random
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func run() {
    for number in 1...4 as ClosedRange<Int64> { desk.feed(.follow(Saying.channel(number))) }
    for _ in 1...2_000 where trouble == nil {
      step()
      check()
    }
    while let next = left.popLast() { say(next) }
    for mark in Self.marks { desk.publish(mark) }
    calmDown()
    judgeMessages()
    // Some relays serve few events at once, so that a subscription does not bring all that is stored.
    for number in 1...4 as ClosedRange<Int64> { desk.feed(.sync(ChannelID(rawValue: number))) }
    desk.settle()
    judgeMarks()
    log =
      desk.batches.map { "batch \($0.id.number) of \($0.news.count) news" }
      + desk.syncs.map { "channel \($0.channel): \($0.outcome)" } + desk.texts
  }

  private mutating func say(_ event: NostrEvent) {
    desk.now = max(desk.now, event.createdAt)
    desk.publish(event)
  }

  private mutating func step() {
    if desk.isDialing { return chance(80) ? desk.connect() : desk.feed(.dialFailed(.unreachable("down"))) }
    if !desk.isOpen { return desk.fire(.reconnect) }
    if chance(closes) { return desk.lose() }
    if !left.isEmpty, chance(10) { return say(left.removeFirst()) }
    if chance(20) { return desk.take() }
    if chance(5) { return desk.fire(.tick) }
    if chance(3) { return desk.fire(.gather) }
    if chance(1) { return desk.feed(.sync(ChannelID(rawValue: Int64.random(in: 1...4, using: &random)))) }
    guard let next = desk.pending.randomElement(using: &random) else { return desk.take() }
    if chance(refuses) { return desk.refuse(next, with: "error: try later") }
    if chance(2), next.isPage { return desk.fire(.answerHistory) }
    desk.answerOne(next)
  }

  private mutating func check() {
    if desk.untaken.count > MessageOutbox.batchesOutMax { trouble = "\(desk.untaken.count) batches are out" }
  }

  /// The relay works and everything is taken, for longer than anything is put off.
  private mutating func calmDown() {
    desk.takes = true
    for _ in 1...10 where !desk.isOpen {
      desk.fire(.reconnect)
      desk.connect()
    }
    desk.fire(.gather)
    desk.settle()
    desk.pass(ticks: 2 * FollowerMachine.retryTicks)
  }

  private mutating func judgeMessages() {
    guard trouble == nil else { return }
    let told = desk.news.reduce(into: [String: ChannelID]()) { told, news in
      if case .message(let message) = news.what { told[message.networkID] = news.channel }
    }
    for message in Self.pool {
      let number = Int64(message.content).map { $0 % 4 + 1 }
      if told[message.id]?.rawValue != number { trouble = "message \(message.content) is not told in its channel" }
    }
    if told.count != Self.pool.count { trouble = "\(told.count) messages are told" }
  }

  private mutating func judgeMarks() {
    guard trouble == nil else { return }
    let marks = Set(desk.reactions.map(\.target) + desk.deletions)
    if marks != Set(Self.marks.compactMap(\.reactionTarget)) { trouble = "\(marks.count) messages have marks" }
    if desk.batches.map(\.id.number) != Array(101..<(101 + desk.batches.count)) { trouble = "batches have wrong numbers" }
    for number in 1...4 as ClosedRange<Int64> where desk.syncs.last(where: { $0.channel == number })?.outcome != .complete {
      trouble = "channel \(number) is not complete in the end"
    }
  }
}
