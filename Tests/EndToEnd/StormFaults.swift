import Foundation
import Glibc
import TestTools

/// What happens to daemons that share a database, to the database, and to what is between.
enum StormFault {
  case kill
  /// For longer than a session lasts.
  case pause
  /// In both directions or in one, for longer than a session lasts.
  case cut
  /// In the middle of what a daemon sends, which may be a part of a commit.
  case half
  /// Connections are ended by the server.
  case terminate
  /// Statements are given up, commits among them.
  case cancel
  /// The server ends without letting anyone finish, and begins again.
  case restart
  /// A process of the server hangs, whatever it does just now.
  case freeze
  /// A daemon hands over its channels, and takes its share again.
  case drain
  /// A daemon is stopped in order, and one of another build begins in its place, if there is one; tables have got a column by then.
  case upgrade
  /// The server's disk is full, until someone notices.
  case fullDisk
  /// The clock of a daemon that runs is set to a time that is wrong by minutes, and set right again.
  case clock
  /// The server's machine is gone, and its standby takes over.
  case failover
  /// The server's machine hangs, its standby takes over, and the machine is switched off later.
  case failoverFromHanging
  /// The standby is gone for longer than sessions last, so commits wait.
  case standbyAway
}

/// Makes faults, and returns when each is over; what it led to may not be.
struct StormFaults {
  let daemons: [StormDaemon]
  let database: StormDatabase
  let reader: StormReader
  let ledger: StormLedger
  var random: Seeded

  private mutating func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

  /// The session of a daemon, as the database has it.
  private func session(_ daemon: StormDaemon) async throws -> String? {
    try await reader.rows("SELECT max(id) FROM sessions WHERE name = '\(daemon.name)'").first?.first.flatMap {
      $0.isEmpty ? nil : $0
    }
  }

  /// Returns once a session is over, or soon at the latest.
  private func waitForEnd(of session: String) async throws {
    try await reader.waits(for: "SELECT 1 WHERE NOT EXISTS (SELECT FROM sessions WHERE id = \(session))", times: 300)
  }

  mutating func make(_ fault: StormFault, _ daemon: StormDaemon) async throws {
    switch fault {
    case .kill: await kill(daemon)
    case .pause: try await pause(daemon)
    case .cut, .half:
      let session = try await session(daemon)
      for cuts in daemon.cuts {
        if fault == .half {
          cuts.cut(afterBytes: draw(4_000) + 1)
        } else {
          cuts.cut([[.toServer], [.toClient], [.toServer, .toClient]][draw(3)])
        }
      }
      defer { for cuts in daemon.cuts { cuts.heal() } }
      if let session { try await waitForEnd(of: session) }
    case .terminate, .cancel:
      let function = fault == .cancel ? "pg_cancel_backend" : "pg_terminate_backend"
      for _ in 0..<10 {
        _ = try await reader.rows(
          """
          SELECT \(function)(pid) FROM pg_stat_activity
          WHERE application_name LIKE 'batond/%' AND (state = 'active' OR random() < 0.3)
          """)
      }
    case .restart:
      await database.primary.stop()
      try await database.primary.restart()
    case .freeze: try await freeze()
    case .drain:
      for undo in [[], ["--undo"]] { try await drain(daemon, undo) }
    case .upgrade: try await upgrade(daemon)
    case .fullDisk: try await fillDisk()
    case .clock:
      await daemon.isReady()
      try daemon.setClock(wrongBy: .seconds(draw(2) == 0 ? 300 : -300))
      await ledger.answers(more: 3)
      try daemon.setClock(wrongBy: .zero)
    case .failover, .failoverFromHanging:
      if fault == .failover { await database.primary.crash() } else { database.primary.hang() }
      try await database.takeOver()
    case .standbyAway:
      await database.standby?.crash()
      // Commits wait for it, renewals among them, until someone notices.
      let before = daemons.map { ($0.program, $0.program?.lines.count ?? 0) }
      while !Task.isCancelled,
        !zip(daemons, before).contains(where: { daemon, before in
          daemon.program !== before.0 || before.0 == nil
            || daemon.program?.lines.dropFirst(before.1).contains { $0.contains("did not renew this daemon's session") } ?? true
        })
      { _ = try await reader.rows("SELECT pg_sleep(0.1)") }
      try await database.takeBackStandby()
    }
  }

