import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import Synchronization
import TestTools
import Varlink

/// A daemon that shares a database with others, started again whenever it ends, as a service manager does.
final class StormDaemon: Sendable {
  private struct State {
    var program: Program?
    var isEnding = false
    /// Ends that no one meant.
    var wrongs: [String] = []
    var starts = 0
    /// Whether its clock is wrong beyond what daemons bear, and whether it was at any time since this program began.
    var isClockWrong = false
    var wasClockWrong = false
    /// Whether the next one is of the other build.
    var isOther = false
    /// The program that is asked to end, for another to begin in its place.
    var replaced: Program?
  }

  /// A daemon of another build, by hand: its tables and those of this build must go together.
  private static let other = ProcessInfo.processInfo.environment["BATON_OTHER_BATOND"]

  let name: String
  let installation: Installation
  /// Its ways to the servers of the database.
  let cuts: [Cuts]
  private let state = Mutex(State())
  private let clock: OtherClock?
  private let offset: Duration

  /// - Parameters:
  ///   - server: asks for a password, over a connection with TLS; `nil` if everyone is trusted.
  ///   - offset: how much later its time of day is than this machine's; `nil` if it has no clock of its own.
  init(
    _ name: String, _ settings: [String: String], _ cuts: [Cuts], guardedBy server: PostgreSQLCluster?, clock offset: Duration?
  ) throws {
    self.name = name
    self.cuts = cuts
    self.offset = offset ?? .zero
    clock = try offset.map { try OtherClock($0) }
    let ports = cuts.map(\.port)
    let address =
      server?.guardedAddress(ports) ?? "\(PostgreSQLCluster.places(ports)) user=postgres dbname=postgres sslmode=disable"
    installation = try Installation(
      settings.merging(["BATON_STORE": address, "BATON_CLUSTER_NAME": name]) { _, own in own }
        .merging(try clock?.settings ?? [:]) { _, own in own })
  }

  /// Sets its clock, also while it runs.
  func setClock(wrongBy error: Duration) throws {
    try state.withLock { state in
      state.isClockWrong = error != .zero
      if state.isClockWrong { state.wasClockWrong = true }
      try clock?.set(offset + error)
    }
  }

  var program: Program? { state.withLock { $0.program } }
  var wrongs: [String] { state.withLock { $0.wrongs } }
  var starts: Int { state.withLock { $0.starts } }

  /// Runs it again and again, until `end`.
  func run() async throws {
    // A daemon that ends for a wrong reason is not started again: that is looked at.
    while !state.withLock({ $0.isEnding || !$0.wrongs.isEmpty }) {
      let program = try installation.launch(state.withLock { $0.isOther } ? Self.other : nil)
      let isEnding = state.withLock { state in
        (state.program, state.starts) = (program, state.starts + 1)
        state.wasClockWrong = state.isClockWrong
        return state.isEnding
      }
      if isEnding { program.signal(SIGTERM) }
      let status = await program.status()
      await program.drained()
      traced("\(name) ended with \(status): \(program.lines.last ?? "")")
      state.withLock { state in
        state.program = nil
        // It was killed, its session was over, the database went away while it began, or it was asked to end.
        let last = program.lines.last ?? ""
        let isAway = [
          "connection to the database broke", "no server of the database", "did not renew", "session of this daemon",
          "canceling statement", "within the time for it", "does not end a connection", "No space left",
        ]
        .contains { last.contains($0) }
        let isRefused = state.wasClockWrong && last.contains("Set the clocks right")
        let isAsked = state.isEnding || state.replaced === program
        guard ![-SIGKILL, 75].contains(status), !(status == 74 && (isAway || isRefused)), !(isAsked && status == 0)
        else {
          return
        }
        state.wrongs.append("\(name) ended with \(status): \(program.lastWords)")
      }
    }
  }

