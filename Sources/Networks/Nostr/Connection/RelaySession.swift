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
final class RelaySession<Machine: DrivenMachine>: Sendable {
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
  ///   - halt: the event that makes the machine give everything up, if nothing may be sent at this very moment.
  ///   - dates: the dates that the relay accepts, or `nil` if they are unknown.
  ///   - report: gets the machine's reports, on the event loop, in order.
  ///   - watch: gets the events of the session, on the event loop, in order.
  init(
    machine: Machine, lines: RelayLines, logger: Logger, sign: Signer?, now: @escaping @Sendable () -> Int64,
    halt: @escaping @Sendable () -> Machine.Event? = { nil }, dates: RelayDates? = nil,
    report: @escaping @Sendable (NetworkReport) -> Void, watch: (@Sendable (SessionSight) -> Void)? = nil
  ) {
    eventLoop = lines.eventLoop
    let shell = Shell(
      machine: machine, lines: lines, logger: logger, sign: sign, now: now, halt: halt, dates: dates, report: report,
      watch: watch)
    self.shell = .makeBoxSendingValue(shell, eventLoop: lines.eventLoop)
  }

  /// Feeds one event from any thread.
  func feed(_ event: Machine.Event) {
    let shell = shell
    eventLoop.execute { shell.value.feed(event) }
  }

  /// Feeds one event. The future is over once it was handled.
  func fed(_ event: Machine.Event) -> EventLoopFuture<Void> {
    let shell = shell
    return eventLoop.submit { shell.value.feed(event) }
  }

  /// Ends the session: closes the connection, cancels every timer, reports nothing more.
  func end() -> EventLoopFuture<Void> {
    let shell = shell
    return eventLoop.submit { shell.value.end() }
  }

  /// The part that is confined to the event loop.
  final class Shell {
    private var machine: Machine
    let lines: RelayLines
    private let logger: Logger
    let sign: Signer?
    let now: @Sendable () -> Int64
    private let halt: @Sendable () -> Machine.Event?
    let dates: RelayDates?
    let report: @Sendable (NetworkReport) -> Void
    let watch: (@Sendable (SessionSight) -> Void)?
    private(set) var line: RelayLines.End?
    /// A number that grows with every dial, so that late data of an earlier connection is not mistaken for the present one's.
    private var generation = 0
    private var timers: [Machine.Timer: (task: Scheduled<Void>, end: NIODeadline)] = [:]
    private var isOver = false

    init(
      machine: Machine, lines: RelayLines, logger: Logger, sign: Signer?, now: @escaping @Sendable () -> Int64,
      halt: @escaping @Sendable () -> Machine.Event?, dates: RelayDates?,
      report: @escaping @Sendable (NetworkReport) -> Void, watch: (@Sendable (SessionSight) -> Void)?
    ) {
      self.machine = machine
      self.lines = lines
      self.logger = logger
      self.sign = sign
      self.now = now
      self.halt = halt
      self.dates = dates
      self.report = report
      self.watch = watch
    }

    func feed(_ event: Machine.Event) {
      guard !isOver else { return }
      for action in machine.handle(event) { perform(action) }
    }

    func end() {
      isOver = true
      for timer in timers.values { timer.task.cancel() }
      timers = [:]
      if halt() != nil { cut() }
      line?.hangUp()
      line = nil
    }

    func cut() {
      generation += 1
      line?.cut()
      line = nil
    }

    /// Whether anything may be sent at this very moment. If not, the machine gives everything up.
    func maySend() -> Bool {
      guard let event = halt() else { return true }
      feed(event)
      return false
    }

    func send(_ text: String) {
      watch?(.sent)
      line?.send(text)
    }

    private func perform(_ action: SessionAction<Machine>) {
      switch action {
      case .dial: dial()
      case .hangUp:
        generation += 1
        line?.hangUp()
        line = nil
      case .send(let text): if maySend() { send(text) }
      case .expect(let frames, let bytes): line?.expect(frames: frames, bytes: bytes)
      case .setTimer(let timer, let after): set(timer, after)
      case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.task.cancel()
      case .report(let what): report(what)
      case .postpone(let item, let trouble):
        let left = timers[.reconnect].map { Duration($0.end - .now()) } ?? .zero
        // The timer runs a little longer, so that the connection is not requested too early.
        let wait = max(left, .zero) + .seconds(1)
        report(item.report(.troubled(trouble, retryAfter: wait)))
      case .own(let action): Machine.perform(action, in: self)
      }
    }

    private func set(_ timer: Machine.Timer, _ after: Duration) {
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
