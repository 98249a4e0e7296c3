internal import Channels
internal import Dialing
internal import Logging
internal import NIOCore
internal import RelayNetwork

/// What tests want to know of a session, as it happens.
enum SessionSight: Sendable {
  case opened, sent, authenticating
}

/// Carries out what a session machine decides. It lives on one event loop, which is its one inbox: events are handled in the
/// order in which they arrive, and nothing suspends in between.
final class RelaySession<Machine: SessionMachine>: Sendable {
  typealias Signer = @Sendable (_ kind: Int, _ tags: [[String]], _ content: String) -> NostrEvent?

  private let eventLoop: any EventLoop
  private let shell: NIOLoopBoundBox<Shell>

  /// - Parameters:
  ///   - sign: makes an event of the session's identity, now; nil for sessions that stay anonymous.
  ///   - report: takes the machine's reports, on the event loop, in order.
  ///   - watch: is told what happens, on the event loop, in order.
  init(
    machine: Machine, url: RelayURL, dialer: RelayDialer, eventLoop: any EventLoop, logger: Logger,
    sign: Signer?, report: @escaping @Sendable (NetworkReport) -> Void, watch: (@Sendable (SessionSight) -> Void)? = nil
  ) {
    self.eventLoop = eventLoop
    let shell = Shell(
      machine: machine, url: url, dialer: dialer, eventLoop: eventLoop, logger: logger, sign: sign, report: report,
      watch: watch)
    self.shell = .makeBoxSendingValue(shell, eventLoop: eventLoop)
  }

  /// Feeds one event from any thread.
  func feed(_ event: SessionEvent) {
    let shell = shell
    eventLoop.execute { shell.value.feed(event) }
  }

  /// Ends the session: closes the connection, cancels every timer, reports nothing more.
  func end() -> EventLoopFuture<Void> {
    let shell = shell
    return eventLoop.submit { shell.value.end() }
  }

  /// The part that is confined to the event loop.
  private final class Shell {
    private var machine: Machine
    private let url: RelayURL
    private let dialer: RelayDialer
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let sign: Signer?
    private let report: @Sendable (NetworkReport) -> Void
    private let watch: (@Sendable (SessionSight) -> Void)?
    private var connection: RelayDialer.Connection?
    /// Grows with every dial, so that what an earlier connection still delivers is not mistaken for the present one's.
    private var generation = 0
    private var timers: [SessionTimer: Scheduled<Void>] = [:]
    private var isOver = false

    init(
      machine: Machine, url: RelayURL, dialer: RelayDialer, eventLoop: any EventLoop, logger: Logger,
      sign: Signer?, report: @escaping @Sendable (NetworkReport) -> Void, watch: (@Sendable (SessionSight) -> Void)?
    ) {
      self.machine = machine
      self.url = url
      self.dialer = dialer
      self.eventLoop = eventLoop
      self.logger = logger
      self.sign = sign
      self.report = report
      self.watch = watch
    }

    func feed(_ event: SessionEvent) {
      guard !isOver else { return }
      for action in machine.handle(event) { perform(action) }
    }

    func end() {
      isOver = true
      for timer in timers.values { timer.cancel() }
      timers = [:]
      connection?.hangUp()
      connection = nil
    }

    private func perform(_ action: SessionAction) {
      switch action {
      case .dial: dial()
      case .hangUp:
        generation += 1
        connection?.hangUp()
        connection = nil
      case .send(let text):
        watch?(.sent)
        connection?.send(text)
      case .publish(let kind, let tags, let content):
        let event = sign?(kind, tags, content)
        if let event {
          watch?(.sent)
          connection?.send(ClientMessage.event(event.text))
        }
        feed(.published(id: event?.id))
      case .authenticate(let challenge):
        guard let event = sign?(22242, [["relay", url.text], ["challenge", challenge]], "") else { return }
        watch?(.authenticating)
        connection?.send(ClientMessage.auth(event))
        feed(.authenticationSent(id: event.id))
      case .setTimer(let timer, let after): set(timer, after)
      case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
      case .report(let what): report(what)
      }
    }

    private func set(_ timer: SessionTimer, _ after: Duration) {
      timers[timer]?.cancel()
      let bound = NIOLoopBound(self, eventLoop: eventLoop)
      timers[timer] = eventLoop.scheduleTask(in: .milliseconds(after.wholeMilliseconds)) {
        bound.value.timers[timer] = nil
        bound.value.feed(.timerFired(timer))
      }
    }

    private func dial() {
      generation += 1
      let generation = generation
      let bound = NIOLoopBound(self, eventLoop: eventLoop)
      let started = NIODeadline.now()
      dialer.dial(url, on: eventLoop) { inbound in
        let shell = bound.value
        guard shell.generation == generation else { return }
        shell.deliver(inbound)
      }
      .whenComplete { result in
        let shell = bound.value
        guard shell.generation == generation, !shell.isOver else {
          if case .success(let connection) = result { connection.hangUp() }
          return
        }
        switch result {
        case .success(let connection):
          shell.connection = connection
          shell.watch?(.opened)
          shell.feed(.opened(roundTrip: .nanoseconds((NIODeadline.now() - started).nanoseconds)))
        case .failure(let error):
          let failure = error as? DialFailure ?? .unreachable("\(error)")
          shell.logger.debug("no connection to \(shell.url.text): \(failure.trouble.detail)")
          shell.feed(.dialFailed(failure))
        }
      }
    }

    private func deliver(_ inbound: RelayDialer.Inbound) {
      switch inbound {
      case .message(let buffer):
        feed(.received(RelayMessage(buffer.readableBytesView)))
      case .violated(let text):
        connection = nil
        logger.debug("\(url.text): \(text)")
        feed(.violated(text))
      case .closed(let code, let reason):
        connection = nil
        feed(.closed(code: code, reason: reason))
      }
    }
  }
}
