internal import Foundation
internal import Glibc
internal import Synchronization

/// A PostgreSQL server in a temporary folder. It ends with the test.
public final class PostgreSQLCluster: Sendable {
  public let folder: TemporaryFolder
  public let port: Int
  private let start: (path: String, arguments: [String])
  private let running: Mutex<Program>
  /// Has the folder on a small disk; `nil` if it is on the usual one.
  private let disk: SmallDisk?
  private let clock: OtherClock?

  /// The server as it runs now.
  public var process: Program { running.withLock { $0 } }

  /// Where Debian keeps the newest version's programs.
  private static let programs: String = {
    let root = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap(Int.init)
    return "\(root)/\(versions.max() ?? 0)/bin"
  }()

  /// The server does not run as root, so it has a user of its own.
  private static let asUser =
    geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] : []

  private static func command(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
  ) -> (path: String, arguments: [String]) {
    // It is for this program, and not for the one that runs it as another user.
    let variables = environment.isEmpty ? [] : ["/usr/bin/env"] + environment.map { "\($0)=\($1)" }
    let all = asUser + variables + ["\(programs)/\(program)"] + arguments
    return (all[0], Array(all.dropFirst()))
  }

  /// - Parameters:
  ///   - primary: the server that this one follows; `nil` for a server of its own.
  ///   - isGuarded: whether it has what `guardedAddress` needs.
  ///   - clock: its time of day; `nil` for the machine's.
  ///   - megabytes: the size of its disk, if it is to have a small one of its own and this user may mount one.
  public init(
    _ settings: [String: String] = [:], standbyOf primary: PostgreSQLCluster? = nil, diskOf megabytes: Int? = nil,
    isGuarded: Bool = false, clock: OtherClock? = nil
  ) async throws {
    folder = try TemporaryFolder()
    port = Program.freePort()
    // A server that serves many tests is still there when the run is over.
    Leftovers.shared?.outlives(folder.path)
    disk = if let megabytes { SmallDisk(folder.path, megabytes: megabytes) } else { nil }
    try Self.own(folder.path)
    try await Self.makeData(in: folder.path, standbyOf: primary)
    let data = folder.path + "/data"
    let guarding = isGuarded ? try Self.certify(folder) : [:]
    let all = [
      "port": "\(port)", "listen_addresses": "127.0.0.1", "unix_socket_directories": folder.path, "max_connections": "50",
      // What a server that is killed leaves behind stays in its folder.
      "dynamic_shared_memory_type": "mmap",
    ].merging(guarding) { _, own in own }.merging(settings) { _, own in own }
    start = Self.command(
      "postgres", ["-D", data] + all.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] },
      environment: try clock?.settings ?? [:])
    self.clock = clock
    running = Mutex(try Program(start.path, start.arguments))
    _ = try await process.line(containing: "ready to accept")
    if isGuarded { try await makeRole() }
  }

  /// Whether its disk can be filled.
  public var hasSmallDisk: Bool { disk != nil }

  /// Leaves no room on its small disk, until `clearDisk`.
  public func fillDisk() async throws {
    // It ends when there is no room.
    _ = try await Program.run("/bin/dd", ["if=/dev/zero", "of=\(folder.path)/filler", "bs=64k"])
    _ = try await Program.run("/bin/dd", ["if=/dev/zero", "of=\(folder.path)/filler2", "bs=1"])
  }

  public func clearDisk() throws {
    for name in ["filler", "filler2"] { try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)") }
  }

  /// The server does not run as root, so its files are not root's.
  static func giveAway(_ path: String) {
    if geteuid() == 0, let user = getpwnam("postgres") { chown(path, user.pointee.pw_uid, user.pointee.pw_gid) }
  }

  private static func own(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    giveAway(path)
  }

  private static func makeData(in folder: String, standbyOf primary: PostgreSQLCluster?) async throws {
    let data = folder + "/data"
    try own(data)
    let make =
      if let primary {
        command(
          "pg_basebackup",
          [
            "-h", primary.folder.path, "-p", "\(primary.port)", "-U", "postgres", "-D", data, "-R", "-X", "stream", "-c",
            "fast",
            "--no-sync",
          ])
      } else {
        command(
          "initdb",
          [
            // Columns that declare no collation sort as people expect, and so differ from SQLite.
            "-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en",
            "--auth-local=trust", "--auth-host=scram-sha-256",
            "--no-sync",
          ])
      }
    let (status, lines) = try await Program.run(make.path, make.arguments)
    guard status == 0 else { throw Program.Ended(description: "no data for a server: \(lines.suffix(5))") }
    chmod(data, 0o700)
  }

  /// All of its processes.
  private var processes: [Int32] {
    let children = (try? String(contentsOfFile: "/proc/\(process.pid)/task/\(process.pid)/children", encoding: .utf8)) ?? ""
    return [process.pid] + children.split(separator: " ").compactMap { Int32($0) }
  }

  /// Ends all of it at once, as if its machine was gone.
  public func crash() async {
    for process in processes { kill(process, SIGKILL) }
    _ = await process.status()
    // The kernel keeps its shared memory otherwise (System V).
    let lines =
      (try? String(contentsOfFile: folder.path + "/data/postmaster.pid", encoding: .utf8))?.split(separator: "\n") ?? []
    if lines.count > 6, let id = lines[6].split(separator: " ").last.flatMap({ Int32($0) }) { shmctl(id, IPC_RMID, nil) }
  }

  /// Stops all of it where it is, as if its machine hung. It must crash later.
  public func hang() { for process in processes { kill(process, SIGSTOP) } }

  /// Begins again as the standby of another server, with a copy of its data.
  public func follow(_ primary: PostgreSQLCluster) async throws {
    try FileManager.default.removeItem(atPath: folder.path + "/data")
    try await Self.makeData(in: folder.path, standbyOf: primary)
    try await restart()
  }

  /// The address over the Unix socket, where everyone is trusted.
  public func address(_ more: String = "") -> String {
    "host=\(folder.path) port=\(port) user=postgres dbname=postgres \(more)"
  }

  /// The part of an address that says where servers are, by their ports on loopback.
  public static func places(_ ports: [Int]) -> String {
    "host=\(ports.map { _ in "127.0.0.1" }.joined(separator: ",")) port=\(ports.map { "\($0)" }.joined(separator: ","))"
  }

  /// PostgreSQL's own client.
  public static var psql: String { programs + "/psql" }

  /// The server's Unix socket.
  public var socket: String { "\(folder.path)/.s.PGSQL.\(port)" }

  /// Stops the server without letting anyone finish.
  public func stop() async {
    process.signal(SIGINT)
    _ = await process.status()
  }

  /// Stops a process of the server where it is, as if its machine hung.
  public func freeze(_ backend: Int32) {
    // No one would end it if the run was cut off before it goes on.
    Leftovers.shared?.began(backend)
    kill(backend, SIGSTOP)
  }

  public func thaw(_ backend: Int32) {
    kill(backend, SIGCONT)
    Leftovers.shared?.ended(backend)
  }

  /// Starts the server again after it was stopped.
  public func restart() async throws {
    let program = try Program(start.path, start.arguments)
    running.withLock { $0 = program }
    _ = try await program.line(containing: "ready to accept")
  }
}

/// A small file system of its own in a folder.
private final class SmallDisk: Sendable {
  private let path: String

  /// - Returns: `nil` if this user may not mount anything.
  init?(_ path: String, megabytes: Int) {
    self.path = path
    guard mount("baton", path, "tmpfs", 0, "size=\(megabytes)m,mode=711") == 0 else { return nil }
  }

  deinit { umount2(path, CInt(MNT_DETACH)) }
}
