internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import RelayNetwork
internal import Sentences

/// Answers a message.
struct MessageAnswer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reply", abstract: "Answer a message in its channel",
    discussion: """
      The answer is a post of the channel: batonctl post list shows it, and batonctl post delete deletes it. Write -- \
      before a text that begins with a dash. The text - is read from standard input, without the line feed at its end. \
      For an answer with files, mentions or a time, use batonctl post publish --reply-to-message.
      Exit status: as for batonctl post publish.

      Example:
        batonctl messages reply 12 "At nine."
      """)
  @Argument(help: "Message, by id.", completion: .names(of: .message)) var message: ObjectID
  @Argument(help: "Text, or - for standard input.") var text: String
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same answer.")
  var key: String?
  @Option(help: "When to return: all relays settled, readers find the answer at any relay, or none (do not wait).")
  var wait: ChannelCreate.Wait = .any
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let text = Result { try PostText.whole(self.text, file: nil) }
    try await PostRemark(global: global, wait: wait, kind: "the answer to message").run(on: message) { client in
      try await client.posts.publish(try await request(try text.get(), client)).post
    } following: { client in
      try await client.posts.publishAndFollow(try await request(try text.get(), client))
    } beginning: { reply in
      let post = reply.post
      guard reply.isNew else { return "Post \(post.id) was already published with this key." }
      return "Post \(post.id) answers message \(message.id). Delivering to \(counted(post.relayCount, "relay"))."
    }
  }

  private func request(_ text: String, _ client: BatonClient) async throws -> PostsPublishRequest {
    let channel = try await client.messages.get(id: message.id).channelId
    return PostsPublishRequest(channelId: channel, text: text, idempotencyKey: key, replyToMessage: Int(message.id))
  }
}

/// Reacts to a message.
struct MessageReact: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "react", abstract: "React to a message as its channel",
    discussion: """
      A reaction is +, -, one emoji, or :shortcode: with --emoji-url. SimpleX accepts eight emoji, and + and - are its \
      thumbs. The reaction is a post, and batonctl post delete deletes it. The same reaction to the same message is made \
      once.
      Exit status: as for batonctl post publish.

      Example:
        batonctl messages react 12 +
      """)
  @Argument(help: "Message, by id.", completion: .names(of: .message)) var message: ObjectID
  @OptionGroup var options: ReactionOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let request = PostsReactRequest(
      reaction: options.reaction, emoji: options.emoji, idempotencyKey: options.key, messageId: message.id)
    try await PostRemark(global: global, wait: options.wait, kind: "a reaction to message").run(on: message) { client in
      try await client.posts.react(request).post
    } following: { client in
      try await client.posts.reactAndFollow(request).map { PostsPublishReply(post: $0.post, isNew: $0.isNew) }
    } beginning: { reply in
      let post = reply.post
      guard reply.isNew else { return "Post \(post.id) is already this reaction to message \(message.id)." }
      return "Post \(post.id) is a reaction to message \(message.id). Delivering to \(counted(post.relayCount, "relay"))."
    }
  }
}

/// Removes a message for all readers.
struct MessageRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a message for all readers of a group",
    discussion: """
      You can remove other people's messages from your groups on Nostr and your channels on SimpleX. Readers may keep \
      copies. Elsewhere, use batonctl messages hide. The removal is a post: batonctl post show shows its progress, and \
      batonctl post retry retries it. A message that is Baton's own post is deleted as with batonctl post delete.

      Example:
        batonctl messages remove 12 --reason spam
      """)
  @Argument(help: "Message, by id.", completion: .names(of: .message)) var message: ObjectID
  @Option(help: "Reason, for the relay and its readers.") var reason: String?
  @Flag(help: "Do not ask for confirmation.") var yes = false
  @OptionGroup var global: GlobalOptions

  /// How many columns of the text a question repeats.
  private static let wordsMax = 40

  func run() async throws {
    try await global.connected { session in
      let found = try ShownMessage(try await session.raw.messages.get(id: message.id))
      let (author, words) = (found.author(isWhole: false), found.line.cut(to: Self.wordsMax))
      try session.confirm(
        "Remove message \(message.id) by \(author) in '\(found.message.channelName)' for all readers: \(words)?",
        isDefault: false,
        yes: yes || !session.terminal.isInteractive)
      let reply = try await session.raw.posts.remove(messageId: message.id, reason: reason)
      let post = try ShownPost(reply.post).post
      try session.show(reply.post) { "\(post.summary)\nSee batonctl post show \(post.id)." }
    }
  }
}

