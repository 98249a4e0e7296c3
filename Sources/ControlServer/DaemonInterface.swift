internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Foundation
internal import Glibc
internal import NIOConcurrencyHelpers
internal import RelayNetwork
internal import Storage

/// `org.batond.Daemon`.
struct DaemonInterface: DaemonService, ControlService {
  let context: ControlContext

  func status() async throws -> DaemonStatus { try await Self.status(context) }

  func permissions() async throws -> DaemonPermissionsReply {
    func may(_ permission: Access.Permission) -> Bool { Caller.peer.map { context.access.allows($0, permission) } ?? false }
    return DaemonPermissionsReply(
      uid: Int(Caller.user), readPosts: may(.readPosts), read: may(.read), publish: may(.publish), change: may(.change))
  }

  func reload() async throws -> ReloadReport { try await context.reload() }

  func metrics() async throws -> DaemonMetricsReply {
    let metrics = try await DaemonMetrics(context)
    // The process is asked for files and memory.
    return DaemonMetricsReply(metrics: try await context.threads.run(.vital) { metrics.all.map(Metric.init) })
  }

  func cluster() async throws -> DaemonClusterReply {
    guard let sharing = context.sharing else { return DaemonClusterReply(shared: false, daemons: [], cores: []) }
    let (daemons, cores) = (try await sharing.daemons(), try await sharing.cores())
    return DaemonClusterReply(
      shared: true, daemons: daemons.map { SharingDaemon($0, among: daemons) },
      cores: cores.map { SharedCore(daemon: $0.daemon, present: $0.isThere, channels: $0.channels) })
  }

  func drain(_ request: DaemonDrainRequest) async throws {
    guard let sharing = context.sharing else { throw DaemonRefusal.notShared }
    guard try await sharing.drain(request.name, request.undo != true) else {
      throw DaemonRefusal.noSuchDaemon(name: request.name)
    }
  }

  func check() async throws -> DaemonCheckReply {
    let (channels, problems) = try await context.alone { try await context.store.check() }
    return DaemonCheckReply(channels: channels, problems: problems)
  }

  func backup(_ stream: ReplyStream<DaemonBackupReply>) async throws -> DaemonBackupReply {
    guard context.sharing == nil else { throw DaemonRefusal.storeIsShared }
    let reply = try await context.alone { try await Self.backUp(stream, context) }
    context.lastBackup.withLockedValue { $0 = context.coordinator.timeOfDay }
    return reply
  }

  /// The bytes of the copy in one reply.
  private static let chunkBytes = 192 << 10

  /// Sends a consistent copy of the database, piece by piece, because the daemon may write only in its own directory.
  private static func backUp(
    _ stream: ReplyStream<DaemonBackupReply>, _ context: ControlContext
  ) async throws -> DaemonBackupReply {
    let path = try await context.store.makeCopy()
    let opened = FileHandle(forReadingAtPath: path)
    // It disappears when the last process closes it, even after a crash.
    unlink(path)
    guard let file = opened else { throw StoreError(.notAccessible, "cannot read the copy at \(path)") }
    defer { try? file.close() }
    let size = Int(try file.seekToEnd())
    try file.seek(toOffset: 0)
    var sent = 0
    while true {
      let piece = try file.read(upToCount: chunkBytes) ?? Data()
      sent += piece.count
      let reply = DaemonBackupReply(data: piece.base64EncodedString(), size: size)
      if sent >= size || piece.isEmpty { return reply }
      try await stream.send(reply)
    }
  }

  /// `number` as people read it: 1,234,567.
  private static func grouped(_ number: Int) -> String {
    let digits = String(number)
    let head = digits.count % 3
    let groups = stride(from: head, to: digits.count, by: 3).map { String(digits.dropFirst($0).prefix(3)) }
    return ((head > 0 ? [String(digits.prefix(head))] : []) + groups).joined(separator: ",")
  }