  /// Sends a signal at once, or while something is on its way to the database or back: part of a commit, or the answer to one.
  private mutating func signal(_ number: Int32, _ program: Program, of daemon: StormDaemon) {
    switch draw(3) {
    case 0: program.signal(number)
    case let kind:
      for cuts in daemon.cuts {
        cuts.after(bytes: draw(4_000) + 1, kind == 1 ? .toServer : .toClient) { program.signal(number) }
      }
    }
  }

  private mutating func kill(_ daemon: StormDaemon) async {
    guard let program = await daemon.nextProgram() else { return }
    signal(SIGKILL, program, of: daemon)
    _ = await program.status()
    for cuts in daemon.cuts { cuts.heal() }
  }

  private mutating func pause(_ daemon: StormDaemon) async throws {
    await daemon.isReady()
    guard let session = try await session(daemon), let program = daemon.program else { return }
    // Its end must not wait for the test's.
    defer { program.signal(SIGCONT) }
    signal(SIGSTOP, program, of: daemon)
    // If all are asleep, no one takes over.
    try await reader.waits(
      for: """
        SELECT 1 WHERE NOT EXISTS (SELECT FROM sessions WHERE id = \(session) AND expires > clock_timestamp() - interval '3 seconds')
        """, times: 300)
    for cuts in daemon.cuts { cuts.heal() }
  }

  /// Has a daemon hand over its channels, or take them back. If it begins again meanwhile, it has taken them back by itself.
  private func drain(_ daemon: StormDaemon, _ undo: [String] = []) async throws {
    await daemon.isReady()
    let before = try await session(daemon)
    while !Task.isCancelled, try await session(daemon) == before,
      try await daemon.installation.control(["cluster", "drain", daemon.name, "--yes"] + undo).status != 0
    {}
  }

  private mutating func upgrade(_ daemon: StormDaemon) async throws {
    _ = try await reader.rows("ALTER TABLE channels ADD COLUMN IF NOT EXISTS of_a_later_version integer")
    let isDrained = draw(2) == 0
    if isDrained {
      try await drain(daemon)
      if let session = try await session(daemon) {
        try await reader.waits(for: "SELECT 1 WHERE NOT EXISTS (SELECT FROM slots WHERE session = \(session))", times: 300)
      }
    }
    await daemon.upgrade()
    let builds = try await reader.rows("SELECT name, version, schema FROM sessions ORDER BY id")
    traced("daemons: \(builds)")
  }

  private func freeze() async throws {
    let found = try await reader.rows(
      "SELECT pid, split_part(application_name, '/', 3) FROM pg_stat_activity WHERE application_name LIKE 'batond/%/%' ORDER BY random() LIMIT 1"
    )
    guard let row = found.first, let pid = Int32(row[0]) else { return }
    database.primary.freeze(pid)
    defer { database.primary.thaw(pid) }
    // Either its session goes on over other connections, or others take it over; one of both is to be seen soon.
    try await reader.waits(
      for: """
        SELECT 1 WHERE NOT EXISTS (SELECT FROM sessions WHERE id = \(row[1]))
        OR EXISTS (SELECT FROM sessions WHERE id = \(row[1]) AND expires > clock_timestamp() + interval '4 seconds')
        """, times: 100)
  }

  private func fillDisk() async throws {
    try await database.primary.fillDisk()
    let before = daemons.map { ($0.program, $0.program?.lines.count ?? 0) }
    var tries = 0
    while !Task.isCancelled, tries < 100, database.primary.process.isRunning,
      !zip(daemons, before).contains(where: { daemon, before in
        daemon.program !== before.0
          || daemon.program?.lines.dropFirst(before.1).contains { $0.contains("No space left") } ?? false
      })
    {
      tries += 1
      _ = try? await reader.rows("SELECT pg_sleep(0.1)")
    }
    try database.primary.clearDisk()
    // A server that cannot write what it must ends, maybe a moment later.
    while !Task.isCancelled, (try? await reader.rows("SELECT 1")) == nil {
      if !database.primary.process.isRunning { try await database.primary.restart() }
      await Task.yield()
    }
  }
}
