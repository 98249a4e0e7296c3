internal import Channels
internal import RelayNetwork
internal import Storage

/// The name of an alarm: an action for posts that is due at a certain time.
enum PostAlarm: AlarmName {
  /// An operation under way has reached its time limit.
  case timeout(PostID, RelayID)
  case lane(RelayID)
  case recovery
  case upkeep
  /// A scheduled post may be due.
  case schedules
  /// Relays may have to be compared.
  case compare
  /// A comparison takes too long, or waits for room.
  case comparison(RelayID)
  /// Posts may be beyond the retention of their channels.
  case forgetting

  var rank: (kind: Int, first: Int64, second: Int64) {
    switch self {
    case .timeout(let post, let relay): (0, post.rawValue, relay.rawValue)
    case .lane(let relay): (1, relay.rawValue, 0)
    case .recovery: (2, 0, 0)
    case .upkeep: (3, 0, 0)
    case .schedules: (4, 0, 0)
    case .compare: (5, 0, 0)
    case .comparison(let relay): (6, relay.rawValue, 0)
    case .forgetting: (7, 0, 0)
    }
  }
}

/// Decides about posts. Like `Decider` it is a value that cannot act. `PostEngine` drives it.
///
/// In memory are only the posts that have an operation under way or will soon. All others sleep in the store, which is the queue: a lane
/// for each relay reads due posts from it, up to the number of operations that the relay has shown it can handle.
///
/// Nothing is decided during a commit, so there are no layers: the state in memory is durable, or is being decided. If a commit fails, the
/// posts that it changed are forgotten and read again. During a commit requests gather, and share the next one.
struct PostDecider {
  typealias Input = PostInput

  /// A post that is awake.
  struct Awake: Equatable {
    struct Delivery: Equatable {
      let relay: RelayID
      var machine: DeliveryMachine
      var hasDeparted: Bool
    }
    var row: PostRow
    /// In the order of their relays.
    var deliveries: [Delivery]

    func place(of relay: RelayID) -> Int? { deliveries.firstIndex { $0.relay == relay } }

    func machine(at relay: RelayID) -> DeliveryMachine? { place(of: relay).map { deliveries[$0].machine } }

    var stored: StoredPost {
      StoredPost(
        row: row,
        deliveries: deliveries.map {
          DeliveryRow(relay: $0.relay, record: DeliveryRecord($0.machine), hasDeparted: $0.hasDeparted)
        })
    }
  }

  /// The unchangeable properties of a channel.
  struct Known: Equatable {
    let network: NetworkKind
    let content: ChannelContent
  }

  /// The slots of the channels for whose posts it acts. Posts in other slots belong to other daemons and are never awake here.
  var slots: SlotSet
  let policy: DeliveryPolicy
  let upkeep: UpkeepPolicy?
  var counters: PostCounters
  /// The durable counters.
  var durable: PostCounters
  var awake: [PostID: Awake] = [:]
  var known: [ChannelID: Known] = [:]
  var lanes: [RelayID: PostLane] = [:]
  var comparisons = PostComparisons()
  var alarms = AlarmTable<PostAlarm>()
  /// Posts that cannot be read or stored, and their known channels. They are skipped until their slot is gained, or until the next start.
  var leftAlone: [PostID: ChannelID?] = [:]
  /// Posts whose last change could not be stored, and which are read again.
  var recovering: Set<PostID> = []
  /// Inputs that could not be decided or stored, and are decided again, each once.
  var postponed: [PostInput] = []
  /// Why storage does not work. `nil` if it does.
  var trouble: String?
  var open = PostDecision()
  var flight: PostDecision?
  /// Whether a commit failed that may be durable anyway.
  var isDoubtful = false
  /// Whether old history is due to be removed.
  var isUpkeepDue = false
  /// Why storage refuses to forget old history. `nil` if it does not.
  var upkeepRefusal: String?
  /// The relays and their addresses, as of the latest decision.
  var relays: [RelayID: RelayRow] = [:]
  var now: Timestamp
  /// The time of day, as of the latest decision.
  var timeOfDay: Timestamp
  /// Scheduled posts that are being given their form.
  var composing: Set<PostID> = []
  /// Whether more scheduled posts are due than were handled.
  var hasMoreDue = false
  /// Why due posts could not be published immediately. They are tried again until their deadline.
  var scheduleTroubles: [PostID: String] = [:]
  /// The state of the walk along the posts beyond their retention.
  var forgetting = PostForgetting()
  /// How long the daemon was off, and since when.
  var absence: (span: Duration, since: Timestamp)?

