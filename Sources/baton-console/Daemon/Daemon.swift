internal import BatonClient
internal import ControlAPI
internal import Varlink

/// The daemon, over a few connections that all visitors share.
actor Daemon {
  /// Connections for calls. Streams have connections of their own.
  static let connectionsMax = 8
  /// How long an answer may take.
  private static let timeout = Duration.seconds(20)
  /// How long a call is repeated that a restarting daemon did not take.
  private static let persistence = Duration.seconds(3)

  nonisolated let socket: String
  private var idle: [BatonClient] = []
  private var open = 0
  private var waiting: [CheckedContinuation<BatonClient?, Never>] = []

  /// - Parameter socket: path of the control socket.
  init(socket: String) { self.socket = socket }

  /// Has `body` make calls on a connection that nobody else uses meanwhile.
  /// - Throws: `VarlinkError` as the daemon declares it, or `VarlinkClient.Failure`.
  nonisolated func ask<Reply: Sendable>(_ body: @Sendable (BatonClient) async throws -> Reply) async throws -> Reply {
    let client = try await take()
    do {
      let reply = try await body(client)
      await giveBack(client, isWhole: true)
      return reply
    } catch {
      // What the daemon refused was answered; after a failure the connection may hold half of an answer.
      let refusal = error as? VarlinkError
      await giveBack(client, isWhole: refusal != nil && refusal?.kind != .tooManyConnections)
      throw error
    }
  }

  /// A connection of its own, for a stream.
  nonisolated func connect() async throws(VarlinkClient.Failure) -> BatonClient {
    try await BatonClient(socket: socket, timeout: Self.timeout)
  }

  private func take() async throws(VarlinkClient.Failure) -> BatonClient {
    if let client = idle.popLast() { return client }
    guard open < Self.connectionsMax else {
      if let client = await withCheckedContinuation({ waiting.append($0) }) { return client }
      return try await fresh()
    }
    open += 1
    return try await fresh()
  }

  /// A new connection, in a place that is counted already.
  private func fresh() async throws(VarlinkClient.Failure) -> BatonClient {
    do {
      return try await BatonClient(socket: socket, timeout: Self.timeout, persistence: Self.persistence)
    } catch {
      freePlace()
      throw error
    }
  }

  private func giveBack(_ client: BatonClient, isWhole: Bool) async {
    if isWhole {
      if waiting.isEmpty { idle.append(client) } else { waiting.removeFirst().resume(returning: client) }
    } else {
      freePlace()
      await client.close()
    }
  }

  /// Hands the place of a connection that has ended to whoever waits for one.
  private func freePlace() {
    if waiting.isEmpty { open -= 1 } else { waiting.removeFirst().resume(returning: nil) }
  }
}
