internal import BatonClient
internal import ControlAPI
internal import Varlink

/// The daemon, over a few connections that all visitors share.
actor Daemon {
  /// Connections for calls. Streams have connections of their own.
  static let connectionsMax = 8
  /// The connections that one visitor uses at a time. The daemon sees all visitors as one user, so they share places here.
  private static let perVisitorMax = 2
  /// How long an answer may take.
  private static let timeout = Duration.seconds(20)
  /// How long a call is repeated that a restarting daemon did not take.
  private static let persistence = Duration.seconds(3)

  /// For whom the daemon is asked; `nil` if it is for the console itself.
  @TaskLocal static var visitor: String?

  nonisolated let socket: String
  private var idle: [BatonClient] = []
  private var places = Places<String>(max: connectionsMax, perUserMax: perVisitorMax)
  private var waiting: [(visitor: String?, turn: CheckedContinuation<Void, Never>)] = []

  /// - Parameter socket: path of the control socket.
  init(socket: String) { self.socket = socket }

  /// Has `body` make calls on a connection that no one else uses meanwhile.
  /// - Throws: `VarlinkError` as the daemon declares it, or `VarlinkClient.Failure`.
  nonisolated func ask<Reply: Sendable>(_ body: @Sendable (BatonClient) async throws -> Reply) async throws -> Reply {
    let visitor = Self.visitor
    let client = try await take(for: visitor)
    do {
      let reply = try await body(client)
      await giveBack(client, isWhole: true, from: visitor)
      return reply
    } catch {
      // What the daemon refused was answered; after a failure the connection may hold half of an answer.
      let refusal = error as? VarlinkError
      await giveBack(client, isWhole: refusal != nil && refusal?.kind != .tooManyConnections, from: visitor)
      throw error
    }
  }

  /// A connection of its own, for a stream.
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
