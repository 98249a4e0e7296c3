internal import Channels
internal import Logging
internal import NIOCore
internal import RelayNetwork

/// The events of a session that tests watch, as they happen.
enum SessionSight: Sendable {
  case opened, sent, authenticating
}

/// The known limits of the session's relay on dates.
struct RelayDates: Sendable {
  /// The number of seconds by which a date may be ahead.
  let ahead: @Sendable () -> Int64
  /// Records that the relay refused the date of an event.
  let refused: @Sendable (_ refusal: DateRefusal, _ lead: Int64, _ isFresh: Bool) -> Void
}

/// Carries out the decisions of a session machine. It lives on one event loop, which is its one inbox: events are handled in the order in
/// which they arrive, and nothing suspends between them.
final class RelaySession<Machine: SessionMachine>: Sendable {
  /// Creates an event of the session's identity, or of the author of one of its channels, with this date in Unix seconds.
  typealias Signer =
    @Sendable (
      _ kind: Int, _ tags: [[String]], _ content: String, _ author: ChannelContent?, _ createdAt: Int64
    ) -> NostrEvent?

  private let eventLoop: any EventLoop
  private let shell: NIOLoopBoundBox<Shell>

  /// - Parameters:
  ///   - lines: to the relay. The session lives on their event loop.
  ///   - sign: signs the session's own events, or `nil` for anonymous sessions.
  ///   - now: Unix time in seconds.
  ///   - mayPublish: whether anything may be sent at this very moment. If not, everything is abandoned, as if all channels were another
  ///     daemon's.
  ///   - dates: the dates that the relay accepts, or `nil` if they are unknown.
  ///   - report: gets the machine's reports, on the event loop, in order.
  ///   - watch: gets the events of the session, on the event loop, in order.
  init(
    machine: Machine, lines: RelayLines, logger: Logger, sign: Signer?, now: @escaping @Sendable () -> Int64,
    mayPublish: @escaping @Sendable () -> Bool = { true }, dates: RelayDates? = nil,
    report: @escaping @Sendable (NetworkReport) -> Void, watch: (@Sendable (SessionSight) -> Void)? = nil
  ) {
    eventLoop = lines.eventLoop
    let shell = Shell(
      machine: machine, lines: lines, logger: logger, sign: sign, now: now, mayPublish: mayPublish, dates: dates,
      report: report, watch: watch)
    self.shell = .makeBoxSendingValue(shell, eventLoop: lines.eventLoop)
  }

  /// Feeds one event from any thread.
  func feed(_ event: SessionEvent) {
    let shell = shell
    eventLoop.execute { shell.value.feed(event) }
  }

  /// Feeds one event. The future is over once it was handled.
  func fed(_ event: SessionEvent) -> EventLoopFuture<Void> {
    let shell = shell
    return eventLoop.submit { shell.value.feed(event) }
  }

  /// Ends the session: closes the connection, cancels every timer, reports nothing more.
  func end() -> EventLoopFuture<Void> {
    let shell = shell
    return eventLoop.submit { shell.value.end() }
  }

  /// The part that is confined to the event loop.
  private final class Shell {
    private var machine: Machine
    private let lines: RelayLines
    private let logger: Logger
    private let sign: Signer?
    private let now: @Sendable () -> Int64
    private let mayPublish: @Sendable () -> Bool
    private let dates: RelayDates?
    private let report: @Sendable (NetworkReport) -> Void
    private let watch: (@Sendable (SessionSight) -> Void)?
    private var line: RelayLines.End?
    /// A number that grows with every dial, so that late data of an earlier connection is not mistaken for the present one's.
    private var generation = 0
    private var timers: [SessionTimer: (task: Scheduled<Void>, end: NIODeadline)] = [:]
    private var isOver = false

    init(
      machine: Machine, lines: RelayLines, logger: Logger, sign: Signer?, now: @escaping @Sendable () -> Int64,
      mayPublish: @escaping @Sendable () -> Bool, dates: RelayDates?, report: @escaping @Sendable (NetworkReport) -> Void,
      watch: (@Sendable (SessionSight) -> Void)?
    ) {
      self.machine = machine
      self.lines = lines
      self.logger = logger
      self.sign = sign
      self.now = now
      self.mayPublish = mayPublish
      self.dates = dates
      self.report = report
      self.watch = watch
    }

    func feed(_ event: SessionEvent) {
      guard !isOver else { return }
      let actions = machine.handle(event)
      // An operation that was given up under way must not arrive when another daemon acts for the channel.
      if case .abandoned = event, actions.contains(.hangUp) { cut() }
      for action in actions { perform(action) }
    }

