internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences

struct PostRetentionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention", abstract: "Show or set how long a channel's posts are kept",
    discussion: """
      Baton forgets posts beyond either limit: it deletes their text permanently, and keeps their ids and statuses. \
      Relays still show them. batonctl post delete deletes them there too. On a terminal the command asks for \
      confirmation.

      Example:
        batonctl post retention News                          shows the limits
        batonctl post retention News --days 30 --count 1000   keeps posts for 30 days, at most the newest 1000
        batonctl post retention News --forever                keeps all posts, which is the default
      """)
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Option(help: "Number of days to keep posts, 1 to 36500.") var days: Int?
  @Option(help: "Number of newest posts to keep, 1 to 1000000, counting deleted and scheduled posts and reactions.")
  var count: Int?
  @Flag(help: "Keep all posts.") var forever = false
  @Flag(help: "Do not ask for confirmation.") var yes = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard !forever || days == nil && count == nil else {
      throw ValidationError("--forever excludes --days and --count.")
    }
  }

  func run() async throws {
    try await global.connected { session in
      let channel = try await session.channel(channel)
      let name = channel.profile.displayName.shown
      guard forever || days != nil || count != nil else {
        let retention = try await session.client.posts.getRetention(channelId: channel.id)
        return try session.show(retention) { Self.sentence(retention, name) }
      }
      if !forever {
        let wanted = Retention(channelId: channel.id, keepDays: days, keepCount: count)
        try session.confirm(
          "\(Self.sentence(wanted, name)) Permanently forget the text of all other posts here?", isDefault: false,
          yes: yes || !session.terminal.isInteractive)
      }
      let retention = try await session.client.posts.setRetention(channelId: channel.id, keepDays: days, keepCount: count)
      try session.show(retention) { Self.sentence(retention, name) }
    }
  }

  /// - Parameter name: the name of the channel, safe for display.
  static func sentence(_ retention: Retention, _ name: String) -> String {
    switch (retention.keepDays, retention.keepCount) {
    case (nil, nil): "Posts of '\(name)' are kept forever."
    case (let days?, nil): "Posts of '\(name)' are kept for \(counted(days, "day"))."
    case (nil, 1?): "The newest post of '\(name)' is kept."
    case (nil, let count?): "The newest \(count) posts of '\(name)' are kept."
    case (let days?, let count?):
      "Posts of '\(name)' are kept for \(counted(days, "day")), at most the newest \(count == 1 ? "one" : "\(count)")."
    }
  }
}
