/// The session of one run of a daemon in a database that several daemons share, as a value: no database, no clock.
///
/// The database has a row for each session, and its clock alone decides when one has expired. Only then may another daemon remove the row
/// and take over its slots. The number of a session is never used again, so each commit asks whether its own is still there, and a daemon
/// that was asleep for too long can change nothing. A daemon acts outside only while it trusts its session. Trust counts from a moment
/// *before* it asked for the last renewal that was answered. An answer that never came is not a renewal.
public struct SessionMachine: Hashable, Sendable {
  /// The number of a session.
  public typealias ID = Int64

  /// A moment of the daemon's own clock, which never goes back.
  public typealias Moment = Duration

  public struct Policy: Hashable, Sendable {
    /// How long a session lasts after each renewal, by the database's clock.
    public var lifetime: Duration
    /// How much of the lifetime is not trusted, because clocks run at different speeds.
    public var margin: Duration
    /// How long after a failure a new session is asked for.
    public var retry: Duration

    public init(lifetime: Duration = .seconds(5), margin: Duration = .milliseconds(500), retry: Duration = .milliseconds(500)) {
      self.lifetime = lifetime
      self.margin = margin
      self.retry = retry
    }
  }

  /// News for the machine.
  public enum Input: Hashable, Sendable {
    /// Time has passed.
    case time
    /// The database has made a session.
    case began(ID, Number)
    /// The database has renewed the session.
    case renewed(Number)
    /// A question failed, or its answer is not known.
    case unanswered(Number)
    /// The database no longer has this session, as any question may show.
    case gone(ID)
  }

  /// Identifies a question of one machine: an answer counts only for the question under way.
  public typealias Number = Int

  /// A question to the database. Questions are asked one at a time.
  public enum Question: Hashable, Sendable {
    case begin(Number)
    case renew(ID, Number)
  }

  /// A change for the parts of the daemon that act.
  public enum Change: Hashable, Sendable {
    /// A new session: nothing belongs to it yet.
    case began(ID)
    /// The session may have expired: nothing may be done outside until it is trusted again.
    case suspended
    /// The session is trusted again, with everything that belonged to it.
    case resumed
    /// The session is over. Its slots may belong to another one.
    case ended(ID)
  }

  /// A question, and when it was asked.
  private struct Asked: Hashable {
    let number: Number
    let at: Moment
  }

  private enum Phase: Hashable {
    case none
    case alive(ID, trustedUntil: Moment, isSuspended: Bool)
  }

  private let policy: Policy
  private var phase = Phase.none
  /// The question under way, or `nil` if there is none.
  private var asked: Asked?
  private var questions: Number = 0
  /// When the next question is due.
  private var askAt: Moment

  public init(_ policy: Policy, now: Moment) {
    self.policy = policy
    askAt = now
  }

  /// The session, or `nil` if there is none.
  public var session: ID? { if case .alive(let id, _, _) = phase { id } else { nil } }

  /// The time until which the daemon may act outside, or `nil` without a session.
  public var trustedUntil: Moment? { if case .alive(_, let end, _) = phase { end } else { nil } }

  /// Whether the daemon may act outside at this moment.
  public func isTrusted(at now: Moment) -> Bool {
    if case .alive(_, let end, _) = phase { now < end } else { false }
  }

  /// When the machine must handle the time, without another input.
  public var wakeAt: Moment {
    guard asked == nil else {
      // A question is under way. Only the end of trust matters.
      if case .alive(_, let end, false) = phase { return end }
      return .seconds(Int64.max / 4)
    }
    if case .alive(_, let end, false) = phase { return min(end, askAt) }
    return askAt
  }

  /// Handles an input.
  /// - Returns: the changes, and the next question, if one must be asked now.
  public mutating func handle(_ input: Input, at now: Moment) -> (changes: [Change], question: Question?) {
    var changes: [Change] = []
    // This comes first: a session that is no longer trusted must not be used for a moment longer.
    if case .alive(let id, let end, false) = phase, now >= end {
      phase = .alive(id, trustedUntil: end, isSuspended: true)
      changes.append(.suspended)
    }
    switch input {
    case .time: break
    case .began(let id, let number):
      guard let at = answered(number), case .none = phase else { break }
      phase = .alive(id, trustedUntil: at, isSuspended: false)
      changes.append(.began(id))
      changes += trust(id, since: at, at: now)
    case .renewed(let number):
      guard let at = answered(number), case .alive(let id, _, _) = phase else { break }
      changes += trust(id, since: at, at: now)
    case .unanswered(let number):
      guard answered(number) != nil else { break }
      askAt = now + policy.retry
    case .gone(let id):
      guard id == session else { break }
      changes.append(.ended(id))
      (phase, asked, askAt) = (.none, nil, now)
    }
    return (changes, ask(at: now))
  }

  /// The question under way is over, if it is this one.
  /// - Returns: when it was asked, or `nil` if it is another one.
  private mutating func answered(_ number: Number) -> Moment? {
    guard let asked, asked.number == number else { return nil }
    self.asked = nil
    return asked.at
  }

  /// The session was there when the question arrived, which was after it was asked.
  private mutating func trust(_ id: ID, since asked: Moment, at now: Moment) -> [Change] {
    guard case .alive(_, _, let wasSuspended) = phase else { return [] }
    let end = asked + policy.lifetime - policy.margin
    let isOver = now >= end
    phase = .alive(id, trustedUntil: end, isSuspended: isOver)
    askAt = isOver ? now : asked + policy.lifetime / 3
    switch (wasSuspended, isOver) {
    case (true, false): return [.resumed]
    case (false, true): return [.suspended]
    case (true, true), (false, false): return []
    }
  }

  private mutating func ask(at now: Moment) -> Question? {
    guard asked == nil, now >= askAt else { return nil }
    questions += 1
    asked = Asked(number: questions, at: now)
    if case .alive(let id, _, _) = phase { return .renew(id, questions) }
    return .begin(questions)
  }
}
