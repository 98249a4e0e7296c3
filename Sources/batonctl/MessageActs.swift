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
      The answer is a post of the channel: batonctl post list has it, and batonctl post delete deletes it. A text that begins with a dash \
      needs -- before it; the text - is read from standard input, without the line feed at its end. For answers with files, mentions or \
      at a later time, see batonctl post publish --reply-to-message.
      Exit status: as for batonctl post publish.

      Example:
        batonctl messages reply 12 "At nine."
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Message, by id.", completion: .names(of: .message)) var message: ObjectID
  @Argument(help: "Text, or - for standard input.") var text: String
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same answer.")
  var key: String?
  @Option(help: "When to return: all relays settled, readers find the answer at any relay, or none (do not wait).")
  var wait: ChannelCreate.Wait = .any

  func run() async throws {
    let text = Result { try PostText.whole(self.text, file: nil) }
    try await PostRemark(global: global, wait: wait, kind: "the answer to message").run(on: message) { client in
      try await client.publishPost(try await request(try text.get(), client)).post
    } following: { client in
      try await client.publishPostAndFollow(try await request(try text.get(), client))
    } beginning: { reply in
      let post = reply.post
      guard reply.isNew else { return "Post \(post.id) was published before with this key." }
      return "Post \(post.id) answers message \(message.id). Delivering to \(counted(post.relayCount, "relay"))."
    }
  }

  private func request(_ text: String, _ client: BatonClient) async throws -> PostsPublishRequest {
    let channel = try await client.message(MessagesGetRequest(id: message.id)).channelId
    return PostsPublishRequest(channelId: channel, text: text, idempotencyKey: key, replyToMessage: Int(message.id))
  }
}

/// Reacts to a message.
struct MessageReact: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "react", abstract: "React to a message as its channel",
    discussion: """
      A reaction is +, -, one emoji, or :shortcode: with the address of a picture; on SimpleX one of the eight emoji that it knows, of \
      which + and - are the thumbs. It is a post of its own, and batonctl post delete takes it back. The same reaction to the same message \
      is made once.
      Exit status: as for batonctl post publish.

      Example:
        batonctl messages react 12 +
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Message, by id.", completion: .names(of: .message)) var message: ObjectID
  @OptionGroup var options: ReactionOptions

  func run() async throws {
    let request = PostsReactRequest(
      reaction: options.reaction, emoji: options.emoji, idempotencyKey: options.key, messageId: message.id)
    try await PostRemark(global: global, wait: options.wait, kind: "a reaction to message").run(on: message) { client in
      try await client.reactToPost(request).post
    } following: { client in
      try await client.reactToPostAndFollow(request).map { PostsPublishReply(post: $0.post, isNew: $0.isNew) }
    } beginning: { reply in
      let post = reply.post
      guard reply.isNew else { return "Post \(post.id) is this reaction to message \(message.id) already." }
      return "Post \(post.id) is a reaction to message \(message.id). Delivering to \(counted(post.relayCount, "relay"))."
    }
  }
}

/// Removes a message for all readers.
struct MessageRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a message for all readers of a group",
    discussion: """
      Whoever runs a group on Nostr may remove what others wrote there; readers may keep what they have received. Elsewhere no one can, \
      and batonctl messages hide hides a message here. The removal is a post of its own: batonctl post show says how far it is, and \
      batonctl post retry tries it again. A message that is a post of Baton's is deleted as batonctl post delete does it.

      Example:
        batonctl messages remove 12 --reason spam
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Message, by id.", completion: .names(of: .message)) var message: ObjectID
  @Option(help: "Reason, for the relay and its readers.") var reason: String?
  @Flag(help: "Do not ask for confirmation.") var yes = false

  /// How many columns of the text a question repeats.
  private static let wordsMax = 40

  func run() async throws {
    try await global.connected { session in
      let found = try ShownMessage(try await session.raw.message(MessagesGetRequest(id: message.id)))
      let (author, words) = (found.author(isWhole: false), found.line.cut(to: Self.wordsMax))
      try session.confirm(
        "Remove message \(message.id) by \(author) in '\(found.message.channelName)' for all readers: \(words)?",
        isDefault: false,
        yes: yes || !session.terminal.isInteractive)
      let reply = try await session.raw.removeMessage(PostsRemoveRequest(messageId: message.id, reason: reason))
      let post = try ShownPost(reply.post).post
      try session.show(reply.post) { "\(post.summary)\nbatonctl post show \(post.id) says how far it is." }
    }
  }
}

