// Written by `make generate` from org.batond.Relays.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Relays`.
public enum RelaysMethod: String, InterfaceMethod {
  case list = "org.batond.Relays.List"
  case get = "org.batond.Relays.Get"
  case add = "org.batond.Relays.Add"
  case update = "org.batond.Relays.Update"
  case remove = "org.batond.Relays.Remove"
  case test = "org.batond.Relays.Test"
  case counts = "org.batond.Relays.Counts"
  case figures = "org.batond.Relays.Figures"
}

/// What a server of `org.batond.Relays` does.
public protocol RelaysService: InterfaceService where Method == RelaysMethod, Refusal == RelaysRefusal {
  /// Lists relays. With 'more' it sends one page per reply until the list ends.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func list(
    _ request: ListRequest, _ stream: ReplyStream<RelaysListReply>?
  ) async throws -> RelaysListReply
  /// Returns one relay by its id or name. If both are given, they must match.
  func get(_ request: RelaysGetRequest) async throws -> RelayReply
  /// Adds a relay. The address of a removed relay restores that relay with its id.
  func add(_ request: AddRelay) async throws -> RelayReply
  /// Changes a relay. Absent fields are unchanged.
  func update(_ request: UpdateRelay) async throws -> RelayReply
  /// Removes a relay from the choice for new channels. A relay in a file returns when the files are loaded again.
  func remove(_ request: RelaysRemoveRequest) async throws -> RelayReply
  /// Tests a relay step by step, as a publisher and a reader would use it. With 'more' it sends each step as it ends. Data that it
  /// publishes expires within minutes, and is deleted afterwards.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func test(
    _ request: TestRequest, _ stream: ReplyStream<TestReply>?
  ) async throws -> TestReply
  /// Counts channels by relay, status and cause. Removed relays of channels do not count. With many channels the reply may be some minutes
  /// old, as for org.batond.Channels.Counts. With 'more' it sends one page per reply until the list ends, all of one moment.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func counts(
    _ request: ListRequest, _ stream: ReplyStream<RelaysCountsReply>?
  ) async throws -> RelaysCountsReply
  /// Returns the performance of relays: channels by status, outcomes, times until channels became active, and times of connections.
  /// Outcomes are from the latest 50000 lines of the history of all channels. A channel that returns to a relay that lost it is not an
  /// outcome. The reply may be some minutes old, and 'more' sends pages, as for Counts.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func figures(
    _ request: ListRequest, _ stream: ReplyStream<RelaysFiguresReply>?
  ) async throws -> RelaysFiguresReply
}

extension RelaysService {
  public func answer(
    _ method: RelaysMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .list: return try await list(call.request(), call.replies(to: stream))
    case .get: return try await get(call.request())
    case .add: return try await add(call.request())
    case .update: return try await update(call.request())
    case .remove: return try await remove(call.request())
    case .test: return try await test(call.request(), call.replies(to: stream))
    case .counts: return try await counts(call.request(), call.replies(to: stream))
    case .figures: return try await figures(call.request(), call.replies(to: stream))
    }
  }
}
