internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Glibc
internal import Store
internal import StrictJSON
internal import Varlink

extension ControlInterface {
  /// `org.batond.Daemon`.
  static func daemon(_ context: ControlContext) -> ControlInterface {
    ControlInterface(
      definition: Interfaces.daemon, context: context,
      methods: [
        "Status": { _, _ in try status(context).members },
        "Reload": { _, _ in try await context.reload().members },
      ])
  }

  /// `io.systemd.service`.
  static func systemd(_ context: ControlContext) -> ControlInterface {
    ControlInterface(
      definition: Interfaces.systemd, context: context,
      methods: [
        "Reload": { _, _ in
          _ = try await context.reload()
          return [:]
        }
      ], immediate: ["Ping": { [:] }])
  }

  static func status(_ context: ControlContext) throws -> DaemonStatus {
    let coordinator = context.coordinator
    let totals = try context.store.totals()
    func count(_ statuses: RelayStatus...) -> Int { statuses.reduce(0) { $0 + (totals.relays[$1] ?? 0) } }
    let relays = coordinator.relays.filter { !$0.isDeleted }
    let servers = coordinator.servers.filter { !$0.isDeleted }
    let filesTrouble = context.declarationsTrouble()
    let counts = RelayCounts(
      active: count(.active), underWay: count(.new, .invited, .accepted), inactive: count(.inactive),
      failed: count(.failed))
    let trouble = coordinator.storageTrouble
    let wanted = counts.active + counts.underWay + counts.inactive + counts.failed
    var summary = "\(totals.channels) channels, \(counts.active) of \(wanted) relays active"
    if counts.failed > 0 { summary += ", \(counts.failed) failed" }
    if filesTrouble != nil { summary += ", the files of operators are wrong" }
    if trouble != nil { summary += ", storage does not work" }
    return DaemonStatus(
      version: context.version, pid: Int64(getpid()), startedAt: context.startedAt.text,
      networks: coordinator.networks.map(\.rawValue), revision: coordinator.hub.revision, channels: totals.channels,
      channelsUnderWay: coordinator.liveChannelCount, channelRelays: counts, quarantined: totals.quarantined,
      relays: relays.count, relaysDown: relays.filter { $0.condition.health == .down }.count,
      operators: coordinator.operators.filter { !$0.isDeleted }.count, servers: servers.count,
      serversDown: servers.filter { $0.condition.health == .down }.count, declarationsTrouble: filesTrouble,
      subscribers: coordinator.hub.subscriberCount, storageWorks: trouble == nil, storageTrouble: trouble,
      summary: summary)
  }
}