/// Reports a message to relays.
struct MessageReport: AsyncParsableCommand {
  private static let categories = Report.Category.allCases.map(\.rawValue)

  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Report a message to the relays of its channel",
    discussion: """
      The report is public and signed by the channel. It is a post: batonctl post list --reactions shows it, and batonctl \
      post delete withdraws it. Relays decide what to do with it. Categories are \(categories.joined(separator: ", ")).
      Exit status: as for batonctl post publish.

      Example:
        batonctl messages report 12 spam
      """)
  @Argument(help: "Message, by id.", completion: .names(of: .message)) var message: ObjectID
  @Argument(help: "Category of the report.", completion: .list(categories), transform: Words.one(of: categories))
  var category: String
  @Argument(help: "Explanation.") var text: String?
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same report.")
  var key: String?
  @Option(help: "When to return: all relays settled, readers find the report at any relay, or none (do not wait).")
  var wait: ChannelCreate.Wait = .any
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let request = PostsReportRequest(messageId: message.id, category: category, text: text, idempotencyKey: key)
    try await PostRemark(global: global, wait: wait, kind: "a report of message").run(on: message) { client in
      try await client.posts.report(request).post
    } following: { client in
      try await client.posts.reportAndFollow(request).map { PostsPublishReply(post: $0.post, isNew: $0.isNew) }
    } beginning: { reply in
      let post = reply.post
      guard reply.isNew else { return "Post \(post.id) was already published with this key." }
      return "Post \(post.id) reports message \(message.id). Delivering to \(counted(post.relayCount, "relay"))."
    }
  }
}

/// Pins messages in Baton.
struct MessagePin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Pin messages locally",
    discussion: """
      batonctl messages C --pinned lists them, and they are not dropped when the channel has too many messages. No one \
      else sees the pins. To pin a post of a group for its readers, use batonctl post pin.

      Example:
        batonctl messages pin 12
      """)
  @Argument(help: "Messages, by id.", completion: .names(of: .message)) var messages: [ObjectID]
  @OptionGroup var global: GlobalOptions

  func run() async throws { try await MessageMarking(global, messages, isPinned: true).run() }
}

/// Unpins messages.
struct MessageUnpin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpin",
    abstract: "Unpin messages",
    discussion: """
      Example:
        batonctl messages unpin 12
      """)
  @Argument(help: "Messages, by id.", completion: .names(of: .message)) var messages: [ObjectID]
  @OptionGroup var global: GlobalOptions

  func run() async throws { try await MessageMarking(global, messages, isPinned: false).run() }
}

/// Hides messages in Baton.
struct MessageHide: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hide", abstract: "Hide messages locally",
    discussion: """
      Pages, searches, counts and previews leave them out. batonctl messages --hidden shows them. No one else is \
      notified, and relays still show them.

      Example:
        batonctl messages hide 12 13
      """)
  @Argument(help: "Messages, by id.", completion: .names(of: .message)) var messages: [ObjectID]
  @OptionGroup var global: GlobalOptions

  func run() async throws { try await MessageMarking(global, messages, isHidden: true).run() }
}

/// Shows messages again.
struct MessageUnhide: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unhide", abstract: "Show hidden messages again",
    discussion: """
      Messages of muted people remain hidden: batonctl people unmute shows them.

      Example:
        batonctl messages unhide 12
      """)
  @Argument(help: "Messages, by id.", completion: .names(of: .message)) var messages: [ObjectID]
  @OptionGroup var global: GlobalOptions

  func run() async throws { try await MessageMarking(global, messages, isHidden: false).run() }
}

/// Marks messages, one after the other, for this daemon and the daemons that share its store.
private struct MessageMarking {
  let global: GlobalOptions
  let messages: [ObjectID]
  let mark: @Sendable (ObjectID, BatonClient) async throws -> Message
  let sentence: @Sendable (Message) -> String

  func run() async throws {
    try await global.connected { session in
      var changed: [Message] = []
      for message in messages { changed.append(try await mark(message, session.raw)) }
      try session.show(changed) { changed.map(sentence).joined(separator: "\n") }
    }
  }
}

extension MessageMarking {
  init(_ global: GlobalOptions, _ messages: [ObjectID], isPinned: Bool) {
    self.init(global: global, messages: messages) { message, client in
      try await client.messages.setPinned(id: message.id, pinned: isPinned)
    } sentence: { message in
      "Message \(message.id) is \(message.pinned ? "pinned" : "not pinned")."
    }
  }

  init(_ global: GlobalOptions, _ messages: [ObjectID], isHidden: Bool) {
    self.init(global: global, messages: messages) { message, client in
      try await client.messages.setHidden(id: message.id, hidden: isHidden)
    } sentence: { message in
      guard message.hidden, !isHidden else { return "Message \(message.id) is \(message.hidden ? "hidden" : "shown")." }
      return "Message \(message.id) remains hidden, because its author is muted: \(ShortKey.text(message.author).shown)."
    }
  }
}
