public import ControlAPI
internal import NIOConcurrencyHelpers
public import StrictJSON
public import Varlink

/// A client of Baton's control interfaces, with typed calls over one Unix socket.
///
/// Calls share one connection. Each stream has its own, because a stream occupies its connection.
public struct BatonClient: Sendable {
  public static let defaultSocket = "/run/batond/control"

  public let socket: String
  /// How long to wait for a reply, or `nil` for as long as the connection lasts. Streams have no limit.
  public let timeout: Duration?
  /// How long to repeat a call that the daemon did not process because it was restarting or overloaded. With zero, calls are not repeated,
  /// and `notTaken` and `Busy` are thrown like other failures.
  public let persistence: Duration
  private let connection: NIOLockedValueBox<VarlinkClient>

  /// How long a restarted daemon needs at most to serve its socket again.
  private static let restart = Duration.seconds(3)
  /// Rewrites every reply before it is decoded. `nil` leaves replies unchanged.
  private var rewrite: (@Sendable (JSONValue) -> JSONValue)?

  /// Connects to a daemon.
  /// - Parameters:
  ///   - socket: path of the control socket.
  ///   - timeout: how long to wait for a reply, or `nil` for as long as the connection lasts.
  ///   - persistence: how long to repeat a call that the daemon did not process.
  /// - Throws: `VarlinkClient.Failure`, for example `notReachable` if no daemon serves the socket.
  public init(
    socket: String = defaultSocket, timeout: Duration? = .seconds(45), persistence: Duration = .zero
  ) async throws(VarlinkClient.Failure) {
    self.socket = socket
    self.timeout = timeout
    self.persistence = persistence
    let client = try await VarlinkClient.connect(
      path: socket, patience: timeout ?? .seconds(45), whileRefused: min(persistence, Self.restart))
    connection = NIOLockedValueBox(client)
  }

  public func close() async { await connection.withLockedValue { $0 }.close() }

  /// Whether the daemon did nothing, so that any call, even one that makes changes, may be repeated.
  static func isNotTaken(_ error: any Error) -> Bool {
    if let failure = error as? VarlinkClient.Failure { return failure == .notTaken }
    return (error as? VarlinkError)?.kind == .busy
  }

  /// A new connection to replace a connection that the daemon closed.
  private func reconnect() async throws(VarlinkClient.Failure) -> VarlinkClient {
    // The daemon was there a moment ago.
    let wait = min(persistence, Self.restart)
    return try await VarlinkClient.connect(
      path: socket, patience: timeout ?? .seconds(45), whileRefused: wait, whileMissing: wait)
  }

  /// Replaces the connection `ended` with a new one, unless a concurrent call has done so.
  private func replace(_ ended: VarlinkClient) async throws(VarlinkClient.Failure) {
    guard connection.withLockedValue({ $0 === ended }) else { return }
    let fresh = try await reconnect()
    let isWanted = connection.withLockedValue { current in
      guard current === ended else { return false }
      current = fresh
      return true
    }
    if !isWanted { await fresh.close() }
  }

  /// Makes a call, and repeats it if the daemon did not process it.
  private func persistently<Reply>(_ ask: (VarlinkClient) async throws -> Reply) async throws -> Reply {
    var pauses = Pauses(within: persistence)
    while true {
      let client = connection.withLockedValue { $0 }
      do {
        return try await ask(client)
      } catch  where Self.isNotTaken(error) {
        guard try await pauses.next() else { throw error }
        if error is VarlinkClient.Failure { try await replace(client) }
      }
    }
  }

  /// This client with `rewrite` applied to all replies, for programs that show replies and send no part of them back.
  package func rewriting(_ rewrite: @escaping @Sendable (JSONValue) -> JSONValue) -> BatonClient {
    var client = self
    client.rewrite = rewrite
    return client
  }

  private func read(_ reply: [String: JSONValue]) -> [String: JSONValue] { rewrite?(.object(reply)).object ?? reply }

