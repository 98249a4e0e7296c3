internal import ArgumentParser
internal import BatonClient
internal import ControlAPI

struct ClusterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster",
    abstract: "Show the daemons that share a database, and drain one",
    subcommands: [List.self, Drain.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the daemons that share a database",
      discussion: """
        STATE is alive, silent (its session was not renewed in time, so other daemons soon take over) or stopped (its \
        channels wait a few seconds for it). SLOTS is its part of the 1024 slots into which channels are divided. WORK \
        is catalog (it also handles operators, servers, relays and identities), core (it has a chat core, whose channels \
        wait for it and never move), draining (it hands its channels over) or other files (its operator files are not \
        the ones in force). An asterisk marks the daemon that answers.

        Example:
          batonctl cluster
        """, aliases: ["ls"])
    @OptionGroup var table: TableOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(table.show) { session in
        let cluster = try await session.client.daemon.cluster()
        let columns = try table.chosen(of: Self.columns)
        try session.show(cluster.daemons) {
          guard cluster.shared else { return "This daemon does not share its database." }
          let waiting = cluster.cores.filter { !$0.present && $0.channels > 0 }.map { core in
            "\(core.channels) \(core.channels == 1 ? "channel on SimpleX waits" : "channels on SimpleX wait") for the daemon "
              + "'\(core.daemon)', whose chat core has \(core.channels == 1 ? "it" : "them")."
          }
          let list = session.table(columns, cluster.daemons.map { Row(daemon: $0, times: session.times) })
          return ([list] + waiting).joined(separator: "\n")
        }
      }
    }

    struct Row {
      let daemon: SharingDaemon
      let times: Times

      var work: String {
        let all = [
          ("catalog", daemon.catalog), ("core", daemon.core), ("draining", daemon.draining), ("other files", daemon.otherFiles),
        ]
        let words = all.filter(\.1).map(\.0)
        return words.isEmpty ? "-" : words.joined(separator: ", ")
      }
    }

    static let columns: [TableColumn<Row>] = [
      TableColumn("NAME", rank: 0, least: 16) { $0.daemon.own ? "\($0.daemon.name) *" : $0.daemon.name },
      TableColumn("STATE", rank: 0) { $0.daemon.state },
      TableColumn("SLOTS", rank: 1) { "\($0.daemon.slots)" },
      TableColumn("WORK", rank: 2) { $0.work },
      TableColumn("SESSION", rank: 4) { "\($0.daemon.session)" },
      TableColumn("SINCE", rank: 3) { $0.times.text($0.daemon.since) },
      TableColumn("VERSION", rank: 5) { $0.daemon.version },
    ]
  }

  struct Drain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move the channels of a daemon to the other daemons",
      discussion: """
        The daemon continues to answer calls. Its channels move within seconds: see batonctl cluster. SimpleX channels \
        do not move, because its chat core has them. The daemon takes its share again with --undo, or when it restarts.

        Example:
          batonctl cluster drain baton-2
        """)
    @Argument(help: "Name of the daemon, as in batonctl cluster.") var name: String
    @Flag(help: "Give the daemon its share of the channels again.") var undo = false
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        if !undo {
          try session.confirm("Move all channels of daemon '\(name)' to the other daemons?", isDefault: false, yes: yes)
        }
        try await session.client.daemon.drain(name: name, undo: undo)
        try session.say(
          undo
            ? "Daemon '\(name)' takes its share of the channels again."
            : "Daemon '\(name)' hands its channels over to the other daemons, if there are any."
        )
      }
    }
  }
}