  /// Returns once it serves. It may have ended again by then.
  func isReady() async {
    while !Task.isCancelled, !state.withLock({ $0.isEnding || !$0.wrongs.isEmpty }) {
      if let program, (try? await program.line(containing: "is ready")) != nil { return }
      await Task.yield()
    }
  }

  /// The daemon as it runs now or soon, from its first moment.
  func nextProgram() async -> Program? {
    while !Task.isCancelled, !state.withLock({ $0.isEnding || !$0.wrongs.isEmpty }) {
      if let program { return program }
      await Task.yield()
    }
    return nil
  }

  func signal(_ number: Int32) { program?.signal(number) }

  /// Has it end in order, and one of the other build begin.
  func upgrade() async {
    await isReady()
    guard let program = await nextProgram() else { return }
    state.withLock { state in
      state.replaced = program
      state.isOther.toggle()
    }
    program.signal(SIGTERM)
    while self.program === program, !Task.isCancelled { await Task.yield() }
    await isReady()
  }

  func end() {
    state.withLock { $0.isEnding = true }
    for cuts in cuts { cuts.heal() }
    signal(SIGCONT)
    signal(SIGTERM)
  }
}

/// What those who use the daemons were told. Each channel is used by one of them, one call after the other.
actor StormLedger {
  struct Told {
    var id: Int64
    var description: String?
    var isDeleted = false
  }

  private(set) var told: [String: Told] = [:]
  private(set) var answers = 0
  private(set) var errors: [String: Int] = [:]
  /// What must not happen.
  private(set) var wrongs: [String] = []
  private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  func created(_ key: String, _ id: Int64) {
    if let earlier = told[key], earlier.id != id { wrongs.append("\(key) is channel \(earlier.id), and channel \(id)") }
    if told[key] == nil { told[key] = Told(id: id) }
    answered()
  }

  func updated(_ key: String, _ description: String) {
    told[key]?.description = description
    answered()
  }

  func deleted(_ key: String) {
    told[key]?.isDeleted = true
    answered()
  }

  func failed(_ error: any Error) { errors["\(error)".prefix(60).description, default: 0] += 1 }

  /// No one goes on after that.
  func isWrong(_ words: String) {
    traced("wrong: \(words)")
    wrongs.append(words)
    for waiter in waiters { waiter.continuation.resume() }
    waiters = []
  }

  private func answered() {
    answers += 1
    let ready = waiters.filter { $0.count <= answers }
    waiters.removeAll { $0.count <= answers }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// Returns once there are so many answers more.
  func answers(more count: Int) async {
    let goal = answers + count
    guard wrongs.isEmpty, !Task.isCancelled else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiters.append((goal, $0)) }
    } onCancel: {
      Task { await isWrong("the test took too long") }
    }
  }
}

/// What someone who watches a daemon gets, over all its ends.
actor StormWatcher {
  private(set) var revisions: [Int64] = []
  private var reached: Int64 { revisions.last ?? 0 }

  func run(_ daemon: StormDaemon) async {
    while !Task.isCancelled {
      await daemon.isReady()
      do {
        let client = try await daemon.installation.client()
        for try await change in try await client.monitor.watch(WatchRequest(since: reached)) where change.kind != "end" {
          revisions.append(change.revision)
        }
        await client.close()
        traced("watch ended at \(reached)")
      } catch { traced("watch: \(error)") }
    }
  }

  func reached(_ revision: Int64) async {
    while reached < revision, !Task.isCancelled { await Task.yield() }
  }
}

/// The server of the database, and perhaps a standby that has all that was acknowledged.
final class StormDatabase: Sendable {
  private let servers: Mutex<[PostgreSQLCluster]>

  init(_ servers: [PostgreSQLCluster]) { self.servers = Mutex(servers) }

  /// The one that takes writes.
  var primary: PostgreSQLCluster { servers.withLock { $0[0] } }
  var standby: PostgreSQLCluster? { servers.withLock { $0.count > 1 ? $0[1] : nil } }

