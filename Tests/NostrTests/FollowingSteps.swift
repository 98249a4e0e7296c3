import Channels
import RelayNetwork
import StrictJSON

@testable import Nostr
@testable import Sandbox

/// A session that follows channels, and the relay at its other end, both in memory.
struct FollowingDesk {
  /// A REQ that the relay has not answered.
  struct Request {
    let name: String
    let filters: [JSONValue]
  }

  var machine: FollowerMachine
  /// What the relay holds.
  var stored: [NostrEvent] = []
  /// The number of events that the relay serves at once for one filter, whatever it is asked for.
  var cap = 500
  /// Whether `until` and `since` leave out their own second.
  var isExclusive = false
  var now: Int64 = FollowingDesk.noon
  /// Whether batches are taken as they come.
  var takes = true
  /// Whether the relay answers.
  var isMute = false
  /// The relay's words about a REQ that it refuses.
  var refusal: (Request) -> String? = { _ in nil }

  /// Whether the relay does not answer a REQ.
  var ignores: (Request) -> Bool = { _ in false }

  private(set) var isDialing = false
  private(set) var isOpen = false
  private(set) var requests: [Request] = []
  private(set) var pending: [Request] = []
  /// Subscriptions at the relay, by name.
  private(set) var subscriptions: [String: [JSONValue]] = [:]
  private(set) var timers: [FollowerMachine.Timer: Duration] = [:]
  private(set) var batches: [MessageBatch] = []
  private(set) var untaken: [MessageBatch.ID] = []
  private(set) var syncs: [(channel: Int64, outcome: MessageSync)] = []
  private(set) var searches: [(number: Int, outcome: RelaySearchOutcome)] = []
  /// Questions for messages that were not served, which wait for their answers.
  private(set) var questions: [MessageInventory] = []
  /// The names of messages that are stored, and of reactions.
  var known: Set<String> = []
  var knownReactions: Set<String> = []
  /// All reports, in order.
  private(set) var reports: [NetworkReport] = []
  private(set) var credit = 0

  static let noon: Int64 = 1_800_000_000
  static let relay = RelayID(rawValue: 1)

  init(limits: NostrLimits = NostrLimits()) {
    machine = FollowerMachine(relay: Self.relay, limits: limits, salt: 1, batch: 100)
  }

  /// A desk with an open connection that follows these channels, and has read what there is.
  static func following(_ channels: [ChannelReading], stored: [NostrEvent] = []) -> FollowingDesk {
    var desk = FollowingDesk()
    desk.stored = stored
    for channel in channels { desk.feed(.follow(channel)) }
    desk.connect()
    desk.settle()
    return desk
  }

  var news: [MessageNews] { batches.flatMap(\.news) }
  var texts: [String] { news.compactMap { if case .message(let message) = $0.what { message.text } else { nil } } }
  var deletions: [String] {
    news.compactMap { if case .deleted(let id, _) = $0.what { id } else { nil } }
  }
  var reactions: [ReadReaction] { news.compactMap { if case .reaction(let reaction) = $0.what { reaction } else { nil } } }

  // MARK: - Steps

  mutating func feed(_ event: FollowerMachine.Event) {
    if case .dialFailed = event { isDialing = false }
    for action in machine.handle(event) { perform(action) }
  }

  /// The connection that was asked for opens.
  mutating func connect() {
    guard isDialing else { return }
    (isDialing, isOpen) = (false, true)
    feed(.opened(roundTrip: .zero))
  }

  mutating func lose() {
    forget()
    feed(.closed(code: 1006, reason: ""))
  }

  mutating func fire(_ timer: FollowerMachine.Timer) {
    guard timers.removeValue(forKey: timer) != nil else { return }
    feed(.timerFired(timer))
  }

  /// Time passes for the session.
  mutating func pass(ticks: Int) {
    for _ in 0..<ticks {
      now += 5
      fire(.tick)
      settle()
    }
  }

  /// Lets the relay answer and the reader take, until there is nothing to do.
  mutating func settle() {
    for _ in 0..<100_000 {
      if takes, let batch = untaken.first {
        untaken.removeFirst()
        feed(.took(batch.number))
      } else if takes, !questions.isEmpty {
        answerQuestion()
      } else if !isMute, let next = pending.first {
        pending.removeFirst()
        answer(next)
      } else {
        return
      }
    }
    preconditionFailure("the session comes to no end")
  }

  mutating func answer(_ request: Request) {
    guard isOpen, subscriptions[request.name] != nil else { return }
    guard !ignores(request) else {
      subscriptions[request.name] = nil
      return
    }
    if let text = refusal(request) {
      subscriptions[request.name] = nil
      return feed(.received(.closed(subscription: request.name, text: text)))
    }
    var sent: Set<String> = []
    for filter in request.filters.compactMap({ EventFilter($0) }) {
      let matching = stored.filter {
        filter.matches($0) && !(isExclusive && [filter.until, filter.since].contains($0.createdAt))
      }
      for event in filter.newest(matching).prefix(cap) where sent.insert(event.id).inserted {
        feed(.received(.event(subscription: request.name, event)))
      }
    }
    feed(.received(.endOfStored(subscription: request.name)))
  }

  /// The relay answers the oldest REQ that waits, and the reader takes what comes.
  /// - Parameter events: what it serves; `nil` for what it holds.
  mutating func answerFirst(_ request: Request, with events: [NostrEvent]? = nil) {
    pending.removeFirst()
    guard let events else {
      answer(request)
      return takeAll()
    }
    for event in events { feed(.received(.event(subscription: request.name, event))) }
    feed(.received(.endOfStored(subscription: request.name)))
    takeAll()
  }

