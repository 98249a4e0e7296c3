internal import PostgreSQL
internal import Storage

/// A few connections that only read. Each question sees what was durable at one moment.
actor ReaderPool {
  private let settings: SharedStore.Settings
  private var idle: [PostgreSQLConnection] = []
  private var lent = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isClosed = false

  init(_ settings: SharedStore.Settings) { self.settings = settings }

  /// Asks everything at one moment.
  /// - Throws: `StoreError`; it may work later.
  func ask(_ statements: [SQLStatement]) async throws(StoreError) -> [SQLRows] {
    while lent >= settings.readers { await withCheckedContinuation { waiting.append($0) } }
    lent += 1
    defer {
      lent -= 1
      if !waiting.isEmpty { waiting.removeFirst().resume() }
    }
    do throws(PostgreSQLFailure) {
      // One that was idle may have ended meanwhile. Reading again does no harm.
      if let connection = idle.popLast(), let answer = try? await ask(statements, over: connection) { return answer }
      guard !isClosed else { throw .unavailable("the store is closed") }
      let fresh = try await PostgreSQLConnection.open(
        settings.address, name: "batond reader", schema: settings.schema, isReader: true, hostTimeout: settings.hostTimeout)
      return try await ask(statements, over: fresh)
    } catch {
      throw StoreError(.inputOutput, "the database: \(error)")
    }
  }

  private func ask(
    _ statements: [SQLStatement], over connection: PostgreSQLConnection
  ) async throws(PostgreSQLFailure) -> [SQLRows] {
    do throws(PostgreSQLFailure) {
      let rows = try await connection.run(statements, within: settings.timeout)
      if isClosed { await connection.close() } else { idle.append(connection) }
      return rows
    } catch {
      if case .refused = error, !isClosed { idle.append(connection) } else { await connection.close() }
      throw error
    }
  }

  func close() async {
    isClosed = true
    let all = idle
    idle = []
    for connection in all { await connection.close() }
  }
}
