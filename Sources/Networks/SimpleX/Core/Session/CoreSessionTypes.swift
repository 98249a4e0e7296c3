/// The events of the session with a core.
enum CoreSessionEvent: Hashable, Sendable {
  /// The session may open connections.
  case started
  case submitted(CoreRequestID, CoreCommand)
  /// This command must not be sent any more.
  case withdrawn(CoreRequestID)
  case opened
  case dialFailed(String)
  /// A message.
  case received(CoreFrame)
  /// The peer sent something that WebSocket forbids. The connection is gone.
  case violated(String)
  case closed(String)
  case timerFired(CoreTimer)
  /// The session must not open further connections. Waiting commands are given up.
  case ended
}

enum CoreTimer: Hashable, Sendable, CaseIterable {
  /// The command in flight must be answered.
  case answer
  case reconnect
  /// The connection has lasted: back-off starts again after it.
  case stable
}

/// The actions that the driver of the session must carry out, in order.
enum CoreSessionAction: Hashable, Sendable {
  case dial
  case hangUp
  case send(String)
  case setTimer(CoreTimer, after: Duration)
  case cancelTimer(CoreTimer)
  case report(CoreReport)
}
