internal import ArgumentParser
internal import BatonClient
internal import ControlAPI

struct ClusterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster",
    abstract: "Shows the daemons that share a database, and moves channels away from one.",
    subcommands: [List.self, Drain.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the daemons that share a database, with their share of the channels.",
      discussion: """
        Channels are divided into 1024 slots. A daemon is alive; or silent, when the database has not renewed its session in time, so that \
        others take over soon; or stopped, so that its channels wait a few seconds for it. One of them also looks after operators, servers, \
        relays and identities, which is its work 'catalog'. '*' is the daemon that was asked.
        """, aliases: ["ls"])
    @OptionGroup var global: GlobalOptions
    @OptionGroup var table: TableOptions

    func validate() throws { _ = try table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(table.show) { session in
        let (isShared, daemons) = try await session.client.cluster()
        let columns = try table.chosen(of: Self.columns)
        try session.show(daemons) {
          guard isShared else { return "The daemon has a store of its own, and shares it with nobody." }
          return session.table(columns, daemons.map { Row(daemon: $0, times: session.times) })
        }
      }
    }

    struct Row {
      let daemon: SharingDaemon
      let times: Times

      var work: String {
        let words = (daemon.catalog ? ["catalog"] : []) + (daemon.draining ? ["draining"] : [])
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
      abstract: "Makes a daemon hand over its channels to the others, for example before its machine is stopped.",
      discussion: """
        It goes on answering calls. Its channels have another daemon within seconds; batonctl cluster shows when none is left. The daemon \
        takes its share again with --undo, or when it begins again.
        """)
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The daemon's name, as batonctl cluster shows it.") var name: String
    @Flag(help: "Let it take its share again.") var undo = false

    func run() async throws {
      try await global.connected { session in
        try await session.client.drain(name: name, undo: undo)
        try session.say(
          undo
            ? "Daemon '\(name)' takes its share of the channels again."
            : "Daemon '\(name)' hands over its channels to the others, if there are any."
        )
      }
    }
  }
}
