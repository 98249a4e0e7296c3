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
  /// Sends every change after a revision, in order, without end. Without a revision it begins with a marker of kind 'snapshot' that
  /// carries the present one. A subscriber that does not read fast enough gets the newest change of each object only, see merged; one that
  /// falls behind again before it has read these gets TooSlow.
  /// Everything that lists show of operators, servers, relays and channels changes with an event, except what is documented as not live:
  /// the figures of routine tests, how many channels relays have, the names of relays and identities in channels, the newest posts of
  /// channels, for which org.batond.Posts.Watch is there, and what is known of their messages, for which org.batond.Messages.Watch is there. The event of kind channelRelay is a transition; what else changes of a channel's
  /// relay, such as its next attempt, comes with the event of the channel. Identities have no events.
  /// - Parameter stream: takes all replies but the last one.
  func watch(
    _ request: WatchRequest, _ stream: ReplyStream<ChangeMessage>
  ) async throws -> ChangeMessage
  /// Lists what happened to all channels on all relays, the latest first, as far back as history is kept. With 'more' it sends one page per
  /// reply until there are no more.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func transitions(
    _ request: MonitorTransitionsRequest, _ stream: ReplyStream<MonitorTransitionsReply>?
  ) async throws -> MonitorTransitionsReply
  /// Lists when relays and servers went up and down, the latest first. The latest 1000 lines of each are kept. With 'more' it sends one page
  /// per reply until there are no more.
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
