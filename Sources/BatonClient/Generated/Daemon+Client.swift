// Written by `make generate` from org.batond.Daemon.varlink.

public import ControlAPI

extension BatonClient {
  /// The calls of `org.batond.Daemon`.
  public var daemon: DaemonClient { DaemonClient(client: self) }
}

/// Calls the methods of `org.batond.Daemon`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `DaemonRefusal` turns into a case with fields.
public struct DaemonClient: Sendable {
  let client: BatonClient

  /// Returns the state of the daemon.
  public func status() async throws -> DaemonStatus {
    try await client.reply(to: DaemonMethod.status, Nothing())
  }

  /// Returns the permissions of the client's user, as the kernel identifies it, so that programs offer nothing else. The daemon refuses the
  /// rest with org.varlink.service.PermissionDenied.
  public func permissions() async throws -> DaemonPermissionsReply {
    try await client.reply(to: DaemonMethod.permissions, Nothing())
  }

  /// Returns the daemons that share a store.
  public func cluster() async throws -> DaemonClusterReply {
    try await client.reply(to: DaemonMethod.cluster, Nothing())
  }

  /// Makes a daemon of a shared store hand over its channels to the others, for example before its machine stops, or accept its share
  /// again. It still answers all calls, and accepts its share after a restart.
  public func drain(_ request: DaemonDrainRequest) async throws {
    let _: Nothing = try await client.reply(to: DaemonMethod.drain, request)
  }

  /// Makes a daemon of a shared store hand over its channels to the others, for example before its machine stops, or accept its share
  /// again. It still answers all calls, and accepts its share after a restart.
  public func drain(name: String, undo: Bool? = nil) async throws {
    try await drain(DaemonDrainRequest(name: name, undo: undo))
  }

  /// Returns the current metrics of the daemon. Counters begin with its start. With many channels, metrics of all channels may be some
  /// minutes old, as for org.batond.Channels.Counts.
  public func metrics() async throws -> [Metric] {
    let reply: DaemonMetricsReply = try await client.reply(to: DaemonMethod.metrics, Nothing())
    return reply.metrics
  }

  /// Looks for damage in the database: in the file, between its tables, and in unreadable channels. This is slow with many channels.
  public func check() async throws -> DaemonCheckReply {
    try await client.reply(to: DaemonMethod.check, Nothing())
  }

  /// Sends a consistent copy of the database in pieces, while the daemon continues. Secret keys in it are encrypted with the key file,
  /// which is not included. Refused with StoreIsShared if the store is shared.
  public func backup() async throws -> some AsyncSequence<DaemonBackupReply, any Error> & Sendable {
    try await client.replies(to: DaemonMethod.backup, Nothing(), of: DaemonBackupReply.self)
  }

  /// Reads the configuration and the files that declare operators, servers and relays again. Nothing changes unless all of them are valid.
  public func reload() async throws -> ReloadReport {
    try await client.reply(to: DaemonMethod.reload, Nothing())
  }
}
