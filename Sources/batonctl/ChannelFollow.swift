internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences

// Channels of other people.

struct ChannelFollow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow", abstract: "Follow a channel that someone else runs",
    discussion: """
      LINK is nostr:nevent1… of a public channel, nostr:naddr1… of a group, or the short link of a SimpleX channel. Baton \
      reads the messages and publishes nothing: see batonctl messages and batonctl inbox.

      Baton connects only to relays that it already has: the relays of the link, or of --relay. On SimpleX readers have to \
      join, so --join is required: the chat core then contacts the servers of the link, and joins under a random name \
      unless it has joined before.

      Example:
        batonctl channel follow nostr:nevent1… --name "Transit alerts"
      """)
  @Argument(help: "Link to the channel.") var link: String
  @Option(
    help: "Relay to read from, by id or name. May be repeated. Default: the relays of the link.",
    completion: .names(of: .relay))
  var relay: [String] = []
  @Option(help: "Local name. Default: the channel's own name.") var name: String?
  @Option(
    help: "Identity to read as, by id or name. Messages that mention its key mention you. Default: main.",
    completion: .names(of: .identity))
  var identity: String?
  @Flag(help: "Join as a member: required on SimpleX, and visible to the channel's relays.") var join = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    // Servers and relays may need minutes to let someone in.
    try await global.connected(limit: join ? TimeSpan(argument: "20min") : nil) { session in
      var request = ChannelsFollowRequest(link: link, displayName: name)
      if join { request.join = true }
      if !relay.isEmpty {
        var ids: [Int64] = []
        for name in relay { ids.append(try await session.relay(name).id) }
        request.relayIds = ids
      }
      if let identity {
        request.identity = try await session.raw.identities.get(id: try await session.identity(identity).id).name
      }
      let channel = try await session.client.channels.follow(request)
      try session.show(channel) {
        let name = "Channel \(channel.id) '\(channel.profile.displayName)'"
        guard !channel.owned else { return "\(name) is your own." }
        let relays = channel.network == "simplex" ? "as a member" : "from \(counted(channel.readRelayIds.count, "relay"))"
        return "\(name) is followed \(relays). See batonctl messages \(channel.id)."
      }
    }
  }
}

struct ChannelUnfollow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unfollow", abstract: "Stop following a channel",
    discussion: """
      Baton forgets the messages that it read. On Nostr no one is notified. On SimpleX Baton leaves the channel, which its \
      relays notice. If it cannot leave now, it continues to follow the channel.

      Example:
        batonctl channel unfollow "Transit alerts"
      """)
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Flag(help: "On SimpleX: forget the messages, but remain a member of the channel.") var keepMembership = false
  @Flag(help: "Do not ask for confirmation.") var yes = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected(limit: TimeSpan(argument: "20min")) { session in
      let channel = try await session.channel(channel)
      // The daemon refuses own channels with a sentence about the right command.
      if !channel.owned {
        let leaves = channel.network == "simplex" && !keepMembership
        try session.confirm(
          "\(leaves ? "Leave channel" : "Forget the messages of channel") \(channel.id) '\(channel.profile.displayName)'"
            + "\(leaves ? ", and forget its messages" : "")?", isDefault: false, yes: yes)
      }
      let left = try await session.client.channels.unfollow(id: channel.id, keepMembership: keepMembership)
      try session.show(left) { "Channel \(left.id) is no longer followed." }
    }
  }
}
