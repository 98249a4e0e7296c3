internal import PostgreSQL
internal import Storage

/// A few connections that only read. Each question sees the durable data of one moment.
actor ReaderPool {
  private let settings: SharedStore.Settings
  private let isForClients: Bool
  private var idle: [PostgreSQLConnection] = []
  private var lent = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isClosed = false

  /// - Parameter isForClients: whether a question ends when its task is cancelled. Otherwise the number of simultaneous questions is
  ///   limited.
  init(_ settings: SharedStore.Settings, isForClients: Bool = false) {
    self.settings = settings
    self.isForClients = isForClients
  }

  /// Asks everything at one moment.
  /// - Throws: `StoreError`. It may work later.
  func ask(_ statements: [SQLStatement]) async throws(StoreError) -> [SQLRows] {
    while !isForClients, lent >= settings.readers { await withCheckedContinuation { waiting.append($0) } }
    lent += 1
    defer {
      lent -= 1
      if !waiting.isEmpty { waiting.removeFirst().resume() }
    }
    do throws(PostgreSQLFailure) {
      if let connection = idle.popLast() {
        do throws(PostgreSQLFailure) {
          return try await ask(statements, over: connection)
        } catch {
          // An idle connection may have ended since. Reading again does no harm.
          if case .refused = error { throw error }
          if isForClients, Task.isCancelled { throw error }
        }
      }
      guard !isClosed else { throw .unavailable("the store is closed") }
      let fresh = try await PostgreSQLConnection.open(
        settings.address, name: "batond reader", schema: settings.schema, readLimit: settings.timeout,
        hostTimeout: settings.hostTimeout, pauseLimit: settings.pauseLimit)
      // The server ends work for a client that is gone, if its system can detect that.
      if isForClients { _ = try? await fresh.run(Self.attention, within: settings.timeout) }
      return try await ask(statements, over: fresh)
    } catch {
      throw StoreError(.inputOutput, "the database: \(error)")
    }
  }

  private static let attention = SQLStatement("SELECT set_config('client_connection_check_interval', '500ms', false)")

  private func ask(
    _ statements: [SQLStatement], over connection: PostgreSQLConnection
  ) async throws(PostgreSQLFailure) -> [SQLRows] {
    do throws(PostgreSQLFailure) {
      let rows = try await run(statements, over: connection)
      await keep(connection)
      return rows
    } catch {
      if case .refused = error { await keep(connection) } else { await connection.close() }
      throw error
    }
  }

  private func run(
    _ statements: [SQLStatement], over connection: PostgreSQLConnection
  ) async throws(PostgreSQLFailure) -> [SQLRows] {
    guard isForClients else { return try await connection.run(statements, within: settings.timeout) }
    let result: Result<[SQLRows], PostgreSQLFailure> = await withTaskCancellationHandler {
      do throws(PostgreSQLFailure) {
        return .success(try await connection.run(statements, within: settings.timeout))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      connection.giveUp()
    }
    return try result.get()
  }

  private func keep(_ connection: PostgreSQLConnection) async {
    if isClosed || idle.count >= settings.readers { await connection.close() } else { idle.append(connection) }
  }

  func close() async {
    isClosed = true
    let all = idle
    idle = []
    for connection in all { await connection.close() }
  }
}
