internal import BatonClient
internal import ControlAPI
internal import HTTPTypes
internal import Hummingbird
internal import StrictJSON
internal import Varlink

// The messages of a channel, and a box to write in.
extension Pages {
  private static let messagesMax = 50
  /// How many kinds of reactions to one message are shown, and how many characters of each.
  private static let reactionsMax = 12
  private static let reactionMax = 16

  func conversation(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await conversation(request, context, typed: nil, refusal: nil)
  }

  private func conversation(
    _ request: Request, _ context: ConsoleContext, typed: Form?, refusal: VarlinkError?
  ) async throws -> Response {
    let id = try id(context)
    let before = try request.query().number("before")
    let revision = await hub.revision
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    let times = Times()
    let (lines, newest, older, isComplete) = try await lines(of: id, before: before.map { Int(clamping: $0) }, times)
    let isOpen = channel.owned && !channel.frozen && !channel.isGone
    let mayWrite = context.visit?.role == .change && isOpen
    let view: View = [
      "id": .number(id), "name": .text(channel.profile.displayName), "lines": .views(lines), "isEmpty": .flag(lines.isEmpty),
      "older": older.map { .text("channels/\(id)/messages?before=\($0)") }, "isLatest": .flag(before == nil),
      "mayWrite": .flag(mayWrite && before == nil), "isFrozen": .flag(channel.frozen), "isOwnOnly": .flag(!isComplete),
      "unread": channel.unread > 0 && before == nil && context.visit?.role == .change
        ? newest.map { .view(["count": .text(grouped(channel.unread)), "through": .number($0)]) } : nil,
      "trouble": .some(refusal.map(Failures.sentence)), "text": .some(typed?["text"]),
      "isKept": .flag(typed != nil && !mayWrite),
      "key": .text(typed?["key"] ?? Self.key()),
    ]
    return renderer.page(
      "conversation", title: "Messages in \(channel.profile.displayName)", section: .channels, view, revision: revision,
      status: Failures.status(ofForm: refusal), request, context)
  }

  /// A key for a request, so that a form that is sent twice has one effect.
  static func key() -> String {
    "console-" + Hex.random(bytes: 16)
  }

  /// The messages, newest first. If the daemon does not read messages, Baton's posts.
  private func lines(
    of channel: Int64, before: Int?, _ times: Times
  ) async throws -> (lines: [View], newest: Int64?, older: Int64?, isComplete: Bool) {
    do {
      let reply = try await daemon.ask {
        try await $0.messages.list(MessagesListRequest(channelId: channel, before: before, limit: Self.messagesMax))
      }
      let older = reply.hasOlder ? reply.messages.last?.id : nil
      return (reply.messages.map { Self.line($0, times) }, reply.messages.first?.id, older, true)
    } catch let error as VarlinkError where error.name.hasSuffix(".NotFollowed") {
      let reply = try await daemon.ask {
        try await $0.posts.list(PostsListRequest(channelId: channel, before: before, limit: Self.messagesMax))
      }
      // Pages of posts are in the order in which the posts were created.
      let posts = reply.posts.sorted { $0.id > $1.id }
      return (posts.map { Self.line($0, times) }, nil, reply.hasOlder ? posts.last?.id : nil, false)
    }
  }

  private static func line(_ message: Message, _ times: Times) -> View {
    [
      "id": .text("m\(message.id)"),
      // Anyone may use any name, so a name never stands alone.
      "author": message.own ? nil : .some(message.authorName),
      "key": message.own ? nil : .text(message.author.isEmpty ? "unknown" : ShortKey.text(message.author)),
      "wholeKey": .text(message.author), "self": .text("you"),
      "isOwn": .flag(message.own), "isMention": .flag(message.mention), "text": .some(message.text),
      "time": times.view(message.time), "isEdited": .flag(message.editedAt != nil),
      "isAnswer": .flag(message.replyToNetworkId != nil),
      "phase": message.post.map { Mark.view($0.phase) },
      "shown": message.post.map { .text("\($0.shownCount) of \($0.relayCount)") },
      "reactions": .views(
        message.reactions.prefix(reactionsMax).map { reaction in
          // Without spaces in it, a reaction does not look like several.
          let text = reaction.reaction.filter { !$0.isWhitespace }.prefix(reactionMax)
          return ["count": .text(grouped(reaction.count)), "text": .text(String(text)), "isOwn": .flag(reaction.own)]
        }),
      "hasReactions": .flag(!message.reactions.isEmpty), "hasMoreReactions": .flag(message.reactions.count > reactionsMax),
      "attachments": .views(
        message.attachments.map { file in
          ["url": .text(file.url), "address": opening(file.url), "alt": .some(file.altText)]
        }),
    ]
  }

  private static func line(_ post: Post, _ times: Times) -> View {
    [
      "id": .text("p\(post.id)"), "self": "Baton", "isOwn": true, "text": .some(post.text),
      "time": times.view(post.createdAt),
      "phase": Mark.view(post.phase), "shown": .text("\(post.shownCount) of \(post.relayCount)"),
    ]
  }

  /// Publishes a post.
  func publish(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let form = try await form(request, context)
    let wanted = PostsPublishRequest(channelId: id, text: form["text"] ?? "", idempotencyKey: form.text("key"))
    do {
      _ = try await daemon.ask { try await $0.posts.publish(wanted) }
      return redirect(request, to: "channels/\(id)/messages")
    } catch let error as VarlinkError where error.name != VarlinkError.permissionDenied.name {
      return try await conversation(request, context, typed: form, refusal: error)
    }
  }

  /// Marks the shown messages as read.
  func markRead(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let through = try await form(request, context).number("through")
    _ = try await daemon.ask {
      try await $0.messages.markRead(channelId: id, through: through.map { Int(clamping: $0) })
    }
    return redirect(request, to: "channels/\(id)/messages")
  }
}
