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
      abstract: "Lists the daemons that share a database, with their part of the channels.",
      discussion: """
        Channels are divided into 1024 parts. A daemon is alive; or silent, when the database has not renewed its session in time, so that \
        others take over soon; or stopped, so that its part waits a few seconds for it. One of them also looks after operators, servers, \
        relays and identities, which is its work 'catalog'. '*' is the daemon that was asked.
        """, aliases: ["ls"])
    @OptionGroup var global: GlobalOptions
    @OptionGroup var table: TableOptions

    func validate() throws { _ = try table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(table.show) { session in
        let (isShared, members) = try await session.client.cluster()
        let columns = try table.chosen(of: Self.columns)
        try session.show(members) {
          guard isShared else { return "The daemon has a store of its own, and shares it with nobody." }
          return session.table(columns, members.map { Row(member: $0, times: session.times) })
        }
      }
    }

    struct Row {
      let member: SharingDaemon
      let times: Times

      var work: String {
        let words = (member.catalog ? ["catalog"] : []) + (member.draining ? ["draining"] : [])
        return words.isEmpty ? "-" : words.joined(separator: ", ")
      }
    }

    static let columns: [TableColumn<Row>] = [
      TableColumn("NAME", rank: 0, least: 16) { $0.member.own ? "\($0.member.name) *" : $0.member.name },
      TableColumn("STATE", rank: 0) { $0.member.state },
      TableColumn("PARTS", rank: 1) { "\($0.member.parts)" },
      TableColumn("WORK", rank: 2) { $0.work },
      TableColumn("SESSION", rank: 4) { "\($0.member.session)" },
      TableColumn("SINCE", rank: 3) { $0.times.text($0.member.since) },
      TableColumn("VERSION", rank: 5) { $0.member.version },
    ]
  }

  struct Drain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Has a daemon give its channels to the others, for example before its machine is stopped.",
      discussion: """
        It goes on answering calls. Its channels have another daemon within seconds; batonctl cluster shows when none is left. The daemon \
        takes its part again with --undo, or when it begins again.
        """)
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The daemon's name, as batonctl cluster shows it.") var name: String
    @Flag(help: "Let it take its part again.") var undo = false

    func run() async throws {
      try await global.connected { session in
        try await session.client.drain(name: name, undo: undo)
        try session.say(
          undo ? "Daemon '\(name)' takes its part of the channels again." : "Daemon '\(name)' gives its channels to the others."
        )
      }
    }
  }
}
