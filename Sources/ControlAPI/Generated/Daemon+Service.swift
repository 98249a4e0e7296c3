// Written by `make generate` from org.batond.Daemon.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Daemon`.
public enum DaemonMethod: String, InterfaceMethod {
  case status = "org.batond.Daemon.Status"
  case permissions = "org.batond.Daemon.Permissions"
  case cluster = "org.batond.Daemon.Cluster"
  case drain = "org.batond.Daemon.Drain"
  case metrics = "org.batond.Daemon.Metrics"
  case check = "org.batond.Daemon.Check"
  case backup = "org.batond.Daemon.Backup"
  case reload = "org.batond.Daemon.Reload"
}

/// What a server of `org.batond.Daemon` does.
public protocol DaemonService: InterfaceService where Method == DaemonMethod, Refusal == DaemonRefusal {
  /// Returns the state of the daemon.
  func status() async throws -> DaemonStatus
  /// Returns the permissions of the client's user, as the kernel identifies it, so that programs offer nothing else. The daemon refuses the
  /// rest with org.varlink.service.PermissionDenied.
  func permissions() async throws -> DaemonPermissionsReply
  /// Returns the daemons that share a store.
  func cluster() async throws -> DaemonClusterReply
  /// Makes a daemon of a shared store hand over its channels to the others, for example before its machine stops, or accept its share
  /// again. It still answers all calls, and accepts its share after a restart.
  func drain(_ request: DaemonDrainRequest) async throws
  /// Returns the current metrics of the daemon. Counters begin with its start. With many channels, metrics of all channels may be some
  /// minutes old, as for org.batond.Channels.Counts.
  func metrics() async throws -> DaemonMetricsReply
  /// Looks for damage in the database: in the file, between its tables, and in unreadable channels. This is slow with many channels.
  func check() async throws -> DaemonCheckReply
  /// Sends a consistent copy of the database in pieces, while the daemon continues. Secret keys in it are encrypted with the key file,
  /// which is not included. Refused with StoreIsShared if the store is shared.
  /// - Parameter stream: takes all replies but the last one.
  func backup(
    _ stream: ReplyStream<DaemonBackupReply>
  ) async throws -> DaemonBackupReply
  /// Reads the configuration and the files that declare operators, servers and relays again. Nothing changes unless all of them are valid.
  func reload() async throws -> ReloadReport
}

extension DaemonService {
  public func answer(
    _ method: DaemonMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .status: return try await status()
    case .permissions: return try await permissions()
    case .cluster: return try await cluster()
    case .drain:
      try await drain(call.request())
      return NoReply()
    case .metrics: return try await metrics()
    case .check: return try await check()
    case .backup: return try await backup(ReplyStream(stream))
    case .reload: return try await reload()
    }
  }
}
