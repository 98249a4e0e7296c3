public import Cluster
public import PostgreSQL

/// News from a keeper to the code that acts for the session.
public enum SessionNews: Hashable, Sendable {
  /// There is a new connection. If the timeline differs from the connection before, data read earlier may not be true any more.
  case connected(PostgreSQLServer)
  /// There is a session, and nothing belongs to it yet.
  case began(SessionMachine.ID)
  /// This slot is pinned to the daemon, for its chat core. It comes before the slot is gained.
  case pinned(BalanceMachine.Slot)
  /// These slots belong to the session now.
  case gained(Set<BalanceMachine.Slot>)
  /// These slots are to be released. When the call that receives this returns, nothing may be under way for them.
  case lost(Set<BalanceMachine.Slot>)
  /// Nothing may be done outside for now. Nothing was lost yet.
  case suspended
  case resumed
  /// The session is over. Nothing belongs to it any more.
  case ended(SessionMachine.ID)
  /// A question was not answered, for people.
  case trouble(String)
  /// The daemon has a chat core, and no slot is left for that.
  case noSlotLeft
  /// A daemon that began earlier has the same name, and continues its session.
  case nameIsTaken
  /// No such daemon has shown itself since the session began. It comes once for each session.
  case nameIsFree
}

/// Keeps a daemon's session in the database alive, and its share of slots fair: `SessionMachine` and `BalanceMachine` decide, and this asks
/// the database over a connection that does nothing else.
public actor SessionKeeper {
  public struct Settings: Sendable {
    public var address: PostgreSQLAddress
    /// The daemon's name, which is the same after a restart and differs from all other daemons' names.
    public var name: String
    /// The version of the daemon, for people.
    public var version: String
    /// Whether the daemon has a chat core, and so a pinned slot.
    public var hasCore = false
    public var session = SessionMachine.Policy()
    public var balance = BalanceMachine.Policy()
    /// How often the daemon looks at sessions and slots.
    public var poll = Duration.milliseconds(500)
    /// The time limit for a question, and for connecting to each server.
    public var timeout = Duration.milliseconds(1_500)
    /// PostgreSQL's schema with the tables.
    public var schema = DatabaseSchema.name
    /// The time limit for changing tables.
    public var migrationTimeout = Duration.seconds(600)

    public init(address: PostgreSQLAddress, name: String, version: String) {
      self.address = address
      self.name = name
      self.version = version
    }
  }

  private enum Input: Sendable {
    case alarm(Int)
    case answer(SessionDatabase.Question, SessionDatabase.Answer, PostgreSQLServer?)
    /// Nothing is under way for these slots any more.
    case letGo(SessionMachine.ID, [BalanceMachine.Slot])
    case stop(beginsAgain: Bool)
  }

  /// Whether something may be done outside at this very moment.
  public nonisolated let trust = SessionTrust()
  /// How far the store of the session was seen to come.
  public nonisolated let known = KnownEnd()

  private let settings: Settings
  private let database: SessionDatabase
  private let start = ContinuousClock.now
  private let inputs: AsyncStream<Input>
  private nonisolated let inbox: AsyncStream<Input>.Continuation
  private let news: AsyncStream<SessionNews>
  private let outbox: AsyncStream<SessionNews>.Continuation

  private var session: SessionMachine
  private var balance: BalanceMachine
  private var owned: Set<BalanceMachine.Slot> = []
  /// The slot that is pinned to the daemon.
  private var core: BalanceMachine.Slot?
  private var view: BalanceMachine.View?
  /// Whether a question is under way. There is one at a time.
  private var isAsking = false
  /// A question about the session, which comes next.
  private var waiting: SessionMachine.Question?
  /// Slots that are being released, and whether nothing is under way for them any more. Nothing is decided until that is done.
  private var lettingGo: (slots: [BalanceMachine.Slot], isIdle: Bool)?
  private var lookAt = Duration.zero
  /// When the last of the older sessions with the same name expires, by the last look, and how often that has changed.
  private var namesake: (until: Int64, renewals: Int)?
  /// When it is certain that no daemon of the same name continues, or `nil` once it was reported.
  private var nameIsFreeAt: Duration?
  /// The timeline of the last connection.
  private var timeline: String?
  private var alarm = 0
  /// How to stop, or `nil` while it runs.
  private var stopping: (beginsAgain: Bool, isAsked: Bool)?

  public init(_ settings: Settings) {
    self.settings = settings
    database = SessionDatabase(settings, known)
    (inputs, inbox) = AsyncStream.makeStream()
    (news, outbox) = AsyncStream.makeStream()
    session = SessionMachine(settings.session, now: .zero)
    balance = BalanceMachine(settings.balance)
  }

  /// Works until `stop`, or until its task is cancelled: then the session is left to expire. It can run only once.
  /// - Parameter take: receives the news, one after the other. Renewals do not wait for it, and nothing waits for the release of slots:
  ///   that may last as long as the database is away, and nothing may be done during that time.
  public func run(_ take: @escaping @Sendable (SessionNews) async -> Void) async {
    await withDiscardingTaskGroup { group in
      let (news, inbox) = (news, inbox)
      group.addTask {
        // The session for which slots were lost.
        var session: SessionMachine.ID = 0
        await withDiscardingTaskGroup { losses in
          for await one in news {
            switch one {
            case .lost(let slots):
              let session = session
              losses.addTask {
                await take(one)
                inbox.yield(.letGo(session, slots.sorted()))
              }
            case .began(let id):
              session = id
              await take(one)
            case .connected, .pinned, .noSlotLeft, .gained, .suspended, .resumed, .ended, .trouble, .nameIsTaken, .nameIsFree:
              await take(one)
            }
          }
        }
      }
      work(.time, &group)
      for await input in inputs {
        handle(input, &group)
        if stopping?.isAsked == true, !isAsking { break }
      }
      trust.set(nil, until: .now)
      outbox.finish()
      group.cancelAll()
    }
    await database.close()
  }

  /// Has `run` end. The caller has stopped acting.
  /// - Parameter beginsAgain: whether the daemon is likely to begin again within seconds, so that its slots wait for it. Otherwise other
  ///   daemons take them immediately.
  public nonisolated func stop(beginsAgain: Bool) { inbox.yield(.stop(beginsAgain: beginsAgain)) }

  private var now: Duration { ContinuousClock.now - start }

  // MARK: - Events

  private func handle(_ input: Input, _ group: inout DiscardingTaskGroup) {
    switch input {
    case .alarm(let number): if number == alarm { work(.time, &group) }
    case .answer(let question, let answer, let server):
      isAsking = false
      if let server { note(server, &group) }
      if case .failed(let words) = answer { outbox.yield(.trouble(words)) }
      take(answer, to: question, &group)
    case .letGo(let id, let slots):
      if session.session == id, lettingGo?.slots == slots { lettingGo?.isIdle = true }
      work(.time, &group)
    case .stop(let beginsAgain):
      if stopping == nil { stopping = (beginsAgain, false) }
      trust.set(nil, until: .now)
      work(.time, &group)
    }
  }

  private func take(_ answer: SessionDatabase.Answer, to question: SessionDatabase.Question, _ group: inout DiscardingTaskGroup)
  {
    switch (question, answer) {
    case (.session(.begin(let number)), .began(let id)): work(.began(id, number), &group)
    case (.session(.renew(_, let number)), .renewed): work(.renewed(number), &group)
    case (.session(.begin(let number)), _): work(.unanswered(number), &group)
    case (_, .gone): work(question.session.map { .gone($0) } ?? .time, &group)
    case (.session(.renew(_, let number)), _): work(.unanswered(number), &group)
    case (.look(let id), .view(let view, let namesakeUntil)) where session.session == id:
      // The session of the daemon's own last run expires, and a living daemon renews. One renewal may have been under way when a run ended.
      if let namesakeUntil, let before = namesake?.until, namesakeUntil > before {
        namesake?.renewals += 1
        if namesake?.renewals == 2 { outbox.yield(.nameIsTaken) }
        nameIsFreeAt = nameIsFreeAt.map { _ in now + settings.session.lifetime / 2 }
      }
      namesake = namesakeUntil.map { ($0, namesake?.renewals ?? 0) }
      if let nameIsFreeAt, namesake == nil || now >= nameIsFreeAt {
        self.nameIsFreeAt = nil
        outbox.yield(.nameIsFree)
      }
      if let slot = view.core.slot, slot != core {
        core = slot
        outbox.yield(.pinned(slot))
      }
      var own = Set(view.own + view.misplaced)
      if case .own(let slot) = view.core { own.insert(slot) }
      self.own(own)
      self.view = view
      work(.time, &group)
    case (.step(let id, _), .took(let slots)) where session.session == id:
      own(owned.union(slots))
      // A free slot that cannot be taken is locked by a daemon that hangs.
      if !slots.isEmpty { lookAt = now }
      work(.time, &group)
    case (.step, .noSlotLeft):
      outbox.yield(.noSlotLeft)
      work(.time, &group)
    case (.step, .done):
      lookAt = now
      work(.time, &group)
    default: work(.time, &group)
    }
  }

  /// The slots of the session, as the database reported them.
  private func own(_ slots: Set<BalanceMachine.Slot>) {
    let (gained, lost) = (slots.subtracting(owned), owned.subtracting(slots))
    owned = slots
    // No one takes slots from a living session, so someone has changed the tables by hand.
    if !lost.isEmpty { outbox.yield(.lost(lost)) }
    if !gained.isEmpty { outbox.yield(.gained(gained)) }
  }

  // MARK: - What to do

  private func work(_ input: SessionMachine.Input, _ group: inout DiscardingTaskGroup) {
    let now = now
    let (changes, question) = session.handle(input, at: now)
    if stopping == nil { trust.set(session.session, until: start + (session.trustedUntil ?? .zero)) }
    for change in changes { note(change) }
    if let question { waiting = question }
    decide(now, &group)
    let canLook = session.session != nil && !isAsking && lettingGo == nil && stopping == nil
    let wakeAt = min(session.wakeAt, canLook ? max(lookAt, now + .milliseconds(20)) : now + .seconds(60))
    alarm += 1
    let (number, inbox, at) = (alarm, inbox, start + wakeAt)
    group.addTask {
      // No one waits for the end of a sleep that was cancelled.
      try? await Task.sleep(until: at, clock: .continuous)
      inbox.yield(.alarm(number))
    }
  }

  /// A server with another timeline may lack changes that the former one has acknowledged, this session's slots among them.
  private func note(_ server: PostgreSQLServer, _ group: inout DiscardingTaskGroup) {
    outbox.yield(.connected(server))
    let isAnother = timeline.map { $0 != server.timeline } ?? false
    timeline = server.timeline
    if isAnother, let id = session.session { work(.gone(id), &group) }
  }

  private func note(_ change: SessionMachine.Change) {
    switch change {
    case .began(let id):
      (owned, core, view, lettingGo, lookAt) = ([], nil, nil, nil, .zero)
      namesake = nil
      // A living daemon renews three times in a lifetime.
      nameIsFreeAt = now + settings.session.lifetime / 2
      outbox.yield(.began(id))
    case .ended(let id):
      (owned, core, view, lettingGo, waiting) = ([], nil, nil, nil, nil)
      outbox.yield(.ended(id))
    case .suspended: outbox.yield(.suspended)
    case .resumed: outbox.yield(.resumed)
    }
  }

  private func decide(_ now: Duration, _ group: inout DiscardingTaskGroup) {
    guard !isAsking else { return }
    if let stopping {
      guard !stopping.isAsked else { return }
      self.stopping?.isAsked = true
      // Without a session there is nothing to report. The last input ends the loop.
      if let id = session.session { ask(.stop(id, beginsAgain: stopping.beginsAgain), &group) }
      return
    }
    if let question = waiting {
      waiting = nil
      return ask(.session(question), &group)
    }
    guard let id = session.session else { return }
    if let (slots, isIdle) = lettingGo {
      guard isIdle else { return }
      lettingGo = nil
      return ask(.step(id, .release(slots)), &group)
    }
    if let view {
      self.view = nil
      switch balance.next(for: id, view, at: now) {
      case nil: break
      case .release(let slots):
        // Nothing acts for released slots any more, whatever the result of the question.
        owned.subtract(slots)
        lettingGo = (slots.sorted(), false)
        outbox.yield(.lost(Set(slots)))
      case .some(let step): ask(.step(id, step), &group)
      }
    } else if now >= lookAt {
      lookAt = now + settings.poll
      ask(.look(id), &group)
    }
  }

  private func ask(_ question: SessionDatabase.Question, _ group: inout DiscardingTaskGroup) {
    isAsking = true
    let (database, inbox) = (database, inbox)
    group.addTask {
      let (answer, server) = await database.ask(question)
      inbox.yield(.answer(question, answer, server))
    }
  }
}