  /// Calls any method.
  /// - Throws: `VarlinkError` as declared in the interface, or `VarlinkClient.Failure`.
  public func call(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws -> [String: JSONValue] {
    try await call(method, parameters, timeout: timeout)
  }

  /// Calls any method.
  /// - Parameter timeout: how long to wait for the reply, or `nil` for as long as the connection lasts.
  /// - Throws: `VarlinkError` as declared in the interface, or `VarlinkClient.Failure`.
  public func call(
    _ method: String, _ parameters: [String: JSONValue] = [:], timeout: Duration?
  ) async throws -> [String: JSONValue] {
    read(try await persistently { try await $0.call(method, parameters, timeout: timeout) })
  }

  /// Calls any method with `more`. The stream ends after the last reply. Ending the iteration closes its connection.
  public func stream(
    _ method: String, _ parameters: [String: JSONValue] = [:]
  ) async throws(VarlinkClient.Failure) -> some AsyncSequence<[String: JSONValue], any Error> & Sendable {
    let client = try await VarlinkClient.connect(path: socket, whileRefused: min(persistence, Self.restart))
    return PersistentReplies(
      first: client.callMore(method, parameters, thenClose: true), persistence: persistence
    ) { try await reconnect().callMore(method, parameters, thenClose: true) }
    .map { read($0) }
  }

  // MARK: - Daemon

  public func status() async throws -> DaemonStatus {
    try DaemonStatus(json: .object(try await call(DaemonMethod.status)))
  }

  /// The permissions of this client's user.
  public func permissions() async throws -> DaemonPermissionsReply {
    try DaemonPermissionsReply(json: .object(try await call(DaemonMethod.permissions)))
  }

  /// Loads the files that declare operators again.
  public func reload() async throws -> ReloadReport {
    try ReloadReport(json: .object(try await call(DaemonMethod.reload)))
  }

  public func ping() async throws { _ = try await call(ServiceMethod.ping) }

  // MARK: - Channels

  /// All channels that are not deleted, by id.
  /// - Parameter filter: see `org.batond.Channels.List`.
  public func channels(filter: JSONValue? = nil) async throws -> [Channel] {
    try await all(ChannelsMethod.list, "channels", filter.map { ["filter": $0] } ?? [:])
  }

  /// How many channels there are by network and phase.
  public func channelCounts() async throws -> ChannelsCountsReply {
    try ChannelsCountsReply(json: .object(try await call(ChannelsMethod.counts)))
  }

  public func channel(id: Int64) async throws -> Channel { try await channel(.get, ["id": .integer(id)]) }
  public func channel(name: String) async throws -> Channel { try await channel(.get, ["name": .string(name)]) }

  /// Creates a channel. Returns once it is durable.
  public func createChannel(_ request: CreateChannel) async throws -> Channel {
    try await channel(.create, try request.json.object ?? [:])
  }

  /// Creates a channel and follows it until no relay is under way.
  public func createChannelAndFollow(
    _ request: CreateChannel
  ) async throws -> some AsyncSequence<Channel, any Error> & Sendable {
    try await stream(ChannelsMethod.create, try request.json.object ?? [:])
      .compactMap { try $0["channel"].map { try Channel(json: $0) } }
  }

  /// Retries one relay, or all that are not active.
  public func retryChannel(id: Int64, relayId: Int64? = nil) async throws -> Channel {
    var parameters: [String: JSONValue] = ["id": .integer(id)]
    if let relayId { parameters["relayId"] = .integer(relayId) }
    return try await channel(.retryRelay, parameters)
  }

  /// Puts a channel on more relays: the named ones, or as many as `pick`.
  public func addRelays(_ relayIds: [Int64], pick: Int = 0, toChannel id: Int64) async throws -> Channel {
    var parameters: [String: JSONValue] = ["id": .integer(id)]
    if !relayIds.isEmpty { parameters["relayIds"] = .array(relayIds.map(JSONValue.integer)) }
    if pick > 0 { parameters["pick"] = .integer(Int64(pick)) }
    return try await channel(.addRelays, parameters)
  }

  /// Changes a channel. Returns once the change is durable.
  public func updateChannel(_ request: UpdateChannel) async throws -> Channel {
    try await channel(.update, try request.json.object ?? [:])
  }

  /// Removes a channel from a relay.
  public func removeRelay(_ relayId: Int64, fromChannel id: Int64) async throws -> Channel {
    try await channel(.removeRelay, ["id": .integer(id), "relayId": .integer(relayId)])
  }

  /// Mutes a channel, or unmutes it.
  public func setMuted(_ isMuted: Bool, channel id: Int64) async throws -> Channel {
    try await channel(.setMuted, ["id": .integer(id), "muted": .bool(isMuted)])
  }

  /// Pins a channel, or unpins it.
  public func setPinned(_ isPinned: Bool, channel id: Int64) async throws -> Channel {
    try await channel(.setPinned, ["id": .integer(id), "pinned": .bool(isPinned)])
  }

  /// Sets whether the messages of a channel are read, and how far back. `nil` stands for the daemon's option.
  /// - Parameters:
  ///   - days: the greatest age of messages, 0 for any age.
  ///   - count: the number of newest messages to read from one relay.
  ///   - keep: the number of other people's messages to keep.
  public func setFollowing(
    _ isFollowed: Bool, days: Int? = nil, count: Int? = nil, keep: Int? = nil, channel id: Int64
  ) async throws -> Channel {
    try await channel(
      .setFollowing,
      ChannelsSetFollowingRequest(id: id, followed: isFollowed, days: days, count: count, keep: keep).json.object ?? [:])
  }

  /// Freezes a channel, so that nothing is published in it, or unfreezes it.
  public func setFrozen(_ isFrozen: Bool, channel id: Int64) async throws -> Channel {
    try await channel(.setFrozen, ["id": .integer(id), "frozen": .bool(isFrozen)])
  }

  /// Hides a channel from the inbox until a new message arrives, or shows it again.
  /// - Parameter clearingHistory: whether to remove its existing messages. Only with `isHidden`.
  public func setHidden(_ isHidden: Bool, clearingHistory: Bool = false, channel id: Int64) async throws -> Channel {
    var parameters: [String: JSONValue] = ["id": .integer(id), "hidden": .bool(isHidden)]
    if clearingHistory { parameters["clearHistory"] = true }
    return try await channel(.setHidden, parameters)
  }

  /// Removes the existing messages of a channel from Baton, but not from its relays.
  /// - Parameter posts: whether to delete its own posts on its relays as well, which needs some time for each post.
  public func truncate(posts: Bool = false, channel id: Int64) async throws -> ChannelsTruncateReply {
    let reply = try await call(ChannelsMethod.truncate, ["id": .integer(id), "posts": .bool(posts)], timeout: nil)
    return try ChannelsTruncateReply(json: .object(reply))
  }

  public func verifyChannel(id: Int64) async throws -> Channel { try await channel(.verify, ["id": .integer(id)]) }
  public func deleteChannel(id: Int64) async throws -> Channel { try await channel(.delete, ["id": .integer(id)]) }

  /// Starts to follow someone else's channel.
  /// - Returns: the channel. If Baton follows it already or owns it, the existing one.
  public func follow(_ request: ChannelsFollowRequest) async throws -> Channel {
    // Servers and relays may need minutes to let someone in.
    try await channel(.follow, request.json.object ?? [:], timeout: request.join == true ? nil : timeout)
  }

  /// Stops following a channel, and forgets the data that was read from it. If reading required a membership, Baton leaves the channel.
  /// - Parameter keepMembership: whether to keep the membership.
  public func unfollow(channel id: Int64, keepMembership: Bool = false) async throws -> Channel {
    try await channel(
      .unfollow, ChannelsUnfollowRequest(id: id, keepMembership: keepMembership ? true : nil).json.object ?? [:], timeout: nil)
  }

  public func transitions(channelID: Int64, limit: Int = 100) async throws -> [Transition] {
    let reply = try await call(
      ChannelsMethod.transitions, ["id": .integer(channelID), "limit": .integer(Int64(limit))])
    return try [Transition](json: reply["transitions"] ?? [])
  }

  // MARK: - Changes

  /// Transitions of all channels on all relays, latest first: one page.
  /// - Parameters:
  ///   - filter: conditions on the fields of `ChannelTransition`, such as `["relayId": 3]`.
  ///   - limit: the largest number of lines, 1 to 1000. A page may have fewer even if more lines follow.
  ///   - cursor: `nextCursor` of the previous page.
  public func transitions(
    matching filter: JSONValue? = nil, limit: Int = 100, cursor: String? = nil
  ) async throws -> MonitorTransitionsReply {
    let request = MonitorTransitionsRequest(filter: filter, limit: limit, cursor: cursor)
    return try MonitorTransitionsReply(
      json: .object(try await call(MonitorMethod.transitions, try request.json.object ?? [:])))
  }

  /// Times at which relays and servers went up and down, latest first: one page.
  /// - Parameters:
  ///   - filter: conditions on the fields of `HealthChange`, such as `["relayId": 3]`.
  ///   - limit: the largest number of lines, 1 to 1000. A page may have fewer even if more lines follow.
  ///   - cursor: `nextCursor` of the previous page.
  public func healthChanges(
    matching filter: JSONValue? = nil, limit: Int = 100, cursor: String? = nil
  ) async throws -> MonitorHealthChangesReply {
    let request = MonitorHealthChangesRequest(filter: filter, limit: limit, cursor: cursor)
    return try MonitorHealthChangesReply(
      json: .object(try await call(MonitorMethod.healthChanges, try request.json.object ?? [:])))
  }

  /// Changes as they are committed. Without `since` the first message is a snapshot marker.
  public func watch(
    _ request: WatchRequest = WatchRequest()
  ) async throws -> some AsyncSequence<ChangeMessage, any Error> & Sendable {
    try await stream(MonitorMethod.watch, try request.json.object ?? [:]).map { try ChangeMessage(json: .object($0)) }
  }

  // MARK: - Helpers

  private func channel(_ method: ChannelsMethod, _ parameters: [String: JSONValue]) async throws -> Channel {
    try await channel(method, parameters, timeout: timeout)
  }

  private func channel(
    _ method: ChannelsMethod, _ parameters: [String: JSONValue], timeout: Duration?
  ) async throws -> Channel {
    try Channel(json: try await call(method, parameters, timeout: timeout)["channel"] ?? .null)
  }

  func all<T: Decodable>(
    _ method: some InterfaceMethod, _ key: String, _ parameters: [String: JSONValue] = [:]
  ) async throws -> [T] {
    var parameters = parameters
    parameters["limit"] = 1000
    var items: [T] = []
    repeat {
      let reply = try await call(method, parameters)
      items += try [T](json: reply[key] ?? [])
      parameters["cursor"] = reply["nextCursor"]
    } while parameters["cursor"] != nil
    return items
  }
}
