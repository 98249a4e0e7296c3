internal import BatonClient
internal import ControlAPI
internal import Varlink

/// The daemon, over a few connections that all visitors share.
actor Daemon {
  /// The largest number of connections for calls. Each stream has a separate connection.
  static let connectionsMax = 8
  /// The connections that one visitor uses at a time. The daemon sees all visitors as one user, so the console divides the connections.
  private static let perVisitorMax = 2
  /// How long to wait for a reply.
  private static let timeout = Duration.seconds(20)
  /// How long to repeat a call that a restarting daemon did not process.
  private static let persistence = Duration.seconds(3)

  /// The visitor for whom the daemon is called, or `nil` for calls of the console itself.
  @TaskLocal static var visitor: String?

  nonisolated let socket: String
  private var idle: [BatonClient] = []
  private var places = Places<String>(max: connectionsMax, perUserMax: perVisitorMax)
  private var waiting: [(visitor: String?, turn: CheckedContinuation<Void, Never>)] = []

  /// - Parameter socket: path of the control socket.
  init(socket: String) { self.socket = socket }

  /// Runs `body`, which makes calls on a connection that no other visitor uses during that time.
  /// - Throws: `VarlinkError` as the daemon declares it, or `VarlinkClient.Failure`.
  nonisolated func ask<Reply: Sendable>(_ body: @Sendable (BatonClient) async throws -> Reply) async throws -> Reply {
    let visitor = Self.visitor
    let client = try await take(for: visitor)
    do {
      let reply = try await body(client)
      await giveBack(client, isWhole: true, from: visitor)
      return reply
    } catch {
      // A refusal is a complete reply. After a failure the connection may contain half of a reply.
      let refusal = error as? VarlinkError
      await giveBack(client, isWhole: refusal != nil && refusal?.kind != .tooManyConnections, from: visitor)
      throw error
    }
  }

  /// A separate connection, for a stream.
  nonisolated func connect() async throws(VarlinkClient.Failure) -> BatonClient {
    try await BatonClient(socket: socket, timeout: Self.timeout)
  }

  private func take(for visitor: String?) async throws(VarlinkClient.Failure) -> BatonClient {
    if !places.take(visitor) { await withCheckedContinuation { waiting.append((visitor, $0)) } }
    if let client = idle.popLast() { return client }
    do {
      return try await BatonClient(socket: socket, timeout: Self.timeout, persistence: Self.persistence)
    } catch {
      leave(visitor)
      throw error
    }
  }

  private func giveBack(_ client: BatonClient, isWhole: Bool, from visitor: String?) async {
    if isWhole { idle.append(client) }
    leave(visitor)
    if !isWhole { await client.close() }
  }

  /// Frees a place for a visitor who waits for one.
  private func leave(_ visitor: String?) {
    places.leave(visitor)
    if let next = places.takeNext(for: waiting.map(\.visitor)) { waiting.remove(at: next).turn.resume() }
  }
}
