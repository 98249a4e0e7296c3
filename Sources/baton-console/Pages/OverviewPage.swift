internal import BatonClient
internal import ControlAPI
internal import Hummingbird
internal import Sentences
internal import StrictJSON
internal import Varlink

// The state of everything, and problems that need attention.
extension Pages {
  /// The number of lines in each list. The linked pages have all lines.
  private static let linesMax = 10

  func overview(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let revision = await hub.revision
    async let status = daemon.ask { try await $0.daemon.status() }
    async let findings = daemon.ask { try await $0.operators.validate() }
    async let counts = figures.channelCounts()
    async let latest = daemon.ask { try await $0.monitor.transitions(limit: Self.linesMax) }
    async let ailing = daemon.ask { client in
      try await client.relays.list(
        ListRequest(filter: ["health": ["$in": ["down", "degraded"]], "enabled": true], limit: Self.linesMax))
    }
    async let troubled = daemon.ask { client in
      try await client.channels.list(
        ListRequest(
          filter: ["phase": ["$in": ["failed", "degraded"]]], sort: [["field": "updatedAt", "direction": -1]],
          limit: Self.linesMax))
    }
    let times = Times()
    let now = try await status
    // Users decide once whether they want a standby, so the overview does not repeat this warning.
    let found = try await findings
    let serious = found.errors + found.warnings.filter { $0.kind != "noStandby" }
    let relays = try await ailing.relays.map { Self.ailing($0, times) }
    let channels = try await troubled.channels.map { Self.row($0, times) }
    let troubles = Self.troubles(now)
    let counted = try await counts
    let phases = counted.value.filter { $0.phase != "deleted" }
    let isQuiet = troubles.isEmpty && serious.isEmpty && relays.isEmpty && channels.isEmpty
    var sentence = HealthSentence(counted.value.map { ($0.phase, $0.channels) })
    (sentence.relays, sentence.relaysDown) = (now.relays, now.relaysDown)
    sentence.canStore = now.storageTrouble == nil
    let view: View = [
      "summary": .text(sentence.text), "isQuiet": .flag(isQuiet), "troubles": .views(troubles),
      "findings": .views(serious.prefix(Self.linesMax).map(Self.view)),
      "moreFindings": serious.count > Self.linesMax ? .number(serious.count - Self.linesMax) : nil,
      "hasRelays": .flag(!relays.isEmpty), "relays": .views(relays),
      "hasChannels": .flag(!channels.isEmpty), "channels": .views(channels),
      "hasCounts": .flag(!phases.isEmpty),
      "counts": .views(
        phases.map { count in
          [
            "phase": Mark.view(count.phase), "network": .text(count.network), "number": .text(grouped(count.channels)),
            "address": .text("channels\(Form().with("phase", count.phase).with("network", count.network).query)"),
          ]
        }),
      "active": .text(grouped(now.channelRelays.active)), "underWay": .text(grouped(now.channelRelays.underWay)),
      "inactive": .text(grouped(now.channelRelays.inactive)), "failed": .text(grouped(now.channelRelays.failed)),
      "hasTransitions": .flag(try await !latest.transitions.isEmpty),
      "transitions": .views(try await latest.transitions.map { Self.line($0, times) }),
    ]
    return renderer.page(
      "overview", title: "Overview", section: .overview, view, revision: revision, isOld: counted.isOld, request, context)
  }

  /// Problems of the daemon itself.
  private static func troubles(_ status: DaemonStatus) -> [View] {
    var lines: [(severity: String, message: String)] = []
    if let trouble = status.storageTrouble { lines.append(("error", "The daemon cannot store changes: \(trouble)")) }
    if let damage = status.damage {
      lines.append(("error", "Stored data is damaged: \(damage). Run batonctl check to list all damage, and restore a backup."))
    }
    if status.quarantined > 0 {
      lines.append(("error", "Baton cannot read \(counted(status.quarantined, "channel")). See the daemon's journal."))
    }
    if let trouble = status.declarationsTrouble {
      lines.append(("warning", "The current operator files are not in use: \(trouble)"))
    }
    for network in status.unusableNetworks {
      lines.append(("error", "The network \(network.network) is not usable: \(network.detail)"))
    }
    if let silent = status.daemonsSilent, silent > 0 {
      let words = silent == 1 ? "has not renewed its session" : "have not renewed their sessions"
      lines.append(("warning", "\(counted(silent, "daemon")) of the cluster \(words) in time."))
    }
    if let waiting = status.channelsWaitingForCores, waiting > 0 {
      lines.append(
        (
          "warning",
          "\(counted(waiting, "channel")) on SimpleX \(waiting == 1 ? "waits" : "wait") for a daemon that is missing."
        ))
    }
    return lines.map { ["severity": Mark.view($0.severity), "message": .text($0.message)] }
  }

  private static func ailing(_ relay: Relay, _ times: Times) -> View {
    [
      "id": .number(relay.id), "name": .text(relay.name), "health": Mark.view(relay.health),
      "since": times.view(relay.healthSince), "error": .some(relay.lastError),
    ]
  }
}
