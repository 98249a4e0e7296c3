internal import ArgumentParser
internal import BatonClient
internal import ControlAPI

struct IdentityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Manage the identities that own channels",
    discussion: "Secret keys never leave the daemon.",
    subcommands: [List.self, Add.self, Show.self, Remove.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List identities",
      discussion: """
        Example:
          batonctl identity list --network nostr
        """, aliases: ["ls"])
    @OptionGroup var list: ListOptions
    @Option(
      help: "Only identities on this network: nostr or simplex. May be repeated.", completion: .list(Words.networks),
      transform: Words.one(of: Words.networks))
    var network: [String] = []
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try list.table.chosen(of: Self.columns) }

    func run() async throws {
      try await global.connected(list.table.show) { session in
        let condition = list.condition([Words.condition("network", network)])
        let columns = try list.table.chosen(of: Self.columns)
        // Identities have no events, but change with their channels.
        try await session.list(list, of: "identity", changedBy: ["channel"]) { session in
          let identities = try await session.client.identities.all(filter: condition, sort: list.order)
          return Listing(objects: identities, columns: columns, none: "No identities match.") {
            Row(identity: $0, times: session.times)
          }
        }
      }
    }

    struct Row {
      let identity: Identity
      let times: Times
    }

    static let columns: [TableColumn<Row>] = [
      TableColumn("ID", rank: 0) { "\($0.identity.id)" },
      TableColumn("NAME", rank: 0, least: 16) { $0.identity.name },
      TableColumn("NETWORK", rank: 2) { $0.identity.network },
      TableColumn("CHANNELS", rank: 1) { "\($0.identity.channels)" },
      TableColumn("CREATED", rank: 4) { $0.times.text($0.identity.createdAt) },
      TableColumn("KEY", rank: 3, least: 16) { $0.identity.publicKey },
    ]
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create an identity with a new key or a credential",
      discussion: """
        With --credential NAME the key comes from LoadCredential=NAME:FILE in the daemon's unit, where FILE holds an nsec or 64 \
        hexadecimal digits.

        Example:
          batonctl identity add newsroom
        """)
    @Argument(help: "Name of the identity.") var name: String
    @Option(help: "Network. Default: nostr.", completion: .networks) var network: String?
    @Option(help: "Daemon's credential that contains the secret key.") var credential: String?
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let identity = try await session.client.identities.add(name: name, network: network, credential: credential)
        try session.show(identity) {
          "Added identity \(identity.id) '\(identity.name)' with the public key \(identity.publicKey)."
        }
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show an identity",
      discussion: """
        Example:
          batonctl identity show newsroom
        """, aliases: ["get"])
    @OptionGroup var show: ShowOptions
    @Argument(help: "Identity, by id or name.", completion: .names(of: .identity)) var identity: String
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected(show) { session in
        let identity = try await session.identity(identity)
        try session.show(identity) {
          """
          \(identity.name) (identity \(identity.id))
          network   \(identity.network)
          key       \(identity.publicKey)
          channels  \(identity.channels)
          created   \(session.times.text(identity.createdAt))
          """
        }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove an identity that owns no channels",
      discussion: """
        Its secret key is erased and cannot be restored.

        Example:
          batonctl identity remove newsroom
        """,
      aliases: ["rm"])
    @Argument(help: "Identity, by id or name.", completion: .names(of: .identity)) var identity: String
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let identity = try await session.identity(identity)
        try session.confirm("Erase the key of identity \(identity.id) '\(identity.name)'?", isDefault: false, yes: yes)
        let removed = try await session.client.identities.remove(id: identity.id)
        try session.show(removed) { "Removed identity \(removed.id) '\(removed.name)'." }
      }
    }
  }
}
