internal import Dialing

/// Makes the decisions about the one connection to a core.
///
/// One command is in flight at a time, because the core carries them out in order anyway. Events are reported as they come. If an answer
/// does not come in time, the connection is given up: the core's state is unknown, and it would not start the next command before it is
/// done. Obligations are returned in the order in which they must be carried out.
struct CoreSessionMachine: Hashable, Sendable {
  private enum State: Hashable, Sendable {
    case idle, dialing
    /// The core is being asked who it is.
    case probing(CoreVersion?)
    case up
    /// A dial failed or the connection broke. The next dial waits for the timer.
    case waiting
    case over
  }

  private struct Waiting: Hashable, Sendable {
    let id: CoreRequestID
    let command: CoreCommand
  }

  private struct InFlight: Hashable, Sendable {
    let correlation: String
    /// The caller's number, or `nil` for one of the session's own questions.
    let id: CoreRequestID?
    let timeout: Duration
  }

  private let limits: CoreLimits
  private var redial: CoreRedial
  private var state = State.idle
  private var queue: [Waiting] = []
  private var inFlight: InFlight?
  /// The number of the latest command. It continues across connections, so that a late answer matches no command.
  private var correlation = 0
  private var rubbish = 0
  /// The reason last reported for being down.
  private var reportedReason: String?
  /// The number of answers so far that matched no command in flight.
  private(set) var strayReplies = 0

  /// - Parameter salt: makes the waits between dials differ from another daemon's.
  init(limits: CoreLimits, salt: UInt64) {
    self.limits = limits
    redial = CoreRedial(limits: limits, salt: salt)
  }

  mutating func handle(_ event: CoreSessionEvent) -> [CoreSessionAction] {
    guard state != .over else { return afterTheEnd(event) }
    switch event {
    case .started: return state == .idle ? dial() : []
    case .submitted(let id, let command): return submitted(id, command)
    case .withdrawn(let id): return withdrawn(id)
    case .opened: return opened()
    case .dialFailed(let reason): return state == .dialing ? lost(reason) : []
    case .received(let frame): return isOpen ? received(frame) : []
    case .violated(let text): return isOpen ? lost(text) : []
    case .closed(let reason):
      return isOpen ? lost("the core closed the connection" + (reason.isEmpty ? "" : ": \(reason)")) : []
    case .timerFired(let timer): return fired(timer)
    case .ended:
      state = .over
      return fail(.ended) + CoreTimer.allCases.map(CoreSessionAction.cancelTimer) + [.hangUp]
    }
  }

  private var isOpen: Bool {
    switch state {
    case .probing, .up: true
    case .idle, .dialing, .waiting, .over: false
    }
  }

  private func afterTheEnd(_ event: CoreSessionEvent) -> [CoreSessionAction] {
    guard case .submitted(let id, _) = event else { return [] }
    return [.report(.reply(id, .failure(.notSent(.ended))))]
  }

  // MARK: Commands

  private mutating func submitted(_ id: CoreRequestID, _ command: CoreCommand) -> [CoreSessionAction] {
    if state == .waiting { return [refuse(id, .noConnection(reportedReason ?? "not connected to the core"))] }
    guard queue.count < limits.queueMax else { return [refuse(id, .tooMany)] }
    queue.append(Waiting(id: id, command: command))
    return sendNext()
  }

  /// Cancels a command that was not sent yet. A command that was sent is not affected.
  private mutating func withdrawn(_ id: CoreRequestID) -> [CoreSessionAction] {
    guard let index = queue.firstIndex(where: { $0.id == id }) else { return [] }
    queue.remove(at: index)
    return [refuse(id, .withdrawn)]
  }

  private func refuse(_ id: CoreRequestID, _ reason: CoreFailure.Reason) -> CoreSessionAction {
    .report(.reply(id, .failure(.notSent(reason))))
  }

  private mutating func sendNext() -> [CoreSessionAction] {
    guard state == .up, inFlight == nil, !queue.isEmpty else { return [] }
    let next = queue.removeFirst()
    return send(next.command, id: next.id)
  }

