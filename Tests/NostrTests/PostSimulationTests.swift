import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Publishers of channels and posts against relays that answer late or never, refuse, limit the rate and close the connection, and
/// against owners who answer in any order whether a post may leave.
struct PostSimulationTests {
  @Test func nothingLeavesUnaskedAndEveryOutcomeIsTrue() { PostRun.expectNoTrouble(seeds: 1...300) }

  @Test func sameSeedGivesTheSameRun() { PostRun.expectSameRunOfSameSeed() }
}

/// One publisher, its owner and one relay.
private struct PostRun: SeededSession {
  private struct Key: Hashable {
    let post: Int64
    let number: Int
  }

  private struct Habits {
    /// In percent.
    let drops, refuses, limits, closes, forbids: Int
  }

  /// What was asked for, with the event: posts, some of them with their deletion or in a group, and now and then a channel.
  private static let all: [(item: SessionOperation, event: NostrEvent)] = (1...24 as ClosedRange<Int64>).flatMap { post in
    let isInGroup = post % 4 == 1
    var all = [
      isInGroup
        ? (makeGroupDelivery(.publish, post), makeGroupEvent(post, at: groupDate))
        : (makeDelivery(.publish, post), makePost(post))
    ]
    if post % 4 == 0 { all.append((makeDelivery(.withdraw, post, number: 2), makeDeletion(post))) }
    let channel = makeOperation(.invite, channel: post)
    if post % 6 == 0, let event = try? NostrEvent(json: JSONParser.parse(channel.operation.content.document)) {
      all.append((channel, event))
    }
    return all
  }
  /// When the posts of the group get their turns.
  private static let groupDate: Int64 = 7_000
  private static let events = Dictionary(uniqueKeysWithValues: all.map { ($0.event.id, $0.event) })
  private static let ids = Dictionary(
    uniqueKeysWithValues: all.compactMap { pair in key(pair.item).map { ($0, pair.event.id) } })
  private static let keys = Dictionary(uniqueKeysWithValues: ids.map { ($1, $0) })
  private static let channels = Dictionary(
    uniqueKeysWithValues: all.filter { $0.item.delivery == nil }.map { ($0.item.operation.channel, $0.event.id) })

  private static func key(_ item: SessionOperation) -> Key? {
    item.delivery.map { Key(post: $0.post.rawValue, number: $0.number) }
  }

