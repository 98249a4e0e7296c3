// Written by `make generate` from org.batond.Monitor.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Monitor`.
public enum MonitorMethod: String, InterfaceMethod {
  case watch = "org.batond.Monitor.Watch"
  case transitions = "org.batond.Monitor.Transitions"
  case healthChanges = "org.batond.Monitor.HealthChanges"
}

/// What a server of `org.batond.Monitor` does.
public protocol MonitorService: InterfaceService where Method == MonitorMethod, Refusal == MonitorRefusal {
  /// Sends every change after a revision, in order, without end. Without since, the first reply has the kind 'snapshot' and the current
  /// revision. A slow subscriber gets only the newest change of each object, see merged. If it falls behind again before it has read these,
  /// it gets TooSlow. All data in lists of operators, servers, relays and channels changes with an event, except data that is not live:
  /// results of routine tests, numbers of channels of relays, names of relays and identities in channels, newest posts (see
  /// org.batond.Posts.Watch) and messages (see org.batond.Messages.Watch). An event of kind channelRelay is a transition. Other changes of
  /// a channel's relay, such as its next attempt, come with the event of the channel. Identities have no events.
  /// - Parameter stream: takes all replies but the last one.
  func watch(
    _ request: WatchRequest, _ stream: ReplyStream<ChangeMessage>
  ) async throws -> ChangeMessage
  /// Lists the recorded history of all channels on all relays, latest line first. With 'more' it sends one page per reply until the list
  /// ends.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func transitions(
    _ request: MonitorTransitionsRequest, _ stream: ReplyStream<MonitorTransitionsReply>?
  ) async throws -> MonitorTransitionsReply
  /// Lists changes of the health of relays and servers, latest first. The latest 1000 lines of each are kept. With 'more' it sends one page
  /// per reply until the list ends.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func healthChanges(
    _ request: MonitorHealthChangesRequest, _ stream: ReplyStream<MonitorHealthChangesReply>?
  ) async throws -> MonitorHealthChangesReply
}

extension MonitorService {
  public func answer(
    _ method: MonitorMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .watch: return try await watch(call.request(), ReplyStream(stream))
    case .transitions: return try await transitions(call.request(), call.replies(to: stream))
    case .healthChanges: return try await healthChanges(call.request(), call.replies(to: stream))
    }
  }
}
