internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences

// Channels that others run.

struct ChannelFollow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow", abstract: "Reads a channel that others run.",
    discussion: """
      LINK is nostr:nevent1… of a public channel, nostr:naddr1… of a group, or the short link of a SimpleX channel. Messages are read and \
      nothing is published: see batonctl messages, batonctl inbox and batonctl channel unfollow. A link alone makes Baton connect to \
      no one: the channel is read from those relays of the link that Baton has, or from those that --relay names. On SimpleX whoever \
      reads joins, so --join is needed: the chat core then asks the servers of the link, and joins under a random name, unless it has joined before.
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The link to the channel.") var link: String
  @Option(
    help: "A relay from which it is read, by id or name; may be repeated. Default: those of the link.",
    completion: .names(of: .relay))
  var relay: [String] = []
  @Option(help: "What it is called here. Default: what it calls itself.") var name: String?
  @Option(
    help: "The identity on whose behalf it is read, by id or name: messages that name its key are for you. Default: main.",
    completion: .names(of: .identity))
  var identity: String?
  @Flag(help: "Join the channel, which reading needs on SimpleX: its relays count one more reader.") var join = false

  func run() async throws {
    // Servers and relays may take minutes to let someone in.
    try await global.connected(limit: join ? TimeSpan(argument: "20min") : nil) { session in
      var request = ChannelsFollowRequest(link: link, displayName: name)
      if join { request.join = true }
      if !relay.isEmpty {
        var ids: [Int64] = []
        for name in relay { ids.append(try await session.relay(name).id) }
        request.relayIds = ids
      }
      if let identity { request.identity = try await session.raw.identity(id: try await session.identity(identity).id).name }
      let channel = try await session.client.follow(request)
      try session.show(channel) {
        let name = "Channel \(channel.id) '\(channel.profile.displayName)'"
        guard !channel.owned else { return "\(name) is your own." }
        let relays = channel.network == "simplex" ? "as a member" : "from \(counted(channel.readRelayIds.count, "relay"))"
        return "\(name) is followed, read \(relays). See batonctl messages \(channel.id)."
      }
    }
  }
}

struct ChannelUnfollow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unfollow", abstract: "Reads a channel of others no more.",
    discussion: """
      What was read of it is forgotten here; others go on without notice. On SimpleX the channel is left, which its relays notice; when \
      that cannot be done now, Baton goes on following it. --keep-membership only forgets it.
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Flag(help: "On SimpleX: stay a member of the channel.") var keepMembership = false
  @Flag(help: "Do not ask.") var yes = false

  func run() async throws {
    try await global.connected(limit: TimeSpan(argument: "20min")) { session in
      let channel = try await session.channel(channel)
      // The daemon refuses own channels, and says what to do.
      if !channel.owned {
        let leaves = channel.network == "simplex" && !keepMembership
        try session.confirm(
          "\(leaves ? "Leave channel" : "Forget what was read of channel") \(channel.id) '\(channel.profile.displayName)'"
            + "\(leaves ? ", and forget what was read of it" : "")?", isDefault: false, yes: yes)
      }
      let left = try await session.client.unfollow(channel: channel.id, keepMembership: keepMembership)
      try session.show(left) { "Channel \(left.id) is not followed any more." }
    }
  }
}

struct ChannelFollowing: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "following", abstract: "Says whether the messages of a channel are read, how far back, and how many are kept.",
    discussion: """
      Without --days, --count or --keep it is as the options messages.days, messages.count and messages.keep say. What was read before \
      stays, except for what --keep leaves no room for, which is dropped at once.
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Flag(inversion: .prefixedNo, help: "Read them, or do not.") var read = true
  @Option(help: "How old messages may be when they are read back, in days, 0 to 36500; 0 for any age.") var days: Int?
  @Option(help: "How many of the newest messages are read back from one relay, 1 to 100000.") var count: Int?
  @Option(help: "How many messages of others are kept, the last ones, 1 to 100000.") var keep: Int?

  func validate() throws {
    if let days, !(0...36_500).contains(days) { throw ValidationError("--days must be 0 to 36500.") }
    if let count, !(1...100_000).contains(count) { throw ValidationError("--count must be 1 to 100000.") }
    if let keep, !(1...100_000).contains(keep) { throw ValidationError("--keep must be 1 to 100000.") }
    guard read || days == nil && count == nil else { throw ValidationError("--no-read goes without --days and --count.") }
  }

  func run() async throws {
    try await global.connected { session in
      let id = try await session.channel(channel).id
      let changed = try await session.client.setFollowing(read, days: days, count: count, keep: keep, channel: id)
      try session.show(changed) { "The messages of channel \(id) are \(ChannelView.following(changed))." }
    }
  }
}
