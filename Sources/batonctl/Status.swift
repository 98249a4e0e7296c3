internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON
internal import Varlink

struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the state of the daemon, its problems and their cures",
    discussion: """
      With --wait the command waits until the daemon answers, for a minute or --timeout, and exits with status 75 if it \
      does not. With --watch the output is redrawn in place. In a pipe or with --json, each change is a line or \
      document.

      Example:
        batonctl status --wait
      """)
  @Flag(help: "Wait until the daemon answers.") var wait = false
  @Flag(help: "Keep running and refresh on every change, until Ctrl-C.") var watch = false
  @OptionGroup var global: GlobalOptions

  private static let waitMax = TimeSpan(argument: "60s")

  /// The number of findings that are shown below the figures. batonctl validate shows all of them.
  private static let findingsMax = 5

  func run() async throws {
    try await global.connected(limit: wait ? Self.waitMax : nil, waits: wait) { session in
      guard watch else {
        let report = try await Report(session)
        return try session.show(report.status) { report.lines(session).joined(separator: "\n") }
      }
      try await follow(session)
    }
  }

  private func follow(_ session: Session) async throws {
    var view = FollowedView(session)
    var latest: DaemonStatus?
    try await session.follow(.objects(nil)) { now in
      let report = try await Report(now)
      if view.isDrawn { return try view.draw(report.lines(now)) }
      view.isBack()
      guard report.status != latest else { return }
      latest = report.status
      try session.showNext(report.status) { "revision \(report.status.revision)  \(report.status.summary)" }
    } away: {
      try view.away($0)
    }
  }

  /// The report of one moment.
  private struct Report {
    let status: DaemonStatus
    /// The findings, or `nil` for publishers, who lack the permission to see them.
    private let findings: OperatorsValidateReply?

    init(_ session: Session) async throws {
      status = try await session.client.daemon.status()
      do {
        findings =
          session.isForPeople
          ? try await session.client.operators.validate() : OperatorsValidateReply(errors: [], warnings: [])
      } catch let error as VarlinkError where error.name == VarlinkError.permissionDenied.name {
        findings = nil
      }
    }

    func lines(_ session: Session) -> [String] {
      let counts = status.channelRelays
      var lines = [
        "batond \(status.version), process \(status.pid), since \(status.startedAt)",
        "channels    \(status.channels), \(status.channelsUnderWay) with pending work",
        "on relays   \(counts.active) active, \(counts.underWay) under way, \(counts.inactive) inactive, \(counts.failed) failed",
        "relays      \(status.relays), \(status.relaysDown) down",
        "servers     \(status.servers), \(status.serversDown) down",
        "operators   \(status.operators)",
        "revision    \(status.revision)",
      ]
      if let daemons = status.daemons {
        let others = status.daemonsWithOtherFiles ?? 0
        let words = others > 0 ? ", \(others) with other files of operators" : ""
        lines.append("daemons     \(daemons), \(status.daemonsSilent ?? 0) silent\(words). See batonctl cluster")
      }
      if let waiting = status.channelsWaitingForCores, waiting > 0 {
        let channels = waiting == 1 ? "channel" : "channels"
        lines.append("waiting     \(waiting) \(channels) on SimpleX, for an absent daemon. See batonctl cluster")
      }
      if status.quarantined > 0 { lines.append("unreadable  \(status.quarantined) channels, see the journal") }
      if let trouble = status.declarationsTrouble {
        lines.append("files       \(trouble). batond check-config lists all problems, batonctl reload loads the files")
      }
      if let damage = status.damage {
        let others = status.damaged > 1 ? " (and \(status.damaged - 1) more)" : ""
        lines.append("DAMAGED     \(damage)\(others). batonctl check lists all damage. Restore a backup")
      }
      if let trouble = status.storageTrouble {
        lines.append("storage     does not work: \(trouble). See df and journalctl -k -p err")
      }
      guard let findings else { return lines + ["findings    not shown to publishers"] }
      // Users decide once whether they want a standby, so status does not repeat this warning.
      let warnings = findings.warnings.filter { $0.kind != "noStandby" }
      let found = Validate.lines(findings.errors, warnings, session.terminal)
      lines += found.prefix(Status.findingsMax)
      if found.count > Status.findingsMax {
        lines.append("and \(found.count - Status.findingsMax) more: batonctl validate")
      }
      return lines
    }
  }
}

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print changes as they happen",
    discussion: """
      The first line, snapshot, shows the revision from which changes are printed.

      Example:
        batonctl watch --channel "City News"
      """)
  @Option(help: "Begin with the changes after this revision, without a snapshot.") var since: Int64?
  @Option(help: "Only this channel, by id or name.", completion: .names(of: .channel)) var channel: [String] = []
  @Option(help: "Only this relay, by id or name.", completion: .names(of: .relay)) var relay: [String] = []
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      var request = WatchRequest(since: since)
      for name in channel { request.channelIds = (request.channelIds ?? []) + [try await session.channel(name).id] }
      for name in relay { request.relayIds = (request.relayIds ?? []) + [try await session.relay(name).id] }
      session.ending.followed = .stream
      Output.endWithReader()
      for try await change in try await session.client.monitor.watch(request) {
        try session.showNext(change) { Self.line(change, session.terminal) }
      }
    }
  }

  /// One change, with a note if earlier changes were left out because they were not read fast enough.
  static func line(_ change: ChangeMessage, _ terminal: Terminal) -> String {
    words(change, terminal) + (change.merged == true ? "  (earlier changes left out)" : "")
  }

  private static func words(_ change: ChangeMessage, _ terminal: Terminal) -> String {
    let head = "\(change.time)  \(change.revision)"
    switch change.kind {
    case "channelRelay":
      guard let transition = change.transition else { return head }
      let from = transition["from"]?.string ?? "?"
      let to = transition["to"]?.string ?? "?"
      let detail = transition["detail"]?.string ?? ""
      let step = from == to ? "stays \(to)" : "\(from) \(Marks.current.arrow) \(to)"
      let place = "channel \(transition["channelId"]?.integer ?? 0) on \(transition["relayName"]?.string ?? "?")"
      return "\(head)  \(terminal.dot(to)) \(place)  \(step)\(detail.isEmpty ? "" : "  \(detail)")"
    case "channel":
      let name = change.after?["profile"]?["displayName"]?.string ?? "?"
      let phase = change.after?["phase"]?.string ?? "?"
      return "\(head)  \(terminal.dot(phase)) channel \(change.after?["id"]?.integer ?? 0) '\(name)'  \(phase)"
    case "relay":
      let health = change.after?["health"]?.string ?? "?"
      return "\(head)  \(terminal.dot(health)) relay '\(change.after?["name"]?.string ?? "?")'  \(health)"
    case "server":
      let health = change.after?["health"]?.string ?? "?"
      return "\(head)  \(terminal.dot(health)) server \(change.after?["address"]?.string ?? "?")  \(health)"
    case "operator":
      let isEnabled = change.after?["enabled"]?.bool == true
      return "\(head)  operator '\(change.after?["name"]?.string ?? "?")'  \(isEnabled ? "enabled" : "disabled")"
    default: return "\(head)  \(change.kind)"
    }
  }
}
