internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import QRCodes
internal import StrictJSON

struct ChannelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel", abstract: "Creates and manages channels.",
    subcommands: [
      ChannelCreate.self, List.self, Counts.self, Show.self, Link.self, History.self, ChannelUpdate.self, AddRelay.self,
      RemoveRelay.self,
      ChannelRetry.self, Verify.self, ChannelMute.self, ChannelUnmute.self, ChannelPin.self, ChannelUnpin.self,
      ChannelHide.self, ChannelUnhide.self, ChannelFreeze.self, ChannelUnfreeze.self, ChannelTruncate.self, Delete.self,
      ChannelFollow.self, ChannelUnfollow.self, ChannelFollowing.self,
    ])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows one channel with all of its relays.", aliases: ["get"])
    @OptionGroup var global: GlobalOptions
    @OptionGroup var show: ShowOptions
    @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String

    func run() async throws {
      try await global.connected(show) { session in
        try await session.showDetails(of: try await session.channel(channel))
      }
    }
  }

  struct Link: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints what a reader opens to join.")
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Flag(inversion: .prefixedNo, help: "Draw it as a QR code too, however small the terminal is.") var qr = false
    @Option(name: .customLong("qr-file"), help: "Write it as a QR code to an SVG file.", completion: .file(extensions: ["svg"]))
    var qrFile: String?

    func run() async throws {
      try await global.connected { session in
        let channel = try await session.channel(channel)
        let reply = try await session.client.call(ChannelsMethod.link, ["id": .integer(channel.id)])
        let link = reply["link"]?.string ?? ""
        if qr || qrFile != nil {
          guard let code = QRCode(link) else { throw Refusal(text: "the link is too long for a QR code") }
          if let qrFile, !FileManager.default.createFile(atPath: qrFile, contents: Data(code.svg.utf8)) {
            throw Refusal(text: "cannot write \(qrFile)")
          }
        }
        try session.show(JSONValue.object(reply)) { session.withCode(link, of: link, channel: channel.id, isWanted: qr) }
      }
    }
  }

  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints what happened to a channel, oldest first.")
    @OptionGroup var global: GlobalOptions
    @OptionGroup var table: TableOptions
    @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Option(help: "How many of the latest lines to print at most, 1 to 1000.") var limit: Int = 100

    func validate() throws { _ = try table.chosen(of: HistoryRow.columns) }

    func run() async throws {
      try await global.connected(table.show) { session in
        let channel = try await session.channel(channel)
        let lines = try await session.client.transitions(channelID: channel.id, limit: limit)
        let columns = try table.chosen(of: HistoryRow.columns)
        try session.show(lines) { session.table(columns, lines.map { HistoryRow(line: $0, times: session.times) }) }
      }
    }
  }

  struct AddRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add-relay", abstract: "Puts a channel on more relays.")
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Argument(help: "The relays, by id or name.", completion: .names(of: .relay)) var relays: [String] = []
    @Option(help: "How many relays to pick instead of naming them; the channel must never have had them.") var pick: Int?

    func validate() throws {
      guard relays.isEmpty != (pick == nil) else { throw ValidationError("Name relays, or say --pick N.") }
      if let pick, !(1...32).contains(pick) { throw ValidationError("--pick must be 1 to 32.") }
    }

    func run() async throws {
      try await global.connected { session in
        let id = try await session.channel(channel).id
        var ids: [Int64] = []
        for relay in relays { ids.append(try await session.relay(relay).id) }
        let channel = try await session.client.addRelays(ids, pick: pick ?? 0, toChannel: id)
        try session.show(channel) { ChannelView(terminal: session.terminal, times: session.times).details(channel) }
      }
    }
  }

  struct RemoveRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove-relay", abstract: "Takes a channel off a relay.",
      discussion: """
        The relay is asked to delete the channel. On nostr it never gets it again; on simplex add-relay puts it back.
        """)
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Argument(help: "The relay, by id or name.", completion: .names(of: .relay)) var relay: String

    func run() async throws {
      try await global.connected { session in
        let id = try await session.channel(channel).id
        let channel = try await session.client.removeRelay(try await session.relay(relay).id, fromChannel: id)
        try session.show(channel) { ChannelView(terminal: session.terminal, times: session.times).details(channel) }
      }
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Has the daemon read a channel back from all of its relays now.")
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String

    func run() async throws {
      try await global.connected { session in
        let channel = try await session.client.verifyChannel(id: try await session.channel(channel).id)
        try session.show(channel) { "Verifying. See batonctl channel show \(channel.id)." }
      }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes a channel from all of its relays.",
      discussion: "Relays are asked to delete it; readers may keep what they have received. It cannot be restored.",
      aliases: ["rm"])
    @OptionGroup var global: GlobalOptions
    @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Flag(help: "Do not ask.") var yes = false

    func run() async throws {
      try await global.connected { session in
        let channel = try await session.channel(channel)
        try session.confirm(
          "Delete channel \(channel.id) '\(channel.profile.displayName)' for all readers?", isDefault: false, yes: yes)
        let deleted = try await session.client.deleteChannel(id: channel.id)
        try session.show(deleted) { "Channel \(deleted.id) is \(deleted.phase)." }
      }
    }
  }
}
