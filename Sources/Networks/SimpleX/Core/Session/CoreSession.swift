internal import Channels
internal import Dialing
internal import Logging
internal import NIOCore
internal import RelayNetwork

/// Carries out the decisions of the session machine. It is confined to one event loop, which is its only inbox: events are handled in the
/// order in which they arrive, without suspension.
final class CoreSession {
  private var machine: CoreSessionMachine
  private let dialer: CoreDialer
  private let eventLoop: any EventLoop
  private let logger: Logger
  private let reports: ReportBuffer<CoreReport>
  private var connection: CoreDialer.Connection?
  /// The number of the dial. It distinguishes messages of an earlier connection from messages of the current one.
  private var generation = 0
  private var timers: [CoreTimer: Scheduled<Void>] = [:]

  init(machine: CoreSessionMachine, dialer: CoreDialer, eventLoop: any EventLoop, logger: Logger) {
    self.machine = machine
    self.dialer = dialer
    self.eventLoop = eventLoop
    self.logger = logger
    reports = ReportBuffer(keptMax: dialer.limits.queueMax)
  }

  /// Starts to connect.
  /// - Parameter report: receives the machine's reports, on the event loop, in order.
  func start(report: @escaping @Sendable (CoreReport) -> Void) {
    reports.start(report)
    feed(.started)
  }

  /// Feeds one event, on the event loop.
  func feed(_ event: CoreSessionEvent) {
    for action in machine.handle(event) { perform(action) }
  }

  private func perform(_ action: CoreSessionAction) {
    switch action {
    case .dial: dial()
    case .hangUp:
      generation += 1
      connection?.hangUp()
      connection = nil
    case .send(let text): connection?.send(text)
    case .setTimer(let timer, let after): set(timer, after)
    case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
    case .report(let what): tell(what)
    }
  }

  private func tell(_ what: CoreReport) {
    if case .down(let reason) = what { logger.debug("no connection to the core: \(reason)") }
    reports.add(what)
  }

  private func set(_ timer: CoreTimer, _ after: Duration) {
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
    dialer.dial(on: eventLoop) { inbound in
      guard bound.value.generation == generation else { return }
      bound.value.deliver(inbound)
    }
    .whenComplete { result in
      let session = bound.value
      guard session.generation == generation else {
        if case .success(let connection) = result { connection.hangUp() }
        return
      }
      switch result {
      case .success(let connection):
        session.connection = connection
        session.feed(.opened)
      case .failure(let error):
        session.feed(.dialFailed((error as? CoreDialer.Failure)?.reason ?? "\(error)"))
      }
    }
  }

  private func deliver(_ inbound: CoreDialer.Inbound) {
    switch inbound {
    case .message(let buffer): feed(.received(CoreFrame(buffer.readableBytesView)))
    case .violated(let text), .flooded(let text):
      connection = nil
      feed(.violated(text))
    case .closed(let code, let reason):
      connection = nil
      // Without a code the reason is Baton's own sentence.
      feed(code == nil && !reason.isEmpty ? .violated(reason) : .closed(CoreText.bounded(reason)))
    }
  }
}
