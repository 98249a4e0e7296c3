internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences

// What whoever runs a channel decides about it for themselves. Readers see nothing of it.

/// A command that changes one such thing.
protocol ChannelMarking: AsyncParsableCommand {
  var global: GlobalOptions { get }
  var channel: String { get }
  /// Asks whether to go on, where that is wanted.
  func ask(_ channel: Channel, _ session: Session) throws
  func mark(_ id: Int64, _ client: BatonClient) async throws -> Channel
  /// What is so now.
  func words(_ channel: Channel) -> String
}

extension ChannelMarking {
  func ask(_ channel: Channel, _ session: Session) throws {}

  func run() async throws {
    try await global.connected { session in
      let found = try await session.channel(channel)
      try ask(found, session)
      let changed = try await mark(found.id, session.client)
      try session.show(changed) { words(changed) }
    }
  }
}

struct ChannelMute: ChannelMarking {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Mute a channel: leave it out of inbox --unread",
    discussion: """
      Baton still reads and counts its messages, and batonctl inbox without --unread still lists it.

      Example:
        batonctl channel mute "City News"
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String

  func mark(_ id: Int64, _ client: BatonClient) async throws -> Channel { try await client.setMuted(true, channel: id) }
  func words(_ channel: Channel) -> String { "Channel \(channel.id) is muted." }
}

struct ChannelUnmute: ChannelMarking {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Unmute a channel",
    discussion: """
      Example:
        batonctl channel unmute "City News"
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String

  func mark(_ id: Int64, _ client: BatonClient) async throws -> Channel { try await client.setMuted(false, channel: id) }
  func words(_ channel: Channel) -> String { "Channel \(channel.id) is not muted." }
}

struct ChannelPin: ChannelMarking {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Pin a channel",
    discussion: """
      batonctl channel list --sort=-pinned lists pinned channels first. batonctl inbox -o wide shows which channels are \
      pinned.

      Example:
        batonctl channel pin "City News"
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String

  func mark(_ id: Int64, _ client: BatonClient) async throws -> Channel { try await client.setPinned(true, channel: id) }
  func words(_ channel: Channel) -> String { "Channel \(channel.id) is pinned." }
}

struct ChannelUnpin: ChannelMarking {
  static let configuration = CommandConfiguration(
    commandName: "unpin", abstract: "Unpin a channel",
    discussion: """
      Example:
        batonctl channel unpin "City News"
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String

  func mark(_ id: Int64, _ client: BatonClient) async throws -> Channel { try await client.setPinned(false, channel: id) }
  func words(_ channel: Channel) -> String { "Channel \(channel.id) is not pinned." }
}

struct ChannelFreeze: ChannelMarking {
  static let configuration = CommandConfiguration(
    commandName: "freeze", abstract: "Freeze a channel: publish nothing in it",
    discussion: """
      Baton refuses posts, edits, reactions, pins and imports. It still deletes posts, and still delivers posts that it \
      accepted before. A scheduled post that is due waits within its tolerance. On Nostr other people can still write in \
      the channel.

      Example:
        batonctl channel freeze "City News"
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String

  func mark(_ id: Int64, _ client: BatonClient) async throws -> Channel { try await client.setFrozen(true, channel: id) }
  func words(_ channel: Channel) -> String {
    "Channel \(channel.id) is frozen\(channel.frozenEnforced ? "" : "; other people can still write there")."
  }
}

struct ChannelUnfreeze: ChannelMarking {
  static let configuration = CommandConfiguration(
    commandName: "unfreeze", abstract: "Unfreeze a channel",
    discussion: """
      Example:
        batonctl channel unfreeze "City News"
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String

  func mark(_ id: Int64, _ client: BatonClient) async throws -> Channel { try await client.setFrozen(false, channel: id) }
  func words(_ channel: Channel) -> String { "Channel \(channel.id) is not frozen." }
}

struct ChannelUnhide: ChannelMarking {
  static let configuration = CommandConfiguration(
    commandName: "unhide", abstract: "Show a hidden channel in the inbox again",
    discussion: """
      Example:
        batonctl channel unhide "City News"
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String

  func mark(_ id: Int64, _ client: BatonClient) async throws -> Channel { try await client.setHidden(false, channel: id) }
  func words(_ channel: Channel) -> String { "Channel \(channel.id) is not hidden." }
}

struct ChannelHide: ChannelMarking {
  static let configuration = CommandConfiguration(
    commandName: "hide", abstract: "Hide a channel from the inbox until a message arrives",
    discussion: """
      batonctl channel list still lists it, and batonctl inbox --hidden lists hidden channels.

      Example:
        batonctl channel hide "City News"
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Flag(help: "Also delete its messages here, as batonctl channel truncate does.") var clear = false
  @Flag(help: "Do not ask for confirmation.") var yes = false

  func ask(_ channel: Channel, _ session: Session) throws {
    guard clear else { return }
    try session.confirm(
      "Delete all messages of channel \(channel.id) '\(channel.profile.displayName)' here?", isDefault: false, yes: yes)
  }

  func mark(_ id: Int64, _ client: BatonClient) async throws -> Channel {
    try await client.setHidden(true, clearingHistory: clear, channel: id)
  }

  func words(_ channel: Channel) -> String { "Channel \(channel.id) is hidden until a new message arrives." }
}

struct ChannelTruncate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "truncate", abstract: "Remove the messages of a channel here, not on its relays",
    discussion: """
      The messages disappear from lists, searches and counts, and do not return when relays are read again. The channel \
      and its posts remain, and Baton continues to read new messages. With --posts it also deletes the channel's own \
      posts for readers, the newest first, until one cannot be deleted.

      Example:
        batonctl channel truncate "City News"
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Flag(help: "Also delete the channel's own posts on its relays.") var posts = false
  @Flag(help: "Do not ask for confirmation.") var yes = false

  func run() async throws {
    try await global.connected { session in
      let channel = try await session.channel(channel)
      let what = posts ? ", and its posts for all readers" : ""
      try session.confirm(
        "Delete all messages of channel \(channel.id) '\(channel.profile.displayName)' here\(what)?", isDefault: false,
        yes: yes)
      let reply = try await session.client.truncate(posts: posts, channel: channel.id)
      try session.show(reply) {
        var lines = ["The messages of channel \(channel.id) are deleted here."]
        if posts { lines.append("Deleting \(counted(reply.deletedPosts, "post")): see batonctl post list.") }
        if let id = reply.failedPostId {
          lines.append("Cannot delete post \(id), and did not try older posts: \(reply.failure ?? "")")
        }
        return lines.joined(separator: "\n")
      }
      if reply.failedPostId != nil { throw ExitCode(1) }
    }
  }
}
