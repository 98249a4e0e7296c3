import Channels
import Cluster
import TestTools

/// Several daemons that share one database, over a network that loses and delays, with clocks that run at different speeds. The daemons are
/// the machines; the shell around them and the database are written here once more, and know nothing of how the machines decide.
struct ClusterSimulation {
  struct Faults {
    /// How many of a hundred answers are lost, and questions take long.
    var lossy = 0
    /// How often, on average, something happens to a daemon: it crashes and starts again, or sleeps. `nil` for never.
    var troubleEvery: Duration?
    /// Whether the database goes away now and then.
    var hasOutages = false
    /// When faults end.
    var until = Duration.seconds(60)
  }

  /// What happened, for a sanity check of the simulation itself.
  struct Tally {
    var sessions = 0
    var takenOver = 0
    var releases = 0
    var suspensions = 0
    var pauses = 0
    var crashes = 0
    var outages = 0
    var late = 0
  }

  static let slots = 24
  static let pinnable = 20..<24
  static let poll = Duration.milliseconds(500)
  static let deadline = Duration.milliseconds(1_500)
  static let lifetime = Duration.seconds(5)

  // MARK: - The database

  private struct Row {
    let node: Int
    var expires: Duration
  }

  private struct Database {
    var rows: [SessionMachine.ID: Row] = [:]
    var owners = [SessionMachine.ID?](repeating: nil, count: slots)
    /// The daemons to which slots are pinned.
    var cores = [Int?](repeating: nil, count: slots)
    var next: SessionMachine.ID = 1
    var isUp = true
    /// The newest connection of each run of a daemon. What arrives on older ones is not done: a new one ends them first.
    var connections: [Int: Int] = [:]
  }

  private enum Question {
    case session(SessionMachine.Question)
    case look(SessionMachine.ID)
    case step(SessionMachine.ID, BalanceMachine.Step)
  }

  private enum Answer {
    case began(SessionMachine.ID)
    case renewed
    case gone
    case view(BalanceMachine.View)
    case took([Int])
    case done
  }

  // MARK: - A daemon

  private struct Node {
    let name: Int
    /// How fast its clock runs.
    let rate: Double
    var run = 0
    var session: SessionMachine
    var balance = BalanceMachine(.init())
    /// The slots on which it acts while its session is trusted, a bit for each.
    var owned: UInt64 = 0
    var view: BalanceMachine.View?
    /// The number of the question under way.
    var asked: Int?
    /// A question about the session that comes next, and the number of the one under way.
    var waiting: SessionMachine.Question?
    var askedSession: SessionMachine.Number?
    var connection = 0
    var lookAt = Duration.zero
    var alarm = 0
    var isUp = true
    var sleepsUntil: Duration?

    func now(_ time: Duration) -> Duration { time * rate }
    func acts(_ time: Duration) -> Bool { isUp && sleepsUntil == nil && session.isTrusted(at: now(time)) }
  }

  private enum Event {
    /// The last alarm that a daemon has set.
    case wake(node: Int, run: Int, alarm: Int)
    case arrives(node: Int, run: Int, number: Int, connection: Int, Question)
    case answers(node: Int, run: Int, number: Int, Question, Answer)
    case tooLate(node: Int, run: Int, number: Int)
    case trouble
    case starts(node: Int)
    case wakesUp(node: Int)
    case database(isUp: Bool)
  }

  private var random: SplitMix64
  private var faults: Faults
  private var time = Duration.zero
  private var events: [(at: Duration, event: Event)] = []
  private var numbers = 0
  private var runs = 0
  private var database = Database()
  private var nodes: [Node] = []
  /// The daemons with a chat core.
  private let cores: Set<Int>
  private(set) var tally = Tally()
  private(set) var violations: [String] = []
  /// The slots on which someone acts, a bit for each, and since when the others have no one.
  private var wasActing: UInt64 = 0
  private var idleSince = [Duration](repeating: .zero, count: slots)
  /// The longest time that a slot had no one until someone acted on it again.
  private(set) var idleMax = Duration.zero

