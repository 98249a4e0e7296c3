internal import CPostgreSQL
internal import Channels
internal import Glibc

/// One connection of libpq. One thread at a time uses it, and waits in it no longer than until a deadline.
final class Link {
  /// The server's unrequested messages. They may come at any moment of a call.
  private final class Notices {
    var states: [String] = []
  }

  private var connection: OpaquePointer?
  /// Whether the connection is to be closed immediately, even in the middle of a question.
  var isGivenUp: @Sendable () -> Bool = { false }
  private let notices = Notices()
  private var listener: UnsafeMutableRawPointer?
  /// A prepared statement: the same text with values of other types is another one.
  private struct Form: Hashable {
    let text: String
    let types: [UInt32]
    init(_ statement: SQLStatement) { (text, types) = (statement.text, statement.values.map(\.type)) }
  }

  /// The names of statements that this server has prepared.
  private var prepared: [Form: String] = [:]
  private var names = 0
  /// When the server last answered.
  private var heardAt = ContinuousClock.now

  /// How many statements a connection keeps prepared. Baton has a few hundred.
  private static let preparedMax = 1_000

  var serverVersion: Int { connection.map { Int(pq_serverVersion($0)) } ?? 0 }
  var backend: Int { connection.map { Int(pq_backendPID($0)) } ?? 0 }

  deinit { close() }

  /// Hangs up. The server may still carry out running work.
  func close() {
    guard let connection else { return }
    pq_finish(connection)
    free(listener)
    (self.connection, listener, prepared) = (nil, nil, [:])
  }

  // MARK: - Connecting

  /// Connects to one server. Looking its name up has no deadline, because the C library has none.
  init(_ host: PostgreSQLAddress.Host, _ settings: [String: String], until deadline: ContinuousClock.Instant)
    throws(PostgreSQLFailure)
  {
    var all = settings
    if !host.name.isEmpty { all["host"] = host.name }
    all["hostaddr"] = host.address
    all["port"] = host.port
    all["client_encoding"] = "UTF8"
    all["target_session_attrs"] = "any"
    let sorted = all.sorted { $0.key < $1.key }
    var keys: [UnsafePointer<CChar>?] = sorted.map { UnsafePointer(strdup($0.key)) } + [nil]
    var values: [UnsafePointer<CChar>?] = sorted.map { UnsafePointer(strdup($0.value)) } + [nil]
    defer { for text in keys + values { free(UnsafeMutablePointer(mutating: text)) } }
    guard let connection = pq_connectStart(&keys, &values) else { throw .unavailable("no memory for a connection") }
    self.connection = connection
    let context = Unmanaged.passUnretained(notices).toOpaque()
    listener = pq_onNotice(
      connection,
      { context, state, _ in
        guard let context, let state else { return }
        Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().states.append(String(cString: state))
      }, context)
    guard listener != nil else {
      close()
      throw .unavailable("no memory for a connection")
    }
    var step = CInt(PQ_POLLING_WRITING)
    while step != PQ_POLLING_OK {
      if pq_status(connection) == PQ_CONNECTION_BAD || step == PQ_POLLING_FAILED { throw lost(host) }
      let isInTime = wait(for: step == PQ_POLLING_READING ? POLLIN : POLLOUT, until: deadline)
      guard isInTime else {
        close()
        throw .unavailable("\(host) does not answer")
      }
      step = pq_connectPoll(connection)
    }
    guard pq_setNonblocking(connection) == 0, pq_enterPipeline(connection) == 1 else { throw lost(host) }
  }

  /// Closes a connection that failed, and returns the reason.
  private func lost(_ host: PostgreSQLAddress.Host) -> PostgreSQLFailure {
    let words = reason
    close()
    return .unavailable("\(host): \(words)")
  }

  /// libpq's message about the connection, in one line, with the server's. It may name users and servers, never a password.
  private var reason: String {
    guard let connection, let text = pq_errorMessage(connection) else { return "the connection is closed" }
    let lines = String(cString: text).split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
    let words = lines.prefix(3).joined(separator: "; ")
    return words.isEmpty ? "the connection broke" : words.fromServer
  }

  // MARK: - Asking