  private func tell(_ server: PostgreSQLCluster, _ statements: String...) async throws {
    for statement in statements { _ = try await StormReader { server.address() }.rows(statement) }
  }

  /// Has commits wait for the standby, once that follows.
  func waitForStandby() async throws {
    let server = primary
    try await StormReader { server.address() }.waits(for: "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'")
    try await tell(server, "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'", "SELECT pg_reload_conf()")
    // A new connection that knows it means that all processes have been told. The checkpointer has commits wait, and a checkpoint means
    // that it has looked.
    try await StormReader { server.address() }.waits(
      for: "SELECT 1 WHERE current_setting('synchronous_standby_names') <> ''")
    try await tell(server, "CHECKPOINT")
  }

  /// Makes the standby the server that takes writes, and what was that before its standby.
  func takeOver() async throws {
    let (old, new) = servers.withLock { ($0[0], $0[1]) }
    // Who waited for that in the same statement would hold up the last of what the standby has to take in, and be cancelled.
    try await tell(new, "SELECT pg_promote(false)")
    try await StormReader { new.address() }.waits(for: "SELECT 1 WHERE NOT pg_is_in_recovery()")
    try await tell(new, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
    servers.withLock { $0 = [new, old] }
    // No one can reach it any more by now; switched off, it does not come back with its own state.
    await old.crash()
    try await takeBackStandby()
  }

  func takeBackStandby() async throws {
    try await standby?.follow(primary)
    try await waitForStandby()
  }
}

/// What an outside reader of the database sees.
struct StormReader: Sendable {
  struct Failure: Error {
    /// Whether the server cannot be reached.
    let isAway: Bool
    let lines: [String]
    /// Whether a standby had to take in something else first.
    var isOvertaken: Bool { lines.contains { $0.contains("conflict with recovery") } }
  }

  let address: @Sendable () -> String

