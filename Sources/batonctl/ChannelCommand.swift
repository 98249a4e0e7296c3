internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import QRCodes
internal import StrictJSON

struct ChannelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel", abstract: "Create and manage channels",
    subcommands: [
      ChannelCreate.self, List.self, Counts.self, Show.self, Link.self, ChannelEdit.self, AddRelay.self, RemoveRelay.self,
      ChannelRetry.self, Verify.self, ChannelTruncate.self, Delete.self, ChannelFollow.self, ChannelUnfollow.self,
    ])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a channel and its relays",
      discussion: """
        Example:
          batonctl channel show "City News"
        """, aliases: ["get"])
    @OptionGroup var show: ShowOptions
    @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected(show) { session in
        try await session.showDetails(of: try await session.channel(channel))
      }
    }
  }

  struct Link: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the link that readers open to join",
      discussion: """
        Example:
          batonctl channel link "City News" --qr
        """)
    @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Flag(inversion: .prefixedNo, help: "Draw the link as a QR code, even if the terminal is too small.") var qr = false
    @Option(name: .customLong("qr-file"), help: "SVG file to write the QR code to.", completion: .file(extensions: ["svg"]))
    var qrFile: String?
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let channel = try await session.channel(channel)
        let reply = try await session.client.channels.link(id: channel.id)
        let link = reply.link
        if qr || qrFile != nil {
          guard let code = QRCode(link) else { throw Refusal(text: "the link is too long for a QR code") }
          if let qrFile, !FileManager.default.createFile(atPath: qrFile, contents: Data(code.svg.utf8)) {
            throw Refusal(text: "cannot write \(qrFile)")
          }
        }
        try session.show(reply) { session.withCode(link, of: link, channel: channel.id, isWanted: qr) }
      }
    }
  }

  struct AddRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add-relay", abstract: "Add relays to a channel",
      discussion: """
        Example:
          batonctl channel add-relay "City News" relay-3
        """)
    @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Argument(help: "Relays, by id or name.", completion: .names(of: .relay)) var relays: [String] = []
    @Option(help: "Number of relays to pick that the channel never had.") var pick: Int?
    @OptionGroup var global: GlobalOptions

    func validate() throws {
      guard relays.isEmpty != (pick == nil) else { throw ValidationError("Name relays, or use --pick N.") }
      if let pick, !(1...32).contains(pick) { throw ValidationError("--pick must be 1 to 32.") }
    }

    func run() async throws {
      try await global.connected { session in
        let id = try await session.channel(channel).id
        var ids: [Int64] = []
        for relay in relays { ids.append(try await session.relay(relay).id) }
        let channel = try await session.client.channels.addRelays(id: id, relayIds: ids.isEmpty ? nil : ids, pick: pick)
        try session.show(channel) { ChannelView(terminal: session.terminal, times: session.times).details(channel) }
      }
    }
  }

  struct RemoveRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove-relay", abstract: "Remove a channel from a relay",
      discussion: """
        Baton asks the relay to delete the channel. A Nostr channel can never return to that relay. A SimpleX channel can, \
        once the relay has confirmed the removal.

        Example:
          batonctl channel remove-relay "City News" relay-2
        """)
    @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Argument(help: "Relay, by id or name.", completion: .names(of: .relay)) var relay: String
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let found = try await session.channel(channel)
        let relay = try await session.relay(relay)
        let warning = found.network == "nostr" ? " It can never return to this relay." : ""
        try session.confirm(
          "Remove channel \(found.id) '\(found.profile.displayName)' from relay '\(relay.name)'?\(warning)", isDefault: false,
          yes: yes)
        let channel = try await session.client.channels.removeRelay(id: found.id, relayId: relay.id)
        try session.show(channel) { ChannelView(terminal: session.terminal, times: session.times).details(channel) }
      }
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read a channel back from all of its relays now",
      discussion: """
        Example:
          batonctl channel verify "City News"
        """)
    @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let channel = try await session.client.channels.verify(id: try await session.channel(channel).id)
        try session.show(channel) { "Verifying. See batonctl channel show \(channel.id)." }
      }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a channel from all of its relays",
      discussion: """
        Baton asks the relays to delete the channel. Readers may keep their copies. A deleted channel cannot be restored.

        Example:
          batonctl channel delete "City News"
        """,
      aliases: ["rm"])
    @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let channel = try await session.channel(channel)
        try session.confirm(
          "Delete channel \(channel.id) '\(channel.profile.displayName)' for all readers?", isDefault: false, yes: yes)
        let deleted = try await session.client.channels.delete(id: channel.id)
        try session.show(deleted) { "Channel \(deleted.id) is \(deleted.phase)." }
      }
    }
  }
}
