// Written by `make generate` from org.batond.Monitor.varlink.

public import ControlAPI
public import StrictJSON

extension BatonClient {
  /// The calls of `org.batond.Monitor`.
  public var monitor: MonitorClient { MonitorClient(client: self) }
}

/// Calls the methods of `org.batond.Monitor`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `MonitorRefusal` turns into a case with fields.
public struct MonitorClient: Sendable {
  let client: BatonClient

  /// Sends every change after a revision, in order, without end. Without since, the first reply has the kind 'snapshot' and the current
  /// revision. A slow subscriber gets only the newest change of each object, see merged. If it falls behind again before it has read these,
  /// it gets TooSlow. All data in lists of operators, servers, relays and channels changes with an event, except data that is not live:
  /// results of routine tests, numbers of channels of relays, names of relays and identities in channels, newest posts (see
  /// org.batond.Posts.Watch) and messages (see org.batond.Messages.Watch). An event of kind channelRelay is a transition. Other changes of
  /// a channel's relay, such as its next attempt, come with the event of the channel. Identities have no events.
  public func watch(_ request: WatchRequest = WatchRequest()) async throws -> some AsyncSequence<ChangeMessage, any Error>
    & Sendable
  {
    try await client.replies(to: MonitorMethod.watch, request, of: ChangeMessage.self)
  }

  /// Lists the recorded history of all channels on all relays, latest line first. With 'more' it sends one page per reply until the list
  /// ends.
  public func transitions(_ request: MonitorTransitionsRequest) async throws -> MonitorTransitionsReply {
    try await client.reply(to: MonitorMethod.transitions, request)
  }

  /// Lists the recorded history of all channels on all relays, latest line first. With 'more' it sends one page per reply until the list
  /// ends.
  public func transitions(filter: JSONValue? = nil, limit: Int? = nil, cursor: String? = nil) async throws
    -> MonitorTransitionsReply
  {
    try await transitions(MonitorTransitionsRequest(filter: filter, limit: limit, cursor: cursor))
  }

  /// Lists the recorded history of all channels on all relays, latest line first. With 'more' it sends one page per reply until the list
  /// ends.
  public func transitionsAndFollow(_ request: MonitorTransitionsRequest) async throws -> some AsyncSequence<
    MonitorTransitionsReply, any Error
  > & Sendable {
    try await client.replies(to: MonitorMethod.transitions, request, of: MonitorTransitionsReply.self)
  }

  /// Lists the recorded history of all channels on all relays, latest line first. With 'more' it sends one page per reply until the list
  /// ends.
  public func transitionsAndFollow(filter: JSONValue? = nil, limit: Int? = nil, cursor: String? = nil) async throws
    -> some AsyncSequence<MonitorTransitionsReply, any Error> & Sendable
  {
    try await transitionsAndFollow(MonitorTransitionsRequest(filter: filter, limit: limit, cursor: cursor))
  }

  /// Lists changes of the health of relays and servers, latest first. The latest 1000 lines of each are kept. With 'more' it sends one page
  /// per reply until the list ends.
  public func healthChanges(_ request: MonitorHealthChangesRequest) async throws -> MonitorHealthChangesReply {
    try await client.reply(to: MonitorMethod.healthChanges, request)
  }

  /// Lists changes of the health of relays and servers, latest first. The latest 1000 lines of each are kept. With 'more' it sends one page
  /// per reply until the list ends.
  public func healthChanges(filter: JSONValue? = nil, limit: Int? = nil, cursor: String? = nil) async throws
    -> MonitorHealthChangesReply
  {
    try await healthChanges(MonitorHealthChangesRequest(filter: filter, limit: limit, cursor: cursor))
  }

  /// Lists changes of the health of relays and servers, latest first. The latest 1000 lines of each are kept. With 'more' it sends one page
  /// per reply until the list ends.
  public func healthChangesAndFollow(_ request: MonitorHealthChangesRequest) async throws -> some AsyncSequence<
    MonitorHealthChangesReply, any Error
  > & Sendable {
    try await client.replies(to: MonitorMethod.healthChanges, request, of: MonitorHealthChangesReply.self)
  }

  /// Lists changes of the health of relays and servers, latest first. The latest 1000 lines of each are kept. With 'more' it sends one page
  /// per reply until the list ends.
  public func healthChangesAndFollow(filter: JSONValue? = nil, limit: Int? = nil, cursor: String? = nil) async throws
    -> some AsyncSequence<MonitorHealthChangesReply, any Error> & Sendable
  {
    try await healthChangesAndFollow(MonitorHealthChangesRequest(filter: filter, limit: limit, cursor: cursor))
  }
}