  init(seed: UInt64, nodes count: Int, cores: Set<Int> = [], _ faults: Faults) {
    self.cores = cores
    random = SplitMix64(seed: seed)
    self.faults = faults
    for name in 0..<count {
      let rate = 1 + Double(Int.random(in: -90...90, using: &random)) / 1_000
      runs += 1
      var node = Node(name: name, rate: rate, session: SessionMachine(.init(lifetime: Self.lifetime), now: .zero))
      node.run = runs
      nodes.append(node)
      put(.milliseconds(Int.random(in: 0...800, using: &random)), .wake(node: name, run: runs, alarm: 0))
    }
    if faults.troubleEvery != nil { scheduleTrouble() }
  }

  private mutating func put(_ wait: Duration, _ event: Event) {
    let at = time + max(wait, .zero)
    // The next one stands last; of two at one moment the one that was put first.
    var (low, high) = (0, events.count)
    while low < high {
      let middle = (low + high) / 2
      if events[middle].at > at { low = middle + 1 } else { high = middle }
    }
    events.insert((at, event), at: low)
  }

  /// Lets this much time pass.
  mutating func pass(_ span: Duration) {
    let end = time + span
    while let next = events.last, next.at <= end {
      events.removeLast()
      time = next.at
      check()
      happen(next.event)
      check()
      if violations.count > 3 { return }
    }
    time = end
    check()
  }

  // MARK: - What must hold

  private mutating func check() {
    var acting: UInt64 = 0
    for node in nodes where node.acts(time) {
      if acting & node.owned != 0 {
        violations.append("\(time): two act on the slots \(acting & node.owned), one is \(node.name)")
      }
      acting |= node.owned
    }
    guard acting != wasActing else { return }
    for slot in 0..<Self.slots {
      let (isNow, was) = (acting >> UInt64(slot) & 1 == 1, wasActing >> UInt64(slot) & 1 == 1)
      if isNow, !was { idleMax = max(idleMax, time - idleSince[slot]) }
      if was, !isNow { idleSince[slot] = time }
    }
    wasActing = acting
  }

  /// Forgets how long slots had no one until now.
  mutating func countIdleFromNow() {
    (idleSince, idleMax) = ([Duration](repeating: time, count: Self.slots), .zero)
  }

  /// The longest time that a slot has had no one who acts on it, of those that have no one now.
  var idleNow: Duration {
    (0..<Self.slots).filter { wasActing >> UInt64($0) & 1 == 0 }.map { time - idleSince[$0] }.max() ?? .zero
  }

  private static func bits(_ slots: [Int]) -> UInt64 { slots.reduce(0) { $0 | 1 << UInt64($1) } }

  /// How many slots each daemon acts on, of those that are not pinned.
  var shares: [Int] {
    nodes.map { node in
      node.acts(time) ? (0..<Self.slots).count { database.cores[$0] == nil && node.owned >> UInt64($0) & 1 == 1 } : 0
    }
  }

  /// The daemons that act on slots that are pinned to them, and on none that are pinned to others.
  var coresServed: [Int] {
    nodes.filter { node in
      let own = Self.bits((0..<Self.slots).filter { database.cores[$0] == node.name })
      let others = Self.bits((0..<Self.slots).filter { database.cores[$0].map { $0 != node.name } ?? false })
      return node.acts(time) && own != 0 && node.owned & own == own && node.owned & others == 0
    }.map(\.name)
  }

  mutating func crash(_ node: Int, startsAfter wait: Duration?) {
    nodes[node].isUp = false
    nodes[node].sleepsUntil = nil
    tally.crashes += 1
    if let wait { put(wait, .starts(node: node)) }
  }

  // MARK: - Events

  private mutating func happen(_ event: Event) {
    switch event {
    case .wake(let name, let run, let alarm): if isAwake(name, run), nodes[name].alarm == alarm { work(name, .time) }
    case .arrives(let name, let run, let number, let connection, let question):
      arrive(name, run, number, connection, question)
    case .answers(let name, let run, let number, let question, let answer):
      guard nodes[name].run == run, nodes[name].isUp else { return }
      if let end = nodes[name].sleepsUntil { return put(end - time + .milliseconds(1), event) }
      guard nodes[name].asked == number else { return }
      nodes[name].asked = nil
      take(name, question, answer)
    case .tooLate(let name, let run, let number):
      guard nodes[name].run == run, nodes[name].isUp, nodes[name].asked == number else { return }
      if let end = nodes[name].sleepsUntil { return put(end - time + .milliseconds(1), event) }
      // The connection is given up; what was asked may still be done.
      (nodes[name].asked, nodes[name].view) = (nil, nil)
      nodes[name].connection += 1
      if let number = nodes[name].askedSession {
        nodes[name].askedSession = nil
        work(name, .unanswered(number))
      } else {
        work(name, .time)
      }
    case .trouble: trouble()
    case .starts(let name):
      runs += 1
      nodes[name] = Node(
        name: name, rate: nodes[name].rate, run: runs,
        session: SessionMachine(.init(lifetime: Self.lifetime), now: nodes[name].now(time)))
      work(name, .time)
    case .wakesUp(let name):
      nodes[name].sleepsUntil = nil
      work(name, .time)
    case .database(let isUp): database.isUp = isUp
    }
  }

