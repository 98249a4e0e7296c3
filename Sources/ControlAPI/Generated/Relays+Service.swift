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
  /// Lists relays. With 'more' it sends one page per reply until there are no more.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func list(
    _ request: ListRequest, _ stream: ReplyStream<RelaysListReply>?
  ) async throws -> RelaysListReply
  /// One relay, named by id or by name. With both, they must be those of one relay.
  func get(_ request: RelaysGetRequest) async throws -> RelayReply
  /// Adds a relay. The address of a removed relay brings that relay back with its id.
  func add(_ request: AddRelay) async throws -> RelayReply
  /// Changes a relay. What is absent stays as it is.
  func update(_ request: UpdateRelay) async throws -> RelayReply
  /// Removes a relay from the choice for new channels. One that a file declares comes back when the files are loaded again.
  func remove(_ request: RelaysRemoveRequest) async throws -> RelayReply
  /// Tests a relay step by step, as a publisher and a reader would use it. With 'more' each step is sent as it ends. What the test
  /// publishes expires within minutes and is deleted afterwards.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func test(
    _ request: TestRequest, _ stream: ReplyStream<TestReply>?
  ) async throws -> TestReply
  /// Counts channels by relay, status and cause, without listing them. Relays that were removed from a channel do not count. With many channels
  /// the answer may be some minutes old, as that of org.batond.Channels.Counts. With 'more' it sends one page per reply until there are no
  /// more, all of them of one moment.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func counts(
    _ request: ListRequest, _ stream: ReplyStream<RelaysCountsReply>?
  ) async throws -> RelaysCountsReply
  /// Shows how well relays perform: channels by status, how many became active, how long that took, and how fast they answer. Outcomes are
  /// those of the latest 50000 lines of the history of all channels; channels that were lost there and came back are none. With many channels
  /// the answer may be some minutes old, as that of org.batond.Channels.Counts. With 'more' it sends one page per reply until there are no
  /// more, all of them of one moment.
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
