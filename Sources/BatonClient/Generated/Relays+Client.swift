// Written by `make generate` from org.batond.Relays.varlink.

public import ControlAPI
public import StrictJSON

extension BatonClient {
  /// The calls of `org.batond.Relays`.
  public var relays: RelaysClient { RelaysClient(client: self) }
}

/// Calls the methods of `org.batond.Relays`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `RelaysRefusal` turns into a case with fields.
public struct RelaysClient: Sendable {
  let client: BatonClient

  /// Lists relays. With 'more' it sends one page per reply until the list ends.
  public func list(_ request: ListRequest = ListRequest()) async throws -> RelaysListReply {
    try await client.reply(to: RelaysMethod.list, request)
  }

  /// Lists relays. With 'more' it sends one page per reply until the list ends.
  public func listAndFollow(_ request: ListRequest = ListRequest()) async throws -> some AsyncSequence<
    RelaysListReply, any Error
  > & Sendable {
    try await client.replies(to: RelaysMethod.list, request, of: RelaysListReply.self)
  }

  /// All pages of `list`.
  public func all(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Relay] {
    try await client.pages(ListRequest(filter: filter, sort: sort), of: list) { ($0.relays, $0.nextCursor) }
  }

  /// Returns one relay by its id or name. If both are given, they must match.
  public func get(_ request: RelaysGetRequest) async throws -> Relay {
    let reply: RelayReply = try await client.reply(to: RelaysMethod.get, request)
    return reply.relay
  }

  /// Returns one relay by its id or name. If both are given, they must match.
  public func get(id: Int64? = nil, name: String? = nil) async throws -> Relay {
    try await get(RelaysGetRequest(id: id, name: name))
  }

  /// Adds a relay. The address of a removed relay restores that relay with its id.
  public func add(_ request: AddRelay) async throws -> Relay {
    let reply: RelayReply = try await client.reply(to: RelaysMethod.add, request)
    return reply.relay
  }

  /// Changes a relay. Absent fields are unchanged.
  public func update(_ request: UpdateRelay) async throws -> Relay {
    let reply: RelayReply = try await client.reply(to: RelaysMethod.update, request)
    return reply.relay
  }

  /// Removes a relay from the choice for new channels. A relay in a file returns when the files are loaded again.
  public func remove(_ request: RelaysRemoveRequest) async throws -> Relay {
    let reply: RelayReply = try await client.reply(to: RelaysMethod.remove, request)
    return reply.relay
  }

  /// Removes a relay from the choice for new channels. A relay in a file returns when the files are loaded again.
  public func remove(id: Int64, force: Bool? = nil) async throws -> Relay {
    try await remove(RelaysRemoveRequest(id: id, force: force))
  }

  /// Tests a relay step by step, as a publisher and a reader would use it. With 'more' it sends each step as it ends. Data that it
  /// publishes expires within minutes, and is deleted afterwards.
  public func test(_ request: TestRequest) async throws -> TestReply {
    try await client.reply(to: RelaysMethod.test, request)
  }

  /// Tests a relay step by step, as a publisher and a reader would use it. With 'more' it sends each step as it ends. Data that it
  /// publishes expires within minutes, and is deleted afterwards.
  public func test(id: Int64? = nil, address: String? = nil, network: String? = nil) async throws -> TestReply {
    try await test(TestRequest(id: id, address: address, network: network))
  }

  /// Tests a relay step by step, as a publisher and a reader would use it. With 'more' it sends each step as it ends. Data that it
  /// publishes expires within minutes, and is deleted afterwards.
  public func testAndFollow(_ request: TestRequest) async throws -> some AsyncSequence<TestReply, any Error> & Sendable {
    try await client.replies(to: RelaysMethod.test, request, of: TestReply.self)
  }

  /// Tests a relay step by step, as a publisher and a reader would use it. With 'more' it sends each step as it ends. Data that it
  /// publishes expires within minutes, and is deleted afterwards.
  public func testAndFollow(id: Int64? = nil, address: String? = nil, network: String? = nil) async throws
    -> some AsyncSequence<TestReply, any Error> & Sendable
  {
    try await testAndFollow(TestRequest(id: id, address: address, network: network))
  }

  /// Counts channels by relay, status and cause. Removed relays of channels do not count. With many channels the reply may be some minutes
  /// old, as for org.batond.Channels.Counts. With 'more' it sends one page per reply until the list ends, all of one moment.
  public func counts(_ request: ListRequest = ListRequest()) async throws -> RelaysCountsReply {
    try await client.reply(to: RelaysMethod.counts, request)
  }

  /// Counts channels by relay, status and cause. Removed relays of channels do not count. With many channels the reply may be some minutes
  /// old, as for org.batond.Channels.Counts. With 'more' it sends one page per reply until the list ends, all of one moment.
  public func countsAndFollow(_ request: ListRequest = ListRequest()) async throws -> some AsyncSequence<
    RelaysCountsReply, any Error
  > & Sendable {
    try await client.replies(to: RelaysMethod.counts, request, of: RelaysCountsReply.self)
  }

  /// All pages of `counts`.
  public func allCounts(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [ChannelsAtRelay] {
    try await client.pages(ListRequest(filter: filter, sort: sort), of: counts) { ($0.counts, $0.nextCursor) }
  }

  /// Returns the performance of relays: channels by status, outcomes, times until channels became active, and times of connections.
  /// Outcomes are from the latest 50000 lines of the history of all channels. A channel that returns to a relay that lost it is not an
  /// outcome. The reply may be some minutes old, and 'more' sends pages, as for Counts.
  public func figures(_ request: ListRequest = ListRequest()) async throws -> RelaysFiguresReply {
    try await client.reply(to: RelaysMethod.figures, request)
  }

  /// Returns the performance of relays: channels by status, outcomes, times until channels became active, and times of connections.
  /// Outcomes are from the latest 50000 lines of the history of all channels. A channel that returns to a relay that lost it is not an
  /// outcome. The reply may be some minutes old, and 'more' sends pages, as for Counts.
  public func figuresAndFollow(_ request: ListRequest = ListRequest()) async throws -> some AsyncSequence<
    RelaysFiguresReply, any Error
  > & Sendable {
    try await client.replies(to: RelaysMethod.figures, request, of: RelaysFiguresReply.self)
  }

  /// All pages of `figures`.
  public func allFigures(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [RelayFigures] {
    try await client.pages(ListRequest(filter: filter, sort: sort), of: figures) { ($0.figures, $0.nextCursor) }
  }
}
