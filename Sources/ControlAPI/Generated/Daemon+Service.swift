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
  /// How the daemon is.
  func status() async throws -> DaemonStatus
  /// What whoever asks may do, as the kernel says who that is. Programs show by it what they offer; the daemon refuses the rest with
  /// org.varlink.service.PermissionDenied all the same.
  func permissions() async throws -> DaemonPermissionsReply
  /// The daemons that share a store.
  func cluster() async throws -> DaemonClusterReply
  /// Makes a daemon hand over all of its channels to the others, for example before its machine is stopped, or take its share again. It answers
  /// all calls as before. When the daemon begins again, it takes its share. Refused with NotShared where the store is not shared.
  func drain(_ request: DaemonDrainRequest) async throws
  /// Figures of the daemon, as they are now. What is counted is counted since the daemon began. Figures about all channels may be some minutes
  /// old where there are many, as those of org.batond.Channels.Counts.
  func metrics() async throws -> DaemonMetricsReply
  /// Looks for damage in the database: in the file, between its tables, and in channels that cannot be read. Takes a while with many channels.
  func check() async throws -> DaemonCheckReply
  /// A consistent copy of the database, in pieces, while the daemon goes on. Secret keys in it are encrypted with the key file, which is
  /// not part of it.
  /// - Parameter stream: takes all replies but the last one.
  func backup(
    _ stream: ReplyStream<DaemonBackupReply>
  ) async throws -> DaemonBackupReply
  /// Reads the configuration and the files that declare operators, servers and relays again. All of them are checked before anything
  /// changes.
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
