internal import Dispatch
internal import Synchronization

/// A connection to a PostgreSQL server that may write. Callers wait for their turn without blocking a thread. libpq blocks a separate one.
///
/// A broken connection cannot be repaired: open a new one, because everything that was known may have changed.
public actor PostgreSQLConnection {
  /// The server's description of itself.
  public nonisolated let server: PostgreSQLServer
  private nonisolated let thread: BlockingThread
  private let link: Link
  private nonisolated let isGivenUp: Flag

  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private init(_ link: sending Link, _ server: PostgreSQLServer, _ thread: BlockingThread) {
    let flag = Flag()
    link.isGivenUp = { flag.isSet }
    self.link = link
    self.server = server
    self.thread = thread
    isGivenUp = flag
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  /// Connects to the first server that may write.
  /// - Parameters:
  ///   - name: the name that the server shows for the connection (`application_name`), and the name of the thread.
  ///   - settings: additions to the settings of all connections, or replacements for this one.
  ///   - hostTimeout: the time limit for one server. All together may need as many times that limit as there are servers.
  /// - Throws: `refused` if one server is unfit for Baton and no other can be used. Otherwise `unavailable`, with every server's reason.
  public static func open(
    _ address: PostgreSQLAddress, name: String, settings: [String: String] = [:], hostTimeout: Duration = .seconds(5)
  ) async throws(PostgreSQLFailure) -> PostgreSQLConnection {
    let thread = BlockingThread(name)
    let result: Result<PostgreSQLConnection, PostgreSQLFailure> = await withCheckedContinuation { continuation in
      thread.run {
        continuation.resume(returning: Self.connect(address, name, settings, hostTimeout, thread))
      }
    }
    return try result.get()
  }

  private static func connect(
    _ address: PostgreSQLAddress, _ name: String, _ own: [String: String], _ hostTimeout: Duration,
    _ thread: BlockingThread
  ) -> Result<PostgreSQLConnection, PostgreSQLFailure> {
    var reasons: [String] = []
    var refusal: PostgreSQLFailure?
    for host in address.hosts {
      do throws(PostgreSQLFailure) {
        let deadline = ContinuousClock.now + hostTimeout
        var settings = address.settings(for: host)
        settings["application_name"] = name
        let link = try Link(host, settings, until: deadline)
        let server = try PostgreSQLServer.settle(link, own, until: deadline)
        if let why = server.standby {
          link.close()
          reasons.append("\(host) \(why)")
          continue
        }
        return .success(PostgreSQLConnection(link, server, thread))
      } catch {
        // Another server may still be the right one.
        if case .refused(let error) = error, error.state == PostgreSQLServer.unfit { refusal = refusal ?? .refused(error) }
        let words = "\(error)"
        reasons.append(words.hasPrefix("\(host)") ? words : "\(host): \(words)")
      }
    }
    if let refusal { return .failure(refusal) }
    return .failure(.unavailable("no server of the database can be used: " + reasons.joined(separator: "; ")))
  }

  /// Carries out statements in one transaction, after all earlier ones. They go in one piece, without an answer between them.
  /// - Parameter timeout: how long it may last once its turn has come. Then the connection is closed, and never cancelled: a commit that is
  ///   cancelled may count as done and be lost with its server.
  /// - Returns: the answers, one for each statement.
  public func run(_ statements: [SQLStatement], within timeout: Duration) throws(PostgreSQLFailure) -> [SQLRows] {
    try link.run(statements, until: ContinuousClock.now + timeout)
  }

  /// Carries out one statement.
  public func run(_ statement: SQLStatement, within timeout: Duration) throws(PostgreSQLFailure) -> SQLRows {
    let rows = try run([statement], within: timeout)
    guard let first = rows.first else { throw .unavailable("the database gave no answer") }
    return first
  }

  /// Closes the connection in the middle of a question, the current one or else the next. The result of that question is unknown.
  public nonisolated func giveUp() { isGivenUp.set() }

  /// Closes the connection once earlier statements are done.
  public func close() { link.close() }
}

/// Runs the work of a connection, one piece after the other, where it may block.
private final class BlockingThread: SerialExecutor {
  private let queue: DispatchQueue

  init(_ name: String) { queue = DispatchQueue(label: name) }

  func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