  private func isAwake(_ name: Int, _ run: Int) -> Bool {
    nodes[name].run == run && nodes[name].isUp && nodes[name].sleepsUntil == nil
  }

  private mutating func scheduleTrouble() {
    guard let every = faults.troubleEvery else { return }
    put(.milliseconds(Int.random(in: 0...Int(2_000 * every.components.seconds), using: &random)), .trouble)
  }

  private mutating func trouble() {
    guard time < faults.until else { return }
    defer { scheduleTrouble() }
    let name = Int.random(in: 0..<nodes.count, using: &random)
    let span = Duration.milliseconds(Int.random(in: 0...12_000, using: &random))
    switch Int.random(in: 0..<(faults.hasOutages ? 3 : 2), using: &random) {
    case 0 where nodes[name].isUp && nodes[name].sleepsUntil == nil: crash(name, startsAfter: span)
    case 1 where nodes[name].isUp && nodes[name].sleepsUntil == nil:
      nodes[name].sleepsUntil = time + span
      tally.pauses += 1
      put(span, .wakesUp(node: name))
    case 2 where database.isUp:
      database.isUp = false
      tally.outages += 1
      put(span / 2, .database(isUp: true))
    default: break
    }
  }

  // MARK: - The shell of a daemon

  private mutating func work(_ name: Int, _ input: SessionMachine.Input) {
    let now = nodes[name].now(time)
    let (changes, question) = nodes[name].session.handle(input, at: now)
    for change in changes {
      switch change {
      case .began:
        tally.sessions += 1
        (nodes[name].owned, nodes[name].view) = (0, nil)
      case .ended: (nodes[name].owned, nodes[name].view) = (0, nil)
      case .suspended: tally.suspensions += 1
      case .resumed: break
      }
    }
    if let question { nodes[name].waiting = question }
    if nodes[name].asked == nil, let question = nodes[name].waiting {
      nodes[name].waiting = nil
      switch question {
      case .begin(let number), .renew(_, let number): nodes[name].askedSession = number
      }
      ask(name, .session(question))
    } else if nodes[name].asked == nil, let id = nodes[name].session.session {
      if let view = nodes[name].view {
        nodes[name].view = nil
        if let step = nodes[name].balance.next(for: id, view, at: now) {
          // What is let go of is not acted on from now on, whatever becomes of the question.
          if case .release(let slots) = step { nodes[name].owned &= ~Self.bits(slots) }
          ask(name, .step(id, step))
        }
      } else if time >= nodes[name].lookAt {
        nodes[name].lookAt = time + Self.poll
        ask(name, .look(id))
      }
    }
    let wakeAt = min(nodes[name].session.wakeAt / nodes[name].rate, max(nodes[name].lookAt, time + .milliseconds(20)))
    nodes[name].alarm += 1
    // Clocks are rounded.
    put(max(wakeAt - time, .milliseconds(1)), .wake(node: name, run: nodes[name].run, alarm: nodes[name].alarm))
  }

  private mutating func ask(_ name: Int, _ question: Question) {
    numbers += 1
    let (run, number, connection) = (nodes[name].run, numbers, nodes[name].connection)
    nodes[name].asked = number
    put(delay, .arrives(node: name, run: run, number: number, connection: connection, question))
    put(Self.deadline, .tooLate(node: name, run: run, number: number))
  }

  private var isLossy: Bool { mutating get { time < faults.until && random.draw(faults.lossy) } }

  private var delay: Duration {
    mutating get { .milliseconds(isLossy ? Int.random(in: 0...6_000, using: &random) : Int.random(in: 0...30, using: &random)) }
  }