  private mutating func send(_ command: CoreCommand, id: CoreRequestID?) -> [CoreSessionAction] {
    correlation += 1
    let timeout = limits.timeout(of: command)
    inFlight = InFlight(correlation: String(correlation), id: id, timeout: timeout)
    return [.setTimer(.answer, after: timeout), .send(CoreRequest.text(correlation: String(correlation), command))]
  }

  // MARK: The connection

  private mutating func dial() -> [CoreSessionAction] {
    state = .dialing
    return [.dial]
  }

  /// The core is asked who it is before anything else.
  private mutating func opened() -> [CoreSessionAction] {
    guard state == .dialing else { return [.hangUp] }
    state = .probing(nil)
    rubbish = 0
    return [.setTimer(.stable, after: limits.stableAfter)] + send(.version, id: nil)
  }

  private mutating func fired(_ timer: CoreTimer) -> [CoreSessionAction] {
    switch timer {
    case .answer:
      guard isOpen, let current = inFlight else { return [] }
      return lost("the core did not answer within \(current.timeout.briefly)", .timeout(current.timeout))
    case .reconnect: return state == .waiting ? dial() : []
    case .stable:
      if isOpen { redial.lasted() }
      return []
    }
  }

  /// Handles a failed dial, and a connection that broke or is given up.
  private mutating func lost(_ reason: String, _ cause: CoreFailure.Reason? = nil) -> [CoreSessionAction] {
    let wasOpen = isOpen
    let failed = fail(.noConnection(reason), inFlight: cause)
    state = .waiting
    let isNews = reportedReason != reason
    reportedReason = reason
    return failed + (isNews ? [.report(.down(reason: reason))] : [])
      + [.cancelTimer(.answer), .cancelTimer(.stable)] + (wasOpen ? [.hangUp] : [])
      + [.setTimer(.reconnect, after: redial.failed())]
  }

  /// Answers every command that was under way: a sent one may have been carried out, the others were not.
  private mutating func fail(_ reason: CoreFailure.Reason, inFlight cause: CoreFailure.Reason? = nil) -> [CoreSessionAction] {
    let sent = inFlight?.id.map { CoreSessionAction.report(.reply($0, .failure(.unknown(cause ?? reason)))) }
    let unsent = queue.map { refuse($0.id, reason) }
    inFlight = nil
    queue = []
    return (sent.map { [$0] } ?? []) + unsent
  }

  // MARK: Messages

  private mutating func received(_ frame: CoreFrame) -> [CoreSessionAction] {
    switch frame {
    case .events(let events):
      return events.map { .report(.event($0)) }
    case .reply(let correlation, let result):
      guard let current = inFlight, current.correlation == correlation else {
        strayReplies += 1
        return []
      }
      inFlight = nil
      guard let id = current.id else { return [.cancelTimer(.answer)] + probed(result) }
      return [.cancelTimer(.answer), .report(.reply(id, result))] + sendNext()
    case .rubbish(let why):
      // Once the peer has proved to be a core, an unreadable message is not a reason to disconnect: it may contain text of other people in
      // a chat, who must not be able to break the connection.
      if state == .up { return [.report(.event(.unreadable(tag: "", CoreShapeError(path: [], reason: why))))] }
      rubbish += 1
      return rubbish >= limits.rubbishMax ? lost("the peer is not a core: \(why)") : []
    }
  }

  /// Handles the answer to one of the first two questions.
  private mutating func probed(_ result: Result<CoreReply, CoreFailure>) -> [CoreSessionAction] {
    guard case .probing(let version) = state else { return [] }
    switch result {
    case .success(.version(let found)) where version == nil:
      state = .probing(found)
      return send(.activeUser, id: nil)
    case .success(.activeUser(let user)): return up(version, user)
    case .failure(.refused(let error)) where error.kind == .noUser: return up(version, nil)
    case .failure(let failure): return lost("the core does not identify itself: \(failure)")
    case .success: return lost("the peer does not answer as a core does")
    }
  }

  private mutating func up(_ version: CoreVersion?, _ user: CoreUser?) -> [CoreSessionAction] {
    guard let version else { return lost("the peer does not answer as a core does") }
    state = .up
    reportedReason = nil
    return [.report(.up(version, user: user))] + sendNext()
  }
}