  /// The wait before posts that could not be stored are read again.
  static let recoveryWait = Duration.seconds(1)
  static let upkeepInterval = Duration.seconds(600)
  static let historyPerUpkeep = 10_000
  /// The maximum number of channels in memory.
  static let knownMax = 10_000
  /// The maximum number of skipped posts that are passed over to find others.
  static let passedOverMax = 10_000

  init(slots: SlotSet = .all, policy: DeliveryPolicy, upkeep: UpkeepPolicy?, counters: PostCounters, now: Timestamp) {
    self.slots = slots
    self.policy = policy
    self.upkeep = upkeep
    self.counters = counters
    durable = counters
    self.now = now
    timeOfDay = now
    if upkeep != nil { alarms.set(.upkeep, at: now + Self.upkeepInterval) }
  }
}

extension PostDecider: Deciding {
  var openCount: Int { open.inputCount }
  var isOpen: Bool { open.inputCount > 0 }

  var doubtfulness: String? {
    isDoubtful ? "it is not known whether the last changes of posts were stored, so the database is asked again" : nil
  }

  /// The state in memory must be durable before a decision is based on it.
  func needsRest(_ input: PostInput) -> Bool { true }

  mutating func unfold(_ inputs: [PostInput], at now: Timestamp) -> [PostInput] {
    guard inputs.contains(.timersDue) else { return inputs }
    var unfolded = inputs.filter { $0 != .timersDue }
    for alarm in alarms.take(at: now) {
      switch alarm {
      case .timeout(let post, let relay): unfolded.append(.timeout(post, relay))
      case .lane(let relay): unfolded.append(.serve(relay))
      case .recovery:
        unfolded.append(.recover(recovering.sorted()))
        var seen: Set<PostInput> = []
        unfolded += postponed.filter { seen.insert($0).inserted }
        postponed = []
      case .upkeep:
        unfolded.append(.forgetHistory)
        alarms.set(.forgetting, noLaterThan: now)
      case .schedules: unfolded.append(.lookAtSchedules)
      case .compare: unfolded.append(.compare)
      case .comparison(let relay): unfolded.append(.reconcile(relay))
      case .forgetting: unfolded.append(.forgetPosts)
      }
    }
    return unfolded
  }

  func reads(for inputs: [PostInput], at now: Timestamp) -> PostReads {
    var reads = PostReads()
    (reads.now, reads.slots) = (now, slots)
    for input in inputs {
      for id in input.posts where awake[id] == nil && leftAlone[id] == nil { reads.posts.insert(id) }
      switch input {
      case .publish(let new, _):
        reads.channels.insert(new.request.channel)
        if let key = new.request.idempotencyKey { reads.keys.insert(key) }
        if let reaction = new.request.reaction ?? new.request.membership { reads.reactions.insert(reaction) }
        if new.signedAt != nil { reads.names.insert(new.name) }
      case .membershipChanged(let channel): reads.channels.insert(channel)
      case .walk(let channel, let relay):
        reads.channels.insert(channel)
        reads.pages.insert(PostReads.Page(channel: channel, relay: relay))
      case .serve(let relay), .relayUp(let relay), .outcome(_, let relay, _, _, _):
        ask(for: relay, input, &reads, at: now)
      case .composed(_, let channel, _): reads.channels.insert(channel)
      case .lookAtSchedules: reads.schedules = schedulesLimit
      case .compare, .compared, .reconcile, .doubted: askToCompare(input, &reads, at: now)
      case .setRetention(let retention, _): reads.channels.insert(retention.channel)
      case .forgetPosts: reads.toForget = PostReads.ToForget(place: forgetting.place, counted: forgetting.counted)
      case .timersDue, .delete, .edit, .retry, .cancel, .release, .rewrite, .replace, .takeUp, .lost, .resumed, .barrier,
        .timeout,
        .recover, .forgetHistory:
        break
      case .gained(let some): reads.gained = (reads.gained ?? .none).union(some)
      }
    }
    return reads
  }