    func end() {
      isOver = true
      for timer in timers.values { timer.task.cancel() }
      timers = [:]
      if !mayPublish() { cut() }
      line?.hangUp()
      line = nil
    }

    private func cut() {
      line?.cut()
      line = nil
    }

    private func perform(_ action: SessionAction) {
      switch action {
      case .dial: dial()
      case .hangUp:
        generation += 1
        line?.hangUp()
        line = nil
      case .send(let text):
        guard mayPublish() else { return feed(.abandoned(.all)) }
        watch?(.sent)
        line?.send(text)
      case .expect(let frames, let bytes): line?.expect(frames: frames, bytes: bytes)
      case .publish(let kind, let tags, let content):
        guard mayPublish() else { return feed(.abandoned(.all)) }
        let event = sign?(kind, tags, content, nil, now())
        if let event {
          watch?(.sent)
          line?.send(ClientMessage.event(event.text))
        }
        feed(.published(id: event?.id))
      case .tellTime: feed(.time(now()))
      case .date(let post, let number): feed(.dated(post, number: number, at: now(), ahead: dates?.ahead() ?? 0))
      case .sign(let dated, let author):
        let event = sign?(dated.post.kind, dated.post.tags, dated.post.content, author, dated.createdAt)
        // Signed by another key it would be another event.
        feed(.signed(id: dated.id, text: event.flatMap { $0.id == dated.id ? $0.text : nil }, at: now()))
      case .authenticate(let challenge, let author):
        let tags = [["relay", lines.url.text], ["challenge", challenge]]
        guard let event = sign?(22242, tags, "", author, now()) else { return }
        guard line?.identify() != false else {
          let bound = NIOLoopBound(self, eventLoop: lines.eventLoop)
          return lines.eventLoop.execute { bound.value.feed(.authenticationSent(id: nil)) }
        }
        watch?(.authenticating)
        line?.send(ClientMessage.auth(event))
        feed(.authenticationSent(id: event.id))
      case .setTimer(let timer, let after): set(timer, after)
      case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.task.cancel()
      case .report(let what): report(what)
      case .misdated(let item, let event, let refusal, let isDoubtful):
        let now = now()
        let (lead, isFar) = (event.date ?? now).subtractingReportingOverflow(now)
        guard !isFar else { return report(item.report(.refused(Trouble(.rejected, refusal.text)), isDoubtful: isDoubtful)) }
        dates?.refused(refusal, lead, event.isFresh)
        report(item.report(refusal.outcome(at: lead, isFresh: event.isFresh), isDoubtful: isDoubtful))
      case .postpone(let item, let trouble):
        let left = timers[.reconnect].map { Duration($0.end - .now()) } ?? .zero
        // The timer runs a little longer, so that the connection is not requested too early.
        let wait = max(left, .zero) + .seconds(1)
        report(item.report(.troubled(trouble, retryAfter: wait)))
      }
    }

    private func set(_ timer: SessionTimer, _ after: Duration) {
      timers[timer]?.task.cancel()
      let bound = NIOLoopBound(self, eventLoop: lines.eventLoop)
      let end = NIODeadline.now() + .milliseconds(after.wholeMilliseconds)
      let task = lines.eventLoop.scheduleTask(deadline: end) {
        bound.value.timers[timer] = nil
        bound.value.feed(.timerFired(timer))
      }
      timers[timer] = (task, end)
    }

    private func dial() {
      generation += 1
      let generation = generation
      let started = NIODeadline.now()
      lines.open(isAnonymous: sign == nil) { [weak self] event in
        guard let self, self.generation == generation else { return }
        hear(event)
      } then: { [weak self] result in
        guard let self, self.generation == generation, !isOver else {
          if case .success(let line) = result { line.hangUp() }
          return
        }
        switch result {
        case .success(let line):
          self.line = line
          watch?(.opened)
          feed(.opened(roundTrip: .nanoseconds((NIODeadline.now() - started).nanoseconds)))
        case .failure(let failure):
          logger.debug("no connection to \(lines.url.text): \(failure.trouble.detail)")
          feed(.dialFailed(failure))
        }
      }
    }

    private func hear(_ event: LineEvent) {
      switch event {
      case .message(let message): feed(.received(message))
      case .violated(let text):
        line = nil
        logger.debug("\(lines.url.text): \(text)")
        feed(.violated(text))
      case .flooded(let text):
        line = nil
        logger.debug("\(lines.url.text): \(text)")
        feed(.flooded(text))
      case .closed(let code, let reason):
        line = nil
        feed(.closed(code: code, reason: reason))
      }
    }
  }
}
