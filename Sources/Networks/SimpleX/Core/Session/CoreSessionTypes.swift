/// What can happen to the session with a core.
enum CoreSessionEvent: Hashable, Sendable {
  /// Connections may be made from now on.
  case started
  case submitted(CoreRequestID, CoreCommand)
  /// This command must not be sent any more.
  case withdrawn(CoreRequestID)
  case opened
  case dialFailed(String)
  /// A message.
  case received(CoreFrame)
  /// Something that a WebSocket peer must not send; the connection is gone.
  case violated(String)
  case closed(String)
  case timerFired(CoreTimer)
  /// No more connections; whatever waits is given up.
  case ended
}

enum CoreTimer: Hashable, Sendable, CaseIterable {
  /// The command in flight must be answered.
  case answer
  case reconnect
  /// The connection has lasted: back-off begins anew after it.
  case stable
}

/// What the driver of the session must do, in order.
enum CoreSessionAction: Hashable, Sendable {
  case dial
  case hangUp
  case send(String)
  case setTimer(CoreTimer, after: Duration)
  case cancelTimer(CoreTimer)
  case report(CoreReport)
}
