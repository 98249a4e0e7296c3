internal import ArgumentParser
internal import BatonClient
internal import ControlAPI

struct IdentityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Manages who owns channels.",
    discussion: "Secret keys never leave the daemon.",
    subcommands: [List.self, Add.self, Show.self, Remove.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the identities.")
    @OptionGroup var global: GlobalOptions
    @OptionGroup var list: ListOptions

    func run() async throws {
      try await global.connected { session in
        let identities = try await session.client.identities(filter: list.condition, sort: list.order)
        try session.show(identities) {
          Terminal.table(
            ["ID", "NAME", "NETWORK", "CHANNELS", "PUBLIC KEY"],
            identities.map { ["\($0.id)", $0.name, $0.network, "\($0.channels)", $0.publicKey] })
        }
      }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes an identity with a new key, or with one that systemd holds for the daemon.",
      discussion: """
        With --credential NAME the key comes from LoadCredential=NAME:FILE in the daemon's unit, where FILE holds an nsec or 64 \
        hexadecimal digits.
        """)
    @OptionGroup var global: GlobalOptions
    @Argument(help: "Its name.") var name: String
    @Option(help: "The protocol: nostr when absent.") var network: String?
    @Option(help: "The daemon's credential with the secret key.") var credential: String?

    func run() async throws {
      try await global.connected { session in
        let identity = try await session.client.addIdentity(name: name, network: network, credential: credential)
        try session.show(identity) {
          "Added identity \(identity.id) '\(identity.name)' with the public key \(identity.publicKey)."
        }
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows one identity.")
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The identity, by id or name.") var identity: String

    func run() async throws {
      try await global.connected { session in
        let identity = try await session.identity(identity)
        try session.show(identity) {
          """
          \(identity.name) (identity \(identity.id))
          network   \(identity.network)
          key       \(identity.publicKey)
          channels  \(identity.channels)
          created   \(identity.createdAt)
          """
        }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes an identity that owns no channels.", discussion: "Its secret key is erased and cannot be brought back."
    )
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The identity, by id or name.") var identity: String
    @Flag(help: "Do not ask.") var yes = false

    func run() async throws {
      try await global.connected { session in
        let identity = try await session.identity(identity)
        try session.confirm("Erase the key of identity \(identity.id) '\(identity.name)'?", isDefault: false, yes: yes)
        let removed = try await session.client.removeIdentity(id: identity.id)
        try session.show(removed) { "Removed identity \(removed.id) '\(removed.name)'." }
      }
    }
  }
}
