import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Publishers against relays that answer in any order, under empty ids, late or never, refuse, limit the rate and close the connection.
struct PublisherSimulationTests {
  @Test func everyOutcomeBelongsToItsOwnEvent() { PublisherRun.expectNoTrouble(seeds: 1...400) }

  @Test func sameSeedGivesTheSameRun() { PublisherRun.expectSameRunOfSameSeed() }
}

/// One publisher and one relay.
private struct PublisherRun: SeededSession {
  private struct Habits {
    /// In percent.
    let leavesOutIDs, drops, refuses, limits, closes: Int
  }

  private var machine: PublisherMachine
  private var random: SplitMix64
  private let items: [SessionOperation]
  private var toSubmit: [SessionOperation]
  private let habits: Habits
  /// Events that the relay has received and not answered.
  private var received: [String] = []
  /// Requests to the relay: their names and ids.
  private var questions: [(name: String, id: String)] = []
  private var stored: Set<String> = []
  private var timers: Set<PublisherMachine.Timer> = []
  private var isDialing = false
  private var isOpen = false
  private var finals: [ChannelID: RelayOutcome] = [:]
  private(set) var log: [String] = []
  /// Violated rules.
  private(set) var trouble: String?
  private let events: [String: NostrEvent]

  private static let all: [(SessionOperation, NostrEvent)] = (1...24 as ClosedRange<Int64>).compactMap { channel in
    let item = makeOperation(.invite, channel: channel)
    guard let event = try? NostrEvent(json: JSONParser.parse(item.operation.content.document)) else { return nil }
    return (item, event)
  }

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: seed)
    items = Self.all.map(\.0)
    events = Dictionary(uniqueKeysWithValues: Self.all.map { ($0.1.id, $0.1) })
    toSubmit = items
    func sometimes(_ values: [Int]) -> Int { values.randomElement(using: &random) ?? 0 }
    habits = Habits(
      leavesOutIDs: sometimes([0, 50, 100]), drops: sometimes([0, 0, 5]), refuses: sometimes([0, 10, 40]),
      limits: sometimes([0, 0, 10]), closes: sometimes([0, 0, 2]))
    self.random = random
  }

  mutating func run() {
    for _ in 1...5_000 where trouble == nil && finals.count < items.count { step() }
    if trouble == nil, finals.count < items.count { trouble = "\(items.count - finals.count) operations never end" }
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private mutating func step() {
    if !toSubmit.isEmpty, chance(40) { return feed(.submitted(toSubmit.removeFirst())) }
    if isDialing {
      isDialing = false
      isOpen = true
      return feed(.opened(roundTrip: .zero))
    }
    if isOpen, chance(habits.closes) { return close() }
    // A relay that answers late names the event: otherwise no one could tell which one it means.
    if habits.leavesOutIDs == 0, chance(3) { return passTime() }
    if isOpen, let question = questions.indices.randomElement(using: &random) { return answer(questions.remove(at: question)) }
    if isOpen, let place = received.indices.randomElement(using: &random) { return answer(received.remove(at: place)) }
    passTime()
  }

  private mutating func passTime() {
    let order = timers.filter { $0 != .idle }.sorted { "\($0)" < "\($1)" }
    guard let timer = order.randomElement(using: &random) else { return }
    timers.remove(timer)
    feed(.timerFired(timer))
  }

  private mutating func answer(_ question: (name: String, id: String)) {
    if stored.contains(question.id), let event = events[question.id] {
      feed(.received(.event(subscription: question.name, event)))
    }
    feed(.received(.endOfStored(subscription: question.name)))
  }

  private mutating func answer(_ id: String) {
    if chance(habits.drops) { return }
    if chance(habits.limits) {
      return feed(.received(.ok(id: chance(habits.leavesOutIDs) ? "" : id, accepted: false, text: "rate-limited: slow")))
    }
    // The same event gets the same verdict each time.
    if (Int(id.prefix(6), radix: 16) ?? 0) % 100 < habits.refuses {
      return feed(.received(.ok(id: chance(habits.leavesOutIDs) ? "" : id, accepted: false, text: "blocked: \(id)")))
    }
    let isNew = stored.insert(id).inserted
    feed(.received(.ok(id: id, accepted: true, text: isNew ? "" : "duplicate: have it")))
  }

  private mutating func close() {
    lose()
    feed(.closed(code: 1006, reason: ""))
  }

  /// Messages in transit are lost with their connection.
  private mutating func lose() { (isOpen, received, questions) = (false, [], []) }

  private mutating func feed(_ event: PublisherMachine.Event) {
    let actions = machine.handle(event)
    log.append("\(event) -> \(actions)")
    for action in actions { perform(action) }
    if received.count > PublishingWindow.sizeMax { trouble = "\(received.count) events are under way" }
  }

  private mutating func perform(_ action: PublisherMachine.Action) {
    switch action {
    case .dial: isDialing = true
    case .hangUp: lose()
    case .send(let text): send(text)
    case .setTimer(let timer, _): timers.insert(timer)
    case .cancelTimer(let timer): timers.remove(timer)
    case .report(.outcome(let channel, _, _, let outcome)) where outcome.isFinal: judge(channel, outcome)
    case .report, .postpone, .expect, .own: break
    }
  }

  private mutating func send(_ text: String) {
    guard isOpen else { return trouble = "something is sent without a connection" }
    guard let message = try? JSONParser.parse(text).array, message.count > 1 else { return trouble = "not a message: \(text)" }
    switch message[0].string {
    case "EVENT": received.append(message[1]["id"]?.string ?? "")
    case "REQ":
      guard message.count > 2, let id = message[2]["ids"]?.array?.first?.string else { return trouble = "no question: \(text)" }
      questions.append((message[1].string ?? "", id))
    default: break
    }
  }

  private mutating func judge(_ channel: ChannelID, _ outcome: RelayOutcome) {
    guard let item = items.first(where: { $0.operation.channel == channel }) else { return trouble = "whose outcome is that?" }
    switch (finals[channel], outcome) {
    case (nil, _), (.troubled, .accepted): finals[channel] = outcome
    case (let before?, _): trouble = "channel \(channel): \(outcome) after \(before)"
    }
    switch outcome {
    case .accepted: if !stored.contains(item.eventID) { trouble = "channel \(channel) counts as taken, and is not" }
    case .refused(let refusal):
      if refusal.detail != "blocked: \(item.eventID)" {
        trouble = "channel \(channel) gets another's refusal: \(refusal.detail)"
      }
    default: break
    }
  }
}