  /// Carries out statements in one transaction. They go in one piece, and the first that fails undoes all.
  func run(_ statements: [SQLStatement], until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) -> [SQLRows] {
    guard let connection else { throw .unavailable("not connected to the database") }
    try check(until: deadline)
    notices.states = []
    if prepared.count > Self.preparedMax {
      // Too many different texts. A new connection begins with none.
      close()
      throw .unavailable("the connection has prepared too many statements")
    }
    var (steps, fresh): ([Step], [Form: String]) = ([], [:])
    for (index, statement) in statements.enumerated() {
      let form = Form(statement)
      let name: String
      if !statement.isKept {
        // The statement without a name is replaced by the next one.
        name = ""
        guard prepare(statement, as: name) else { throw broken(isSent: false) }
        steps.append(.prepare(index, form, name))
      } else if let known = prepared[form] ?? fresh[form] {
        name = known
      } else {
        names += 1
        name = "baton\(names)"
        fresh[form] = name
        guard prepare(statement, as: name) else { throw broken(isSent: false) }
        steps.append(.prepare(index, form, name))
      }
      guard send(statement, as: name) else { throw broken(isSent: false) }
      steps.append(.execute(index))
    }
    guard pq_pipelineSync(connection) == 1 else { throw broken(isSent: false) }
    try flush(until: deadline)
    return try answers(to: steps, count: statements.count, until: deadline)
  }

  /// Makes sure that the server is still there before it is sent anything that it could carry out. It may have ended an idle connection,
  /// and a device between the two may have forgotten it silently.
  private func check(until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) {
    var isDoubtful = heardAt.duration(to: .now) > Self.idleMax
    while pq_socket(connection) >= 0, wait(for: POLLIN, until: ContinuousClock.now, atLeastOnce: true) {
      guard pq_consumeInput(connection) == 1 else { throw broken(isSent: false) }
      // No one has asked, so it may be why the connection ends.
      isDoubtful = true
    }
    guard isDoubtful else { return }
    guard pq_pipelineSync(connection) == 1 else { throw broken(isSent: false) }
    do throws(PostgreSQLFailure) {
      // The other half is for a new connection.
      let half = ContinuousClock.now + ContinuousClock.now.duration(to: deadline) / 2
      try flush(until: half)
      _ = try answers(to: [], count: 0, until: half)
    } catch {
      close()
      throw .unavailable("\(error)")
    }
  }

  private enum Step {
    case prepare(Int, Form, String)
    case execute(Int)
  }

  private func prepare(_ statement: SQLStatement, as name: String) -> Bool {
    let types = statement.values.map(\.type)
    return pq_sendPrepare(connection, name, statement.text, CInt(types.count), types) == 1
  }