  static func status(_ context: ControlContext) async throws -> DaemonStatus {
    let coordinator = context.coordinator
    let totals = try await context.store.totals()
    func count(_ statuses: RelayStatus...) -> Int { statuses.reduce(0) { $0 + (totals.relays[$1] ?? 0) } }
    let relays = coordinator.relays.filter { !$0.isDeleted }
    let servers = coordinator.servers.filter { !$0.isDeleted }
    let filesTrouble = context.declarationsTrouble()
    let counts = RelayCounts(
      active: count(.active), underWay: count(.new, .invited, .accepted), inactive: count(.inactive),
      failed: count(.failed))
    let trouble = coordinator.storageTrouble
    let wanted = counts.active + counts.underWay + counts.inactive + counts.failed
    var summary =
      "\(grouped(totals.channels)) \(totals.channels == 1 ? "channel" : "channels"), "
      + "\(grouped(counts.active)) of \(grouped(wanted)) relays active"
    if counts.failed > 0 { summary += ", \(grouped(counts.failed)) failed" }
    if filesTrouble != nil { summary += ", the configuration is wrong" }
    let unusable = coordinator.networkTroubles.map { network, trouble in
      UnusableNetwork(network: network.rawValue, fault: trouble.kind.rawValue, detail: trouble.trouble.detail)
    }
    for one in unusable { summary += ", \(one.network) does not work" }
    if trouble != nil { summary += ", storage does not work" }
    // The status of the daemon does not depend on the other daemons.
    let daemons = try? await context.sharing?.daemons()
    let silent = daemons?.count { $0.state == .silent }
    if let daemons { summary += ", \(daemons.count) \(daemons.count == 1 ? "daemon" : "daemons")" }
    if let silent, silent > 0 { summary += ", \(silent) of them silent" }
    let others = daemons.map { all in all.count { $0.hasOtherFiles(than: all) } }
    if let others, others > 0 { summary += ", \(others) of them with other files of operators" }
    let waiting = try? await context.sharing?.cores().filter { !$0.isThere }.reduce(0) { $0 + $1.channels }
    if let waiting, waiting > 0 {
      summary += ", \(grouped(waiting)) \(waiting == 1 ? "channel waits" : "channels wait") for a chat core"
    }
    let damage = context.store.damageFound
    if !damage.isEmpty { summary += ", the database is damaged" }
    return DaemonStatus(
      version: context.version, pid: Int64(getpid()), startedAt: context.startedAt.text,
      networks: coordinator.networks.map(\.rawValue), unusableNetworks: unusable, revision: coordinator.hub.revision,
      channels: totals.channels,
      channelsUnderWay: coordinator.liveChannelCount, channelRelays: counts, quarantined: totals.quarantined,
      relays: relays.count, relaysDown: coordinator.enabledRelays.count { $0.condition.health == .down },
      operators: coordinator.operators.filter { !$0.isDeleted }.count, servers: servers.count,
      serversDown: coordinator.enabledServers.count { $0.condition.health == .down }, declarationsTrouble: filesTrouble,
      subscribers: coordinator.hub.subscriberCount, storageWorks: trouble == nil, storageTrouble: trouble,
      damaged: damage.count, damage: damage.first, daemons: daemons?.count, daemonsSilent: silent,
      daemonsWithOtherFiles: others, channelsWaitingForCores: waiting,
      summary: summary)
  }
}

extension SharingDaemon {
  init(_ daemon: SharedStoreDaemon, among all: [SharedStoreDaemon]) {
    self.init(
      name: daemon.name, session: Int(daemon.session), version: daemon.version, since: daemon.began.text,
      state: daemon.state.rawValue, slots: daemon.slots, catalog: daemon.hasCatalog, core: daemon.hasCore,
      otherFiles: daemon.hasOtherFiles(than: all), draining: daemon.isDraining, own: daemon.isOwn)
  }
}

extension SharedStoreDaemon {
  /// Whether its files that declare operators differ from the ones in force. A daemon that has loaded none yet has no others.
  func hasOtherFiles(than all: [SharedStoreDaemon]) -> Bool {
    guard let own = declarations, let inForce = all.first(where: \.hasCatalog)?.declarations else { return false }
    return own != inForce && state == .alive
  }
}