  /// The relay answers a REQ that waits, or refuses it.
  mutating func answerOne(_ request: Request) {
    pending.removeAll { $0.name == request.name }
    answer(request)
  }

  mutating func refuse(_ request: Request, with text: String) {
    pending.removeAll { $0.name == request.name }
    guard subscriptions.removeValue(forKey: request.name) != nil else { return }
    feed(.received(.closed(subscription: request.name, text: text)))
  }

  private mutating func takeAll() {
    while !untaken.isEmpty { take() }
    while !questions.isEmpty { answerQuestion() }
  }

  /// Says which of the known messages the relay has not served, and which reactions are known.
  mutating func answerQuestion() {
    let question = questions.removeFirst()
    let names = StoredNames(messages: known.subtracting(question.served).sorted(), reactions: knownReactions.sorted())
    feed(.lacks(names, question.channel, number: question.number))
  }

  /// The relay gets an event, and sends it to everyone who subscribed to it.
  mutating func publish(_ event: NostrEvent) {
    stored.append(event)
    for (name, filters) in subscriptions.sorted(by: { $0.key < $1.key })
    where filters.contains(where: { EventFilter($0)?.matches(event) ?? false }) {
      feed(.received(.event(subscription: name, event)))
    }
  }

  /// Takes the oldest batch that is not taken.
  mutating func take() {
    guard !untaken.isEmpty else { return }
    feed(.took(untaken.removeFirst().number))
  }

  private mutating func forget() { (isOpen, subscriptions, pending) = (false, [:], []) }

  private mutating func perform(_ action: FollowerMachine.Action) {
    switch action {
    case .dial: isDialing = true
    case .hangUp: forget()
    case .send(let text): send(text)
    case .expect(let frames, _): credit += frames
    case .own(.tellTime): feed(.time(now))
    case .setTimer(let timer, let after): timers[timer] = after
    case .cancelTimer(let timer): timers[timer] = nil
    case .report(let report):
      reports.append(report)
      switch report {
      case .read(let batch):
        batches.append(batch)
        untaken.append(batch.id)
      case .synced(let channel, _, let outcome): syncs.append((channel.rawValue, outcome))
      case .served(let inventory): questions.append(inventory)
      case .searched(_, _, let number, let outcome): searches.append((number, outcome))
      default: break
      }
    case .postpone: preconditionFailure("a follower is given no operations")
    }
  }

  private mutating func send(_ text: String) {
    guard isOpen, let parts = try? JSONParser.parse(text).array, parts.count > 1, let name = parts[1].string else { return }
    switch parts[0].string {
    case "REQ":
      let request = Request(name: name, filters: Array(parts.dropFirst(2)))
      requests.append(request)
      pending.append(request)
      subscriptions[name] = request.filters
    case "CLOSE": subscriptions[name] = nil
    default: preconditionFailure("a reader asks and closes, nothing else")
    }
  }
}

extension FollowingDesk.Request {
  /// The values of a tag that it asks for.
  func values(_ tag: String) -> [String] { filters.flatMap { $0["#" + tag]?.array?.compactMap(\.string) ?? [] } }
  var isLive: Bool { name.hasPrefix("fl") }
  var isPage: Bool { name.hasPrefix("fh") }
  var isForMarks: Bool { filters.contains { $0["kinds"]?.array?.contains(5) ?? false && $0["#e"] != nil } }
}

/// People and what they say in these tests.
enum Saying {
  static let alice = SecretKey.random()
  static let bob = SecretKey.random()

  /// The event of a channel with this number, which is that of no event.
  static func name(_ number: Int64) -> String { PostSamples.key(number: Int(number)) }

  static func channel(_ number: Int64, window: MessageWindow = MessageWindow()) -> ChannelReading {
    let content = ChannelContent(
      identity: NetworkBench.identityID, networkID: name(number), trustAnchor: sessionKey.publicKey, document: "{}")
    return ChannelReading(
      FollowedChannel(id: ChannelID(rawValue: number), content: content, relays: [:], window: window),
      identityKey: PostSamples.owner)
  }

  static func group(_ number: Int64) -> ChannelReading {
    let content = ChannelContent(
      kind: .group, identity: NetworkBench.identityID, networkID: "club\(number)", trustAnchor: PostSamples.carol,
      document: "{}")
    return ChannelReading(
      FollowedChannel(id: ChannelID(rawValue: number), content: content, relays: [:]), identityKey: sessionKey.publicKey)
  }

  static func event(
    _ kind: Int, _ tags: [[String]], _ content: String = "", at date: Int64 = FollowingDesk.noon - 100,
    by key: SecretKey = alice
  ) -> NostrEvent {
    guard let event = NostrEvent(signedBy: key, createdAt: date, kind: kind, tags: tags, content: content) else {
      preconditionFailure("the event must be signable")
    }
    return event
  }

  static func message(
    _ text: String, in channel: Int64 = 1, at date: Int64 = FollowingDesk.noon - 100, by key: SecretKey = alice
  ) -> NostrEvent {
    event(42, [["e", name(channel), "", "root"]], text, at: date, by: key)
  }

  static func reaction(_ text: String, to target: NostrEvent, by key: SecretKey = bob) -> NostrEvent {
    event(7, [["e", target.id], ["p", target.publicKey]], text, by: key)
  }

  static func deletion(of targets: [NostrEvent], by key: SecretKey = alice) -> NostrEvent {
    event(5, targets.map { ["e", $0.id] }, by: key)
  }
}