  private var machine: PublisherMachine
  private var random: SplitMix64
  private let habits: Habits
  private var toSubmit = Self.all.map(\.item)
  /// Channels that were submitted and have no outcome, by the id of their event.
  private var open: Set<String> = []
  /// Events that the relay has received and not answered, and all that were sent over this connection.
  private var received: [String] = []
  private var sentNow: Set<String> = []
  private var questions: [(name: String, id: String)] = []
  private var stored: Set<String> = []
  private var timers: Set<PublisherMachine.Timer> = []
  private var isDialing = false
  private var isOpen = false
  /// Posts that were asked for, and those of them that were not answered yet.
  private var asked: Set<Key> = []
  private var turns: [Key] = []
  private var released: Set<Key> = []
  private var dropped: Set<Key> = []
  private var sentOnce: Set<Key> = []
  private var finals: [Key: DeliveryOutcome] = [:]
  private var channelFinals: [ChannelID: RelayOutcome] = [:]
  private(set) var log: [String] = []
  /// Violated rules.
  private(set) var trouble: String?

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: seed)
    func sometimes(_ values: [Int]) -> Int { values.randomElement(using: &random) ?? 0 }
    habits = Habits(
      drops: sometimes([0, 0, 5]), refuses: sometimes([0, 10, 40]), limits: sometimes([0, 0, 10]),
      closes: sometimes([0, 2, 5]), forbids: sometimes([0, 10]))
    self.random = random
  }

  private var isOver: Bool { finals.count + dropped.count + channelFinals.count == Self.all.count }

  mutating func run() {
    for _ in 1...5_000 where trouble == nil && !isOver { step() }
    if trouble == nil, !isOver { trouble = "some operations never end" }
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private mutating func step() {
    if !toSubmit.isEmpty, chance(40) {
      let item = toSubmit.removeFirst()
      if item.delivery == nil, let id = Self.channels[item.operation.channel] { open.insert(id) }
      return feed(.submitted(item))
    }
    if isDialing {
      isDialing = false
      isOpen = true
      return feed(.opened(roundTrip: .zero))
    }
    if isOpen, chance(habits.closes) {
      lose()
      return feed(.closed(code: 1006, reason: ""))
    }
    if chance(3) { return passTime() }
    if chance(50), answerTurn() { return }
    if isOpen, let question = questions.indices.randomElement(using: &random) { return answer(questions.remove(at: question)) }
    if isOpen, let place = received.indices.randomElement(using: &random) { return answer(received.remove(at: place)) }
    if !answerTurn() { passTime() }
  }

  private mutating func passTime() {
    let order = timers.filter { $0 != .idle }.sorted { "\($0)" < "\($1)" }
    guard let timer = order.randomElement(using: &random) else { return }
    timers.remove(timer)
    feed(.timerFired(timer))
  }

  /// The owner says whether one of the posts that were asked for may leave.
  private mutating func answerTurn() -> Bool {
    guard let place = turns.indices.randomElement(using: &random) else { return false }
    let key = turns.remove(at: place)
    let mayLeave = !chance(habits.forbids)
    if mayLeave { released.insert(key) } else if finals[key] == nil { dropped.insert(key) }
    feed(release(key.post, mayLeave, number: key.number))
    return true
  }

  private mutating func answer(_ question: (name: String, id: String)) {
    if stored.contains(question.id), let event = Self.events[question.id] {
      feed(.received(.event(subscription: question.name, event)))
    }
    feed(.received(.endOfStored(subscription: question.name)))
  }

  private mutating func answer(_ id: String) {
    if chance(habits.drops) { return }
    if chance(habits.limits) { return feed(.received(.ok(id: id, accepted: false, text: "rate-limited: slow"))) }
    // The same event gets the same verdict each time.
    if isRefused(id) { return feed(.received(.ok(id: id, accepted: false, text: "blocked: \(id)"))) }
    let isNew = stored.insert(id).inserted
    feed(.received(.ok(id: id, accepted: true, text: isNew ? "" : "duplicate: have it")))
  }

  private func isRefused(_ id: String) -> Bool { (Int(id.prefix(6), radix: 16) ?? 0) % 100 < habits.refuses }

  /// The answers in transit are lost with the connection; the relay may have the events.
  private mutating func lose() {
    for id in received where chance(50) && !isRefused(id) { stored.insert(id) }
    (isOpen, received, questions, sentNow) = (false, [], [], [])
  }

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
    case .report(.delivery(let post, _, let number, let outcome, let form)):
      let key = Key(post: post.rawValue, number: number)
      if (form != nil) != (outcome == .handedOver && post.rawValue % 4 == 1)
        || form.map(\.networkID) ?? Self.ids[key] != Self.ids[key]
      {
        trouble = "\(key) gets the form \(String(describing: form)) with \(outcome)"
      }
      judge(key, outcome)
    case .own(.date(let post, let number)): feed(.dated(post, number: number, at: Self.groupDate))
    case .own(.sign(let event, _)):
      // Now and then the commit takes too long.
      let age: Int64 = chance(10) ? 31 : 30
      feed(.signed(id: event.id, text: Self.events[event.id]?.text, at: event.createdAt + age))
    case .report(.outcome(let channel, _, _, let outcome)) where outcome.isFinal:
      channelFinals[channel] = outcome
      if let id = Self.channels[channel] { open.remove(id) }
    case .report, .postpone, .expect, .own: break
    }
  }

  private mutating func send(_ text: String) {
    guard isOpen else { return trouble = "something is sent without a connection" }
    guard let message = try? JSONParser.parse(text).array, message.count > 1 else { return trouble = "not a message: \(text)" }
    switch message[0].string {
    case "EVENT":
      let id = message[1]["id"]?.string ?? ""
      received.append(id)
      sentNow.insert(id)
      if let key = Self.keys[id] { check(key) }
    case "REQ":
      guard message.count > 2, let id = message[2]["ids"]?.array?.first?.string else { return trouble = "no question: \(text)" }
      questions.append((message[1].string ?? "", id))
    default: break
    }
  }

  private func isDone(_ key: Key) -> Bool { finals[key] != nil || dropped.contains(key) }

  /// Checks whether an event that leaves may leave now.
  private mutating func check(_ key: Key) {
    if !open.isSubset(of: sentNow) { trouble = "\(key) goes before a channel" }
    guard key.number == 1 else {
      if !isDone(Key(post: key.post, number: 1)) { trouble = "\(key) overtakes its post" }
      return
    }
    if !released.contains(key) { trouble = "\(key) leaves without having been released" }
    guard sentOnce.insert(key).inserted else { return }
    for post in 1..<key.post where !sentOnce.contains(Key(post: post, number: 1)) && !isDone(Key(post: post, number: 1)) {
      trouble = "\(key) overtakes post \(post)"
    }
  }

  private mutating func judge(_ key: Key, _ outcome: DeliveryOutcome) {
    guard let id = Self.ids[key] else { return trouble = "whose outcome is that?" }
    if dropped.contains(key) { trouble = "\(key) was dropped, and then: \(outcome)" }
    switch outcome {
    case .handedOver:
      if !asked.insert(key).inserted || key.number != 1 { trouble = "\(key) is asked for again" }
      turns.append(key)
      return
    case .accepted, .withdrawn: if !stored.contains(id) { trouble = "\(key) counts as taken, and is not" }
    case .refused(let refusal): if refusal.detail != "blocked: \(id)" { trouble = "\(key) gets another's refusal" }
    case .troubled(let why, _):
      if why.cause == .rateLimited, stored.contains(id) { trouble = "\(key) is there, and counts as not taken for certain" }
    case .verified, .missing, .skipped: trouble = "\(key): \(outcome)"
    }
    switch (finals[key], outcome) {
    case (nil, _), (.troubled, .accepted), (.troubled, .withdrawn): finals[key] = outcome
    case (let before?, _): trouble = "\(key): \(outcome) after \(before)"
    }
  }
}
