public import Logging
public import NIOCore

/// Talks to one SimpleX Chat core over its WebSocket: it reads one connection all the time, sends commands one
/// after the other, and dials again when the connection breaks.
///
/// No other program may use the core, and the reports of several clients of one core must be collected in one place, because the core
/// sends each event to one connection only.
public final class CoreClient: Sendable {
  private let eventLoop: any EventLoop
  private let session: NIOLoopBoundBox<CoreSession>

  /// - Parameters:
  ///   - endpoint: where the core listens.
  ///   - group: the event loops, one of which does all of the work.
  ///   - limits: bounds and times.
  ///   - logger: gets debug messages about broken connections, never the content of commands and answers.
  public init(endpoint: CoreEndpoint, group: any EventLoopGroup, limits: CoreLimits = CoreLimits(), logger: Logger) {
    let eventLoop = group.next()
    self.eventLoop = eventLoop
    let machine = CoreSessionMachine(limits: limits, salt: .random(in: 0...UInt64.max))
    let dialer = CoreDialer(endpoint: endpoint, limits: limits)
    session = .makeBoxSendingValue(
      CoreSession(machine: machine, dialer: dialer, eventLoop: eventLoop, logger: logger), eventLoop: eventLoop)
  }

  /// Keeps the connection until cancelled. Then every command under way is answered and the connection is closed. Call this once.
  /// - Parameter report: called on one event loop, in order. Nothing is read while it runs, so it must be quick and must not
  ///   wait for this client.
  public func run(report: @escaping @Sendable (CoreReport) -> Void) async {
    let session = session
    eventLoop.execute { session.value.start(report: report) }
    let (forever, keepAlive) = AsyncStream.makeStream(of: Never.self)
    for await _ in forever {}
    _ = keepAlive
    try? await eventLoop.submit { session.value.feed(.ended) }.get()
  }

  /// Sends `command` when its turn comes. Returns immediately, from any thread. Commands keep their order. Unless a connection is open or
  /// being opened, they are answered `notSent` immediately. Commands submitted before `run` wait for it.
  /// - Parameter id: returned with the answer, in a report. Each id should be used once.
  public func submit(_ id: CoreRequestID, _ command: CoreCommand) {
    let session = session
    eventLoop.execute { session.value.feed(.submitted(id, command)) }
  }

  /// Cancels a command that was not sent yet: it is answered `notSent`. A command that was sent is answered as usual.
  public func withdraw(_ id: CoreRequestID) {
    let session = session
    eventLoop.execute { session.value.feed(.withdrawn(id)) }
  }
}
