internal import Foundation
internal import Glibc
internal import Synchronization

/// A PostgreSQL server in a temporary folder. It ends with the test.
public final class PostgreSQLCluster: Sendable {
  public let folder: TemporaryFolder
  public let port: Int
  private let start: (path: String, arguments: [String])
  private let running: Mutex<Program>

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

  private static func command(_ program: String, _ arguments: [String]) -> (path: String, arguments: [String]) {
    let all = asUser + ["\(programs)/\(program)"] + arguments
    return (all[0], Array(all.dropFirst()))
  }

  public init(_ settings: [String: String] = [:]) async throws {
    folder = try TemporaryFolder()
    port = Program.freePort()
    // A server that serves many tests is still there when the run is over.
    Leftovers.shared?.outlives(folder.path)
    let data = folder.path + "/data"
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    if geteuid() == 0, let user = getpwnam("postgres") {
      chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid)
      chown(data, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    let make = Self.command(
      "initdb",
      [
        // Columns that declare no collation sort as people expect, and so differ from SQLite.
        "-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en",
        "--auth-local=trust", "--auth-host=scram-sha-256",
        "--no-sync",
      ])
    let (status, lines) = try await Program.run(make.path, make.arguments)
    guard status == 0 else { throw Program.Ended(description: "initdb: \(lines.suffix(5))") }
    let all = [
      "port": "\(port)", "listen_addresses": "127.0.0.1", "unix_socket_directories": folder.path, "max_connections": "50",
      // What a server that is killed leaves behind stays in its folder.
      "dynamic_shared_memory_type": "mmap",
    ].merging(settings) { _, own in own }
    start = Self.command(
      "postgres", ["-D", data] + all.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] })
    running = Mutex(try Program(start.path, start.arguments))
    _ = try await process.line(containing: "ready to accept connections")
  }

  /// The address over the Unix socket, where everybody is trusted.
  public func address(_ more: String = "") -> String {
    "host=\(folder.path) port=\(port) user=postgres dbname=postgres \(more)"
  }

  /// Stops the server without letting anybody finish.
  public func stop() async {
    process.signal(SIGINT)
    _ = await process.status()
  }

  /// Stops a process of the server where it is, as if its machine hung.
  public func freeze(_ backend: Int32) {
    // Nobody would end it if the run was cut off before it goes on.
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
    _ = try await program.line(containing: "ready to accept connections")
  }
}