  func rows(_ statement: String) async throws -> [[String]] {
    let result = try await Program.run(
      PostgreSQLCluster.psql,
      ["-X", "-q", "-A", "-t", "-F", "\u{1F}", "-v", "ON_ERROR_STOP=1", "-d", address(), "-c", statement],
      environment: ["PGOPTIONS": "-c search_path=baton"])
    guard result.status == 0 else { throw Failure(isAway: result.status == 2, lines: result.lines) }
    return result.lines.map { $0.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Asks until a statement finds something, also while the server is away.
  /// - Parameter times: how often at most, ten times a second.
  func waits(for statement: String, times: Int = .max) async throws {
    var left = times
    while !Task.isCancelled, left > 0 {
      left -= 1
      do {
        if try await !rows(statement).isEmpty { return }
        // The processor has other work.
        _ = try await rows("SELECT pg_sleep(0.1)")
      } catch let error as Failure where error.isAway || error.isOvertaken {}
    }
  }
}

/// Someone who creates channels, changes and deletes them, at whichever daemon, and asks again until there is an answer.
struct StormClient: Sendable {
  let number: Int
  let daemons: [StormDaemon]
  let ledger: StormLedger
  let reader: StormReader
  let isOver: @Sendable () -> Bool

  /// So often nothing fails in a row, even if faults follow each other.
  private static let failuresMax = 1_000

  /// Errors after which a call may be made again. All others are wrong.
  private static func mayRepeat(_ error: any Error) -> Bool {
    if let error = error as? VarlinkError {
      return ["OutcomeUnknown", "Busy", "StorageUnavailable"].contains { error.name.hasSuffix($0) }
    }
    return error is VarlinkClient.Failure
  }

  /// Makes a call at one daemon after the other until one answers.
  /// - Returns: `nil` if the answer is that it cannot be done.
  private func persistently<T: Sendable>(
    _ random: inout Seeded, _ call: (BatonClient) async throws -> T
  ) async -> Result<T, VarlinkError>? {
    var failures = 0
    while !Task.isCancelled, await ledger.wrongs.isEmpty {
      guard failures < Self.failuresMax else {
        await ledger.isWrong("no daemon did what client \(number) asked for, \(failures) times in a row")
        return nil
      }
      let daemon = daemons[Int(random.next() % UInt64(daemons.count))]
      await daemon.isReady()
      do {
        let client = try await BatonClient(socket: daemon.installation.socket, timeout: .seconds(30))
        do {
          let result = try await call(client)
          await client.close()
          return .success(result)
        } catch {
          // One that stays open counts among those that a user may have.
          await client.close()
          throw error
        }
      } catch {
        if let refusal = error as? VarlinkError, !Self.mayRepeat(error) { return .failure(refusal) }
        await ledger.failed(error)
        failures += 1
        traced("client \(number) at \(daemon.name): \(error)")
        // As long as nothing can be done, look at the database.
        _ = try? await reader.rows("SELECT count(*), pg_sleep(0.05) FROM slots WHERE session IS NULL")
      }
    }
    return nil
  }

  func run(seed: UInt64, channels: Int) async {
    var random = Seeded(state: seed)
    var lap = 0
    while !isOver(), !Task.isCancelled {
      for index in 0..<channels {
        guard !isOver(), !Task.isCancelled, await ledger.wrongs.isEmpty else { return }
        await step("client \(number) channel \(index) lap \(lap / 4)", lap % 4, &random)
      }
      lap += 1
    }
  }

  /// Creates a channel, changes it twice, deletes it.
  private func step(_ key: String, _ kind: Int, _ random: inout Seeded) async {
    if kind == 0 {
      let made = await persistently(&random) {
        try await $0.channels.create(CreateChannel(profile: Profile(displayName: key), idempotencyKey: key)).id
      }
      switch made {
      case .success(let id): await ledger.created(key, id)
      case .failure(let error): await ledger.isWrong("creating \(key): \(error)")
      case nil: break
      }
      return
    }
    guard let id = await ledger.told[key]?.id else { return }
    if kind == 3 {
      var asked = 0
      let deleted = await persistently(&random) { client in
        asked += 1
        return try await client.channels.delete(id: id).id
      }
      switch deleted {
      case .success: await ledger.deleted(key)
      // An earlier attempt without an answer may have done it.
      case .failure(let error) where error.name.hasSuffix("NoSuchChannel") && asked > 1: await ledger.deleted(key)
      case .failure(let error): await ledger.isWrong("deleting \(key), channel \(id): \(error)")
      case nil: break
      }
      return
    }
    let words = "change \(kind) of \(key)"
    let updated = await persistently(&random) { client in
      var request = UpdateChannel(id: id)
      request.description = words
      return try await client.channels.update(request).id
    }
    switch updated {
    case .success: await ledger.updated(key, words)
    case .failure(let error): await ledger.isWrong("changing \(key), channel \(id): \(error)")
    case nil: break
    }
    // It reaches readers, whatever happens meanwhile.
    _ = await persistently(&random) { client in
      let revision = try await client.daemon.status().revision
      let now = try await client.channels.get(id: id)
      if isSettled(now) { return }
      for try await change in try await client.monitor.watch(
        WatchRequest(since: revision, kinds: ["channel"], channelIds: [id]))
      {
        if let after = change.after, isSettled(try Channel(json: after)) { return }
      }
      throw VarlinkClient.Failure.disconnected
    }
  }

  private func isSettled(_ channel: Channel) -> Bool {
    channel.phase == "active" && channel.relays.allSatisfy { $0.edition == channel.edition }
  }
}

private let traces = ProcessInfo.processInfo.environment["BATON_TRACE"].flatMap { fopen($0, "w") }.map { Int(bitPattern: $0) }

func traced(_ words: @autoclosure () -> String) {
  guard let traces, let file = UnsafeMutablePointer<FILE>(bitPattern: traces) else { return }
  fputs("\(words())\n", file)
  fflush(file)
}
