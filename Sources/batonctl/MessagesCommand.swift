internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences
internal import StrictJSON
internal import Varlink

struct MessagesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "messages", abstract: "Read and answer the messages of channels",
    discussion: """
      Messages are named by their ids, as 7 or id:7.

      Example:
        batonctl messages News                       shows the newest messages of the channel News
        batonctl messages News --follow              continues with new ones
        batonctl messages --search "bridge closed"   searches all channels
        batonctl messages mark-read News                  marks everything in the channel as read
        batonctl messages reply 12 "At nine."        answers message 12
        batonctl messages list read                  shows a channel that is named like a subcommand
      """,
    subcommands: [
      MessageList.self, Show.self, MarkRead.self, MarkUnread.self, Sync.self, MessageAnswer.self, MessageReact.self,
      MessageRemove.self,
      MessageReport.self, MessagePin.self, MessageUnpin.self, MessageHide.self, MessageUnhide.self,
    ], defaultSubcommand: MessageList.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a message with its text, author and relays",
      discussion: """
        Example:
          batonctl messages show 12
        """, aliases: ["get"])
    @OptionGroup var show: ShowOptions
    @Argument(help: "Message, by id.", completion: .names(of: .message)) var message: ObjectID
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected(show) { session in
        let found = try await session.raw.messages.get(id: message.id)
        let shown = try ShownMessage(found)
        let answered = try await session.answered([found])
        let relays = await session.relayNames(found.relayIds)
        try session.show(found) {
          MessageView(terminal: session.terminal, times: session.times)
            .details(shown, answered: answered, relays: relays)
        }
      }
    }
  }

  struct MarkRead: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "mark-read", abstract: "Mark the messages of a channel as read",
      discussion: """
        Messages are marked in the order in which they arrived. Messages already read remain read.

        Example:
          batonctl messages mark-read News
        """)
    @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Option(help: "Last message to mark, by id. Default: all messages.", completion: .names(of: .message))
    var through: ObjectID?
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let request = MessagesMarkReadRequest(
          channelId: try await session.channel(channel).id, through: through.map { Int($0.id) })
        let conversation = try await session.raw.messages.markRead(request)
        try session.show(conversation) { UnreadMark.sentence(conversation) }
      }
    }
  }

  struct MarkUnread: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "mark-unread", abstract: "Mark a message and all later ones as unread",
      discussion: """
        Your own messages, and messages from before Baton began to read the channel, remain read.

        Example:
          batonctl messages mark-unread 12
        """)
    @Argument(help: "First message to mark, by id.", completion: .names(of: .message)) var message: ObjectID
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let conversation = try await session.raw.messages.markUnread(id: message.id)
        try session.show(conversation) { UnreadMark.sentence(conversation) }
      }
    }
  }

  struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read the relays of a channel again now",
      discussion: """
        Baton also reads relays automatically. The command waits for 30s, or for --timeout, at most 5min, and Baton \
        continues to read the remaining relays. Exit status 1 if a relay was not read.

        Example:
          batonctl messages sync News
        """)
    @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @OptionGroup var global: GlobalOptions

    func validate() throws {
      try RelayPatience.check(global)
    }

    func run() async throws {
      try await global.connected { session in
        let id = try await session.channel(channel).id
        // The relays' time limit applies, and the daemon replies when it is over.
        session.ending.stopClock()
        let reply = try await session.raw.messages.sync(channelId: id, timeout: RelayPatience.seconds(of: global))
        let relays = await session.relayNames(reply.conversation.relays.map(\.relayId))
        try session.show(reply) { Self.text(reply, FreshnessNotes(relays: relays, times: session.times), session.terminal) }
        if !reply.complete { throw ExitCode(1) }
      }
    }

    static func text(_ reply: MessagesSyncReply, _ notes: FreshnessNotes, _ terminal: Terminal) -> String {
      let conversation = reply.conversation
      let name = "'\(conversation.channelName.shown)'"
      let first =
        reply.complete
        ? "All relays of \(name) were read." : "Not all relays of \(name) were read. See below, or try again later."
      return ([first] + conversation.relays.map { notes.line($0, terminal) } + [UnreadMark.sentence(conversation)])
        .joined(separator: "\n")
    }
  }
}

/// How long the daemon waits for relays: as long as the user requests.
enum RelayPatience {
  private static let longest = Duration.seconds(300)

  static func check(_ global: GlobalOptions) throws {
    guard (global.timeout?.duration ?? .zero) <= longest else { throw ValidationError("--timeout must be 5min or less.") }
  }

  /// - Returns: `nil` if the user sets no time.
  static func seconds(of global: GlobalOptions) -> Int? {
    global.timeout.map { max(1, Int($0.duration.components.seconds)) }
  }
}

extension Session {
  /// The names of these relays, by id, safe for a terminal, without relays that cannot be read.
  func relayNames(_ ids: [Int64]) async -> [Int64: String] {
    let ids = Set(ids).subtracting([FreshnessNotes.network])
    guard isForPeople, !ids.isEmpty else { return [:] }
    let wanted = ids.sorted().prefix(Self.relaysMax).map(JSONValue.integer)
    // A user with permission to read messages may lack the permission to see relays.
    let relays = (try? await client.relays.all(filter: ["id": ["$in": .array(wanted)]])) ?? []
    return Dictionary(relays.map { ($0.id, $0.name) }) { first, _ in first }
  }

  /// The largest number of relays that are requested by name. A filter accepts no more than a few hundred.
  private static var relaysMax: Int { 100 }

  /// The beginnings of the messages that these answer, by id, safe for a terminal.
  func answered(_ messages: [Message]) async throws -> [Int64: String] {
    guard isForPeople else { return [:] }
    var found = Dictionary(
      try messages.map { ($0.id, try ShownMessage($0).line) }, uniquingKeysWith: { first, _ in first })
    let others = Set(messages.compactMap { $0.replyTo.map(Int64.init) }).subtracting(found.keys)
    // People remember the latest ones least.
    for id in others.sorted().suffix(Self.answeredMax) {
      do {
        found[id] = try ShownMessage(try await raw.messages.get(id: id)).line
      } catch let error as VarlinkError where error.kind == .noSuchObject {
        continue
      }
    }
    return found
  }

  /// The largest number of messages that are read for that, one by one.
  private static var answeredMax: Int { 100 }
}
