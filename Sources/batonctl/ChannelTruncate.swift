internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences

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
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Flag(help: "Also delete the channel's own posts on its relays.") var posts = false
  @Flag(help: "Do not ask for confirmation.") var yes = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      let channel = try await session.channel(channel)
      let what = posts ? ", and its posts for all readers" : ""
      try session.confirm(
        "Delete all messages of channel \(channel.id) '\(channel.profile.displayName)' here\(what)?", isDefault: false,
        yes: yes)
      let reply = try await session.client.channels.truncate(id: channel.id, posts: posts)
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
