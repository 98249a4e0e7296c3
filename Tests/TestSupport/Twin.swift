internal import Channels
internal import Foundation
internal import PostgreSQL
public import PostgreSQLStore
internal import Storage
public import Store
internal import Synchronization

/// A store in PostgreSQL that is given and asked the same as one in a file.
final class Twin: Sendable {
  /// Whether every store is to have one. Then whatever differs is said at once, and fails the run at its end.
  static let isWanted = ProcessInfo.processInfo.environment["BATON_TWIN"] != nil

  private let storage: Task<SharedStore, any Error>
  /// Both do one thing at a time, so that they are asked about the same.
  let turns = Turns()

  /// - Parameter database: what tells the file from all others.
  init(of database: String) { storage = Task { try await TwinDatabase.shared.storage(for: database) } }

  /// Makes the same durable.
  func commit(_ request: CommitRequest, _ expected: Result<CommitReceipt, CommitFailure>) async {
    let answer: Result<CommitReceipt, CommitFailure>
    do {
      let storage = try await storage.value
      do throws(CommitFailure) { answer = .success(try await storage.commit(request)) } catch { answer = .failure(error) }
    } catch {
      return Self.differ("\(error)", "", "")
    }
    Self.compare("\(request)", Self.words(expected), Self.words(answer))
  }

  /// What became of a request. Why something was refused is said in the words of each database.
  private static func words(_ result: Result<CommitReceipt, CommitFailure>) -> String {
    switch result {
    case .success(var receipt):
      receipt.rejections = receipt.rejections.mapValues { $0 == .conflict ? .conflict : .refused("") }
      return text(receipt)
    case .failure(.refused): return "refused"
    case .failure(let failure): return "\(failure)"
    }
  }

  /// Asks the same.
  func ask<Value: Sendable>(
    _ question: String, _ ask: (any TestedStorage) async throws -> Value, _ expected: Result<Value, any Error>
  ) async {
    let answer: Result<Value, any Error>
    do { answer = .success(try await ask(try await storage.value)) } catch { answer = .failure(error) }
    Self.compare(question, Self.words(expected), Self.words(answer))
  }

  private static func words<Value>(_ result: Result<Value, any Error>) -> String {
    switch result {
    case .success(let value): text(value)
    case .failure(let error as StoreError): "\(error.code)"
    case .failure(let error): "\(error)"
    }
  }

  // MARK: - Comparing

  private static func compare(_ question: String, _ a: String, _ b: String) { if a != b { differ(question, a, b) } }

  private static let differences = Mutex<[String]>([])
  static var found: [String] { differences.withLock { $0 } }

  private static func differ(_ question: String, _ a: String, _ b: String) {
    // From a little before the first difference.
    let same = max(0, zip(a, b).prefix { $0 == $1 }.count - 200)
    let text =
      "\(question.prefix(1_500))\n  file:       \(a.dropFirst(same).prefix(1_500))\n  "
      + "PostgreSQL: \(b.dropFirst(same).prefix(1_500))"
    let count = differences.withLock { found in
      if isWanted, found.isEmpty { atexit { _exit(3) } }
      if found.count < 20 { found.append(text) }
      return found.count
    }
    guard isWanted, count < 20 else { return }
    FileHandle.standardError.write(Data("✘ the two stores differ: \(text)\n".utf8))
  }

  /// A value as text, which is the same for equal values.
  private static func text(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.map { "\($0.label ?? "") \(text($0.value))" }
    return switch mirror.displayStyle {
    case .dictionary?, .set?: "[\(parts.sorted().joined(separator: ", "))]"
    case nil: "\(value)"
    case .enum? where parts.isEmpty: "\(value)"
    default: "(\(parts.joined(separator: ", ")))"
    }
  }
}

/// Stores that several daemons could share, on one server for all tests of a run.
public enum SharedStores {
  /// An empty one, which belongs to a store in a file.
  public static func make(besides store: Store) async throws -> SharedStore {
    try await TwinDatabase.shared.storage(for: store.databaseID)
  }

  /// The latest lines of the server's log.
  public static func log() async -> [String] { await TwinDatabase.shared.log() }
}

/// The server of all twins of a run. Each has tables of its own.
private actor TwinDatabase {
  static let shared = TwinDatabase()

  private var cluster: Task<PostgreSQLCluster, any Error>?
  private var known: [String: Task<(schema: String, session: Int64), any Error>] = [:]

  func log() async -> [String] { (try? await cluster?.value)?.process.lines.suffix(30) ?? [] }

  /// The store that is the twin of one in a file.
  func storage(for database: String) async throws -> SharedStore {
    let cluster =
      cluster ?? Task { try await PostgreSQLCluster(["max_connections": "800", "fsync": "off"]) }
    self.cluster = cluster
    let address = try PostgreSQLAddress(try await cluster.value.address())
    let number = known.count
    let task = known[database] ?? Task { try await Self.make("twin_\(number)", address) }
    known[database] = task
    let (schema, session) = try await task.value
    if FaultyStorage.emptied.withLock({ $0.remove(database) }) != nil { try await Self.empty(schema, address) }
    var settings = SharedStore.Settings(address: address)
    settings.schema = schema
    settings.readers = 1
    settings.timeout = .seconds(120)
    settings.hostTimeout = .seconds(60)
    // A process that runs only when no other needs a processor may pause for long.
    settings.pauseLimit = .seconds(600)
    return SharedStore(settings, session: session) { session }
  }

  private static func empty(_ schema: String, _ address: PostgreSQLAddress) async throws {
    let connection = try await PostgreSQLConnection.open(
      address, name: "twin", schema: schema, hostTimeout: .seconds(60))
    let tables = try await connection.run(
      SQLStatement(
        """
        SELECT string_agg(tablename, ', ') FROM pg_tables
        WHERE schemaname = $1 AND tablename NOT IN ('sessions', 'slots', 'migrations')
        """, [.text(schema)]), within: .seconds(60))
    _ = try await connection.run(SQLStatement("TRUNCATE \(tables.text(0, 0) ?? "")"), within: .seconds(60))
    await connection.close()
  }

  private static func make(_ schema: String, _ address: PostgreSQLAddress) async throws -> (schema: String, session: Int64) {
    let connection = try await PostgreSQLConnection.open(
      address, name: "twin", schema: schema, hostTimeout: .seconds(60))
    try await DatabaseSchema.prepare(connection, schema: schema, within: .seconds(120))
    let session = try await connection.run(
      SQLStatement(
        "INSERT INTO sessions (name, version, schema, expires) VALUES ('twin', '0', 1, 'infinity') RETURNING id"),
      within: .seconds(60))
    await connection.close()
    return (schema, session.int(0, 0) ?? 0)
  }
}