/// Reports a message to relays.
struct MessageReport: AsyncParsableCommand {
  private static let categories = Report.Category.allCases.map(\.rawValue)

  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Report a message to the relays of its channel",
    discussion: """
      The report is public, signed by the channel, and a post of its own: batonctl post list --reactions has it, and batonctl post delete \
      takes it back. Relays make of it what they want. Categories are \(categories.joined(separator: ", ")).
      Exit status: as for batonctl post publish.

      Example:
        batonctl messages report 12 spam
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Message, by id.", completion: .names(of: .message)) var message: ObjectID
  @Argument(help: "Category of the report.", completion: .list(categories), transform: Words.one(of: categories))
  var category: String
  @Argument(help: "Explanation.") var text: String?
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same report.")
  var key: String?
  @Option(help: "When to return: all relays settled, readers find the report at any relay, or none (do not wait).")
  var wait: ChannelCreate.Wait = .any

  func run() async throws {
    let request = PostsReportRequest(messageId: message.id, category: category, text: text, idempotencyKey: key)
    try await PostRemark(global: global, wait: wait, kind: "a report of message").run(on: message) { client in
      try await client.reportMessage(request).post
    } following: { client in
      try await client.reportMessageAndFollow(request).map { PostsPublishReply(post: $0.post, isNew: $0.isNew) }
    } beginning: { reply in
      let post = reply.post
      guard reply.isNew else { return "Post \(post.id) was published before with this key." }
      return "Post \(post.id) is a report of message \(message.id). Delivering to \(counted(post.relayCount, "relay"))."
    }
  }
}

/// Pins messages here.
struct MessagePin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Pin messages locally",
    discussion: """
      batonctl messages C --pinned has them, and they are not dropped when the channel has too many messages. No one else learns of it; \
      batonctl post pin pins a post of a group for its readers.

      Example:
        batonctl messages pin 12
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Messages, by id.", completion: .names(of: .message)) var messages: [ObjectID]

  func run() async throws { try await MessageMarking(global, messages, isPinned: true).run() }
}

/// Takes pins away.
struct MessageUnpin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpin",
    abstract: "Unpin messages",
    discussion: """
      Example:
        batonctl messages unpin 12
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Messages, by id.", completion: .names(of: .message)) var messages: [ObjectID]

  func run() async throws { try await MessageMarking(global, messages, isPinned: false).run() }
}

/// Hides messages here.
struct MessageHide: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hide", abstract: "Hide messages locally",
    discussion: """
      Pages, searches, counts and previews do without them; batonctl messages --hidden has them. No one else learns of it, and relays go on \
      showing them.

      Example:
        batonctl messages hide 12 13
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Messages, by id.", completion: .names(of: .message)) var messages: [ObjectID]

  func run() async throws { try await MessageMarking(global, messages, isHidden: true).run() }
}

/// Shows messages again.
struct MessageUnhide: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unhide", abstract: "Show hidden messages again",
    discussion: """
      Messages of people who are muted stay hidden: batonctl people unmute shows them.

      Example:
        batonctl messages unhide 12
      """)
  @OptionGroup var global: GlobalOptions
  @Argument(help: "Messages, by id.", completion: .names(of: .message)) var messages: [ObjectID]

  func run() async throws { try await MessageMarking(global, messages, isHidden: false).run() }
}

/// Decides something about messages, one after the other, for this daemon and those that share its store.
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
      try await client.pinMessage(MessagesSetPinnedRequest(id: message.id, pinned: isPinned))
    } sentence: { message in
      "Message \(message.id) is \(message.pinned ? "pinned" : "not pinned")."
    }
  }

  init(_ global: GlobalOptions, _ messages: [ObjectID], isHidden: Bool) {
    self.init(global: global, messages: messages) { message, client in
      try await client.hideMessage(MessagesSetHiddenRequest(id: message.id, hidden: isHidden))
    } sentence: { message in
      guard message.hidden, !isHidden else { return "Message \(message.id) is \(message.hidden ? "hidden" : "shown")." }
      return "Message \(message.id) stays hidden, because its author is muted: \(ShortKey.text(message.author).shown)."
    }
  }
}