  private func send(_ statement: SQLStatement, as name: String) -> Bool {
    let values = statement.values.map(\.binary)
    var (bytes, places): ([UInt8], [Int?]) = ([], [])
    for value in values {
      places.append(value == nil ? nil : bytes.count)
      bytes += value ?? []
    }
    // An empty value needs an address, too.
    bytes.append(0)
    let lengths = values.map { CInt($0?.count ?? 0) }
    let formats = [CInt](repeating: 1, count: values.count)
    return bytes.withUnsafeBytes { buffer in
      let pointers = places.map { place in
        place.flatMap { buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
      }
      return pq_sendPrepared(connection, name, CInt(values.count), pointers, lengths, formats) == 1
    }
  }

  /// Hands everything to the kernel. The end of the transaction is the last of it, so as long as something is left nothing can happen.
  private func flush(until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) {
    while true {
      switch pq_flush(connection) {
      case 0: return
      case 1:
        guard wait(for: POLLIN | POLLOUT, until: deadline) else {
          close()
          throw .unavailable("the database did not accept all data within the time for it")
        }
        // If this side does not read, the server may stop reading too. This also sends, so when it fails the end may have arrived.
        guard pq_consumeInput(connection) == 1 else { throw broken(isSent: true) }
      default: throw broken(isSent: false)
      }
    }
  }

  private func answers(
    to steps: [Step], count: Int, until deadline: ContinuousClock.Instant
  ) throws(PostgreSQLFailure) -> [SQLRows] {
    var (found, error): ([SQLRows], SQLError?) = ([], nil)
    found.reserveCapacity(count)
    for step in steps {
      let result = try next(until: deadline)
      switch (step, pq_resultStatus(result)) {
      case (.prepare(_, let form, let name), CInt(PQ_COMMAND_OK)):
        if !name.isEmpty { prepared[form] = name }
        pq_clear(result)
      case (.execute, CInt(PQ_COMMAND_OK)), (.execute, CInt(PQ_TUPLES_OK)), (.execute, CInt(PQ_EMPTY_QUERY)):
        found.append(SQLRows(result))
        pq_clear(result)
      case (_, CInt(PQ_PIPELINE_ABORTED)): pq_clear(result)
      case (.prepare(let index, _, _), _), (.execute(let index), _):
        let (fault, isEnd) = Self.error(result, statement: index)
        pq_clear(result)
        error = error ?? fault
        if isEnd { throw broken(isSent: true, fault) }
      }
      try endOfStep(until: deadline)
    }
    // Errors at the end of the transaction appear here.
    while true {
      let result = try next(until: deadline)
      defer { pq_clear(result) }
      if pq_resultStatus(result) == CInt(PQ_PIPELINE_SYNC) { break }
      let (fault, isEnd) = Self.error(result, statement: nil)
      error = error ?? fault
      if isEnd { throw broken(isSent: true, fault) }
    }
    heardAt = .now
    if let error {
      switch error.state {
      // The server has forgotten a statement, or its tables have changed: it is prepared again.
      case "26000", "0A000": prepared = [:]
      // The server only reads now, and another one may write.
      case "25006": close()
      default: break
      }
      throw .refused(error)
    }
    // A warning at the end of a transaction: the server has given up waiting for its standby, so its changes may be lost with it.
    if let state = notices.states.first(where: { $0.hasPrefix("01") || $0.hasPrefix("57P") }) {
      throw .inDoubt("the database did not wait until its standby has the change (\(state.fromServer))")
    }
    return found
  }

  /// Each step ends with an empty answer.
  private func endOfStep(until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) {
    try settle(until: deadline)
    guard let surplus = pq_getResult(connection) else { return }
    pq_clear(surplus)
    throw broken(isSent: true)
  }

  private func next(until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) -> OpaquePointer {
    try settle(until: deadline)
    if let result = pq_getResult(connection) { return result }
    // Between the last step and the end of the transaction there may be an empty answer. After a lost connection nothing else comes.
    guard pq_status(connection) != PQ_CONNECTION_BAD else { throw broken(isSent: true) }
    try settle(until: deadline)
    guard let result = pq_getResult(connection) else { throw broken(isSent: true) }
    return result
  }

  /// Waits for the next answer.
  private func settle(until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) {
    while pq_isBusy(connection) == 1 {
      let now = ContinuousClock.now
      guard now < deadline, !isGivenUp() else {
        close()
        throw .inDoubt("the database did not answer within the time for it")
      }
      // Encrypted data may have arrived, and be kept where the socket does not show it.
      _ = wait(for: POLLIN, until: min(deadline, now + Self.lookAgain))
      guard pq_consumeInput(connection) == 1 else { throw broken(isSent: true) }
    }
  }

  /// Closes a broken connection.
  /// - Parameter isSent: whether the server may have everything.
  private func broken(isSent: Bool, _ error: SQLError? = nil) -> PostgreSQLFailure {
    let words = "the connection to the database broke: \(error?.description ?? reason)"
    close()
    return isSent ? .inDoubt(words) : .unavailable(words)
  }

  /// The error in an answer, and whether the connection ends with it.
  private static func error(_ result: OpaquePointer, statement: Int?) -> (SQLError, isEnd: Bool) {
    func text(_ part: UnsafePointer<CChar>?) -> String? { part.map { String(cString: $0).fromServer } }
    let error = SQLError(
      state: text(pq_resultState(result)) ?? "08006", message: text(pq_resultMessage(result)) ?? "the connection broke",
      constraint: text(pq_resultConstraint(result)), statement: statement)
    // An error of libpq itself has neither: the connection broke.
    let isEnd = text(pq_resultState(result)) == nil || ["FATAL", "PANIC"].contains(text(pq_resultSeverity(result)))
    return (error, isEnd)
  }

  private static let lookAgain = Duration.milliseconds(50)
  /// How long after an answer the server is assumed to be there.
  private static let idleMax = Duration.seconds(1)

  // MARK: - Waiting

  /// - Parameter atLeastOnce: whether to look once even after the deadline, without waiting.
  /// - Returns: whether something can be done before the deadline.
  private func wait(for events: CInt, until deadline: ContinuousClock.Instant, atLeastOnce: Bool = false) -> Bool {
    let descriptor = pq_socket(connection)
    guard descriptor >= 0 else { return true }
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero || atLeastOnce else { return false }
      let (seconds, attoseconds) = max(rest, .zero).components
      let milliseconds = atLeastOnce ? 0 : min(seconds, 86_400) * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let count = poll(&entry, 1, CInt(milliseconds))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return true }
      if atLeastOnce, count == 0 { return false }
    }
  }
}

extension String {
  /// The text for logs, journals and terminals: a server, or an impostor, may send anything.
  var fromServer: String { Trouble(.protocol, self).detail }
}