  private mutating func take(_ name: Int, _ question: Question, _ answer: Answer) {
    switch (question, answer) {
    case (.session(.begin(let number)), .began(let id)):
      nodes[name].askedSession = nil
      work(name, .began(id, number))
    case (.session(.renew(_, let number)), .renewed):
      nodes[name].askedSession = nil
      work(name, .renewed(number))
    case (.session(.renew(let id, _)), .gone), (.look(let id), .gone), (.step(let id, _), .gone):
      if nodes[name].session.session == id { (nodes[name].waiting, nodes[name].askedSession) = (nil, nil) }
      work(name, .gone(id))
    case (.look(let id), .view(let view)) where nodes[name].session.session == id:
      var own = view.own + view.misplaced
      if case .own(let slot) = view.core { own.append(slot) }
      (nodes[name].owned, nodes[name].view) = (Self.bits(own), view)
      work(name, .time)
    case (.step(let id, _), .took(let slots)) where nodes[name].session.session == id:
      nodes[name].owned |= Self.bits(slots)
      nodes[name].lookAt = time
      work(name, .time)
    default:
      nodes[name].lookAt = time
      work(name, .time)
    }
  }

  // MARK: - What the database does

  private mutating func arrive(_ name: Int, _ run: Int, _ number: Int, _ connection: Int, _ question: Question) {
    guard database.isUp, connection >= database.connections[run] ?? 0 else { return }
    if nodes[name].asked != number || nodes[name].run != run { tally.late += 1 }
    database.connections[run] = connection
    let answer = execute(name, question)
    if !isLossy { put(delay, .answers(node: name, run: run, number: number, question, answer)) }
  }

  private mutating func execute(_ name: Int, _ question: Question) -> Answer {
    switch question {
    case .session(.begin):
      defer { database.next += 1 }
      database.rows[database.next] = Row(node: name, expires: time + Self.lifetime)
      return .began(database.next)
    case .session(.renew(let id, _)):
      guard database.rows[id] != nil else { return .gone }
      database.rows[id]?.expires = time + Self.lifetime
      return .renewed
    case .look(let id):
      guard let name = database.rows[id]?.node else { return .gone }
      let own = (0..<Self.slots).filter { database.owners[$0] == id }
      return .view(
        BalanceMachine.View(
          living: database.rows.filter { $0.value.expires >= time }.keys.sorted(),
          expired: database.rows.filter { $0.value.expires < time }.keys.sorted(),
          own: own.filter { database.cores[$0] == nil },
          free: (0..<Self.slots).count { database.owners[$0] == nil && database.cores[$0] == nil },
          total: database.cores.count { $0 == nil },
          misplaced: own.filter { database.cores[$0].map { $0 != name } ?? false }, core: core(of: name, id)))
    case .step(let id, let step):
      guard database.rows[id] != nil else { return .gone }
      return execute(step, of: id)
    }
  }

  private func core(of name: Int, _ id: SessionMachine.ID) -> BalanceMachine.CoreSlot {
    guard cores.contains(name) else { return .unneeded }
    guard let slot = database.cores.firstIndex(of: name) else { return .missing }
    return database.owners[slot].map { $0 == id ? .own(slot) : .awaited(slot) } ?? .free(slot)
  }

  private mutating func execute(_ step: BalanceMachine.Step, of id: SessionMachine.ID) -> Answer {
    switch step {
    case .pin:
      if let slot = Self.pinnable.last(where: { database.cores[$0] == nil && database.owners[$0] != id }) {
        database.cores[slot] = database.rows[id]?.node
      }
      return .done
    case .claimPinned:
      let free = (0..<Self.slots).filter { database.cores[$0] == database.rows[id]?.node && database.owners[$0] == nil }
      for slot in free { database.owners[slot] = id }
      return .took(free)
    case .takeOver(let sessions):
      for session in sessions where (database.rows[session]?.expires ?? .zero) < time {
        guard database.rows.removeValue(forKey: session) != nil else { continue }
        tally.takenOver += 1
        for slot in 0..<Self.slots where database.owners[slot] == session { database.owners[slot] = nil }
      }
      return .done
    case .claim(let count):
      let free = (0..<Self.slots).filter { database.owners[$0] == nil && database.cores[$0] == nil }.prefix(count)
      for slot in free { database.owners[slot] = id }
      return .took(Array(free))
    case .release(let slots):
      tally.releases += 1
      for slot in slots where database.owners[slot] == id { database.owners[slot] = nil }
      return .done
    }
  }
}
