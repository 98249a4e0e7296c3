public import Logging
public import NIOCore

/// Talks to one SimpleX Chat core over its WebSocket: one connection that is always read, commands one
/// after the other, redialled when it breaks.
///
/// No other program may use the core, and what several clients of one core report must come together in one place: the core hands each of
/// its events to one connection.
public final class CoreClient: Sendable {
  private let eventLoop: any EventLoop
  private let session: NIOLoopBoundBox<CoreSession>

  /// - Parameters:
  ///   - endpoint: where the core listens.
  ///   - group: one of its event loops does all of the work.
  ///   - limits: bounds and times.
  ///   - logger: is told of broken connections, in debug messages; never of the content of commands and answers.
  public init(endpoint: CoreEndpoint, group: any EventLoopGroup, limits: CoreLimits = CoreLimits(), logger: Logger) {
    let eventLoop = group.next()
    self.eventLoop = eventLoop
    let machine = CoreSessionMachine(limits: limits, salt: .random(in: 0...UInt64.max))
    let dialer = CoreDialer(endpoint: endpoint, limits: limits)
    session = .makeBoxSendingValue(
      CoreSession(machine: machine, dialer: dialer, eventLoop: eventLoop, logger: logger), eventLoop: eventLoop)
  }

  /// Keeps the connection until cancelled; then every command under way is answered and the connection closed. Call it once.
  /// - Parameter report: called on one event loop, in order. While it runs nothing is read, so it must be quick and must not
  ///   wait for this client.
  public func run(report: @escaping @Sendable (CoreReport) -> Void) async {
    let session = session
    eventLoop.execute { session.value.start(report: report) }
    let (forever, keepAlive) = AsyncStream.makeStream(of: Never.self)
    for await _ in forever {}
    _ = keepAlive
    try? await eventLoop.submit { session.value.feed(.ended) }.get()
  }

  /// Sends `command` when its turn comes; returns at once, from any thread. Commands keep their order. While there is no
  /// connection and none is being made they are answered `notSent` at once; those submitted before `run` wait for it.
  /// - Parameter id: comes back with the answer, in a report; each should be used once.
  public func submit(_ id: CoreRequestID, _ command: CoreCommand) {
    let session = session
    eventLoop.execute { session.value.feed(.submitted(id, command)) }
  }

  /// Takes a command back that was not sent yet: it is answered `notSent`. One that was sent is answered as if nothing was said.
  public func withdraw(_ id: CoreRequestID) {
    let session = session
    eventLoop.execute { session.value.feed(.withdrawn(id)) }
  }
}