  /// Reads posts that wait for a relay, if its lane has room and no posts ready.
  private func ask(for relay: RelayID, _ input: PostInput, _ reads: inout PostReads, at now: Timestamp) {
    var lane = lanes[relay] ?? PostLane()
    lane.awakened(at: now)
    let room = lane.room(at: now)
    guard case .serve = input, room > 0, !lane.hasReady else { return }
    if lane.returning.isUnderWay {
      reads.returned[relay] = (lane.returning.after, room)
    } else if lane.isHungry {
      reads.due[relay] = dueLimit
    }
  }

  /// The number of due posts per read, because skipped posts may come before others.
  var dueLimit: Int { PostLane.readyMax + min(leftAlone.count, Self.passedOverMax) }

  private func askToCompare(_ input: PostInput, _ reads: inout PostReads, at now: Timestamp) {
    switch input {
    case .compare where comparisons.room > 0:
      reads.comparable = comparisons.unavailable(at: now)
      reads.comparedBefore = comparisons.waiting(at: now)
    case .compared(let channel, _, _, .failed), .doubted(let channel, _): reads.routed.insert(channel)
    case .reconcile(let relay):
      guard let current = comparisons.underWay[relay] else { return }
      reads.routed.insert(current.channel)
      if current.served != nil { reads.reconciled[PostReads.Page(channel: current.channel, relay: relay)] = current.cursor }
    default: return
    }
  }

  mutating func decide(_ inputs: [PostInput], _ facts: PostFacts, at now: Timestamp) {
    self.now = now
    timeOfDay = facts.timeOfDay
    learn(facts)
    if !facts.relays.isEmpty { follow(facts.relays) }
    // Storage's lists of lanes and schedules preceded these decisions.
    for input in inputs.filter(\.isServing) + inputs.filter({ !$0.isServing }) {
      open.inputCount += 1
      handle(input, facts)
    }
    for relay in open.touchedLanes.sorted() { serve(relay) }
    open.touchedLanes = []
    followReplacements()
  }

  mutating func letGo(_ decision: PostDecision, after effects: PostEffects) {
    letSleep(decision.seen)
    guard known.count > Self.knownMax else { return }
    let channels = Set(awake.values.map(\.row.channel))
    known = known.filter { channels.contains($0.key) }
  }

  /// Forgets posts that are in no lane.
  mutating func letSleep(_ posts: Set<PostID>) {
    for id in posts where awake[id] != nil && !open.seen.contains(id) && flight?.seen.contains(id) != true {
      guard let post = awake[id], !post.deliveries.contains(where: { lanes[$0.relay]?.holds(id) == true }) else { continue }
      awake[id] = nil
    }
  }

  // MARK: - Answers of storage

  private mutating func learn(_ facts: PostFacts) {
    known.merge(facts.contents) { _, new in new }
    for (id, channel) in facts.channels { known[id] = Known(network: channel.row.network, content: channel.row.content) }
    if let trouble = facts.trouble { open.effects.journal += storageFailed(trouble) }
    for (id, error) in facts.posts.unreadable { leaveAlone(id, in: nil, error.description) }
    for (id, stored) in facts.posts.found
    where awake[id] == nil && leftAlone[id] == nil && slots.contains(stored.row.channel) {
      guard known[stored.row.channel] != nil else {
        leaveAlone(id, in: stored.row.channel, "channel \(stored.row.channel.rawValue) is unreadable")
        continue
      }
      awake[id] = wake(stored)
      open.seen.insert(id)
    }
  }

  private mutating func leaveAlone(_ id: PostID, in channel: ChannelID?, _ reason: String) {
    guard leftAlone.updateValue(channel, forKey: id) == nil else { return }
    open.effects.journal.append(
      JournalEntry(
        event: .quarantined, level: .error, message: "post \(id.rawValue) is skipped: \(reason)",
        fields: ["BATON_POST": "\(id.rawValue)"], isHeard: true))
  }

  /// A post as it is stored.
  private func wake(_ stored: StoredPost) -> Awake {
    Awake(
      row: stored.row,
      deliveries: stored.deliveries.compactMap { delivery in
        guard
          let machine = delivery.record.machine(
            salt: Self.salt(stored.row.id, delivery.relay), edition: stored.row.edition)
        else { return nil }
        return Awake.Delivery(relay: delivery.relay, machine: machine, hasDeparted: delivery.hasDeparted)
      })
  }

  /// Makes the jitter of deliveries differ.
  static func salt(_ post: PostID, _ relay: RelayID) -> UInt64 {
    UInt64(bitPattern: post.rawValue) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: relay.rawValue)
  }
}
