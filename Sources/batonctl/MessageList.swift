internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

struct MessageList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show messages of one channel or of all, the newest last",
    discussion: """
      Each message begins with its id, author and time. Names prove nothing, so the author's key follows the name. Your \
      own messages are by 'you', with the number of relays that have the post. --search finds messages that contain all \
      of the words, the best matches first: word* matches longer words, and "words in quotation marks" are adjacent. It \
      searches stored messages. With --on-relays, relays of the channel that offer it search first, and see the words. \
      With --json, --follow prints one document for each change, and for each message at the beginning.

      Example:
        batonctl messages --search "bridge closed"
      """, aliases: ["ls"])
  @OptionGroup var show: ShowOptions
  @Argument(help: "Channel, by id or name. Default: all channels.", completion: .names(of: .channel)) var channel: String?
  @Flag(help: "Continue with new messages, until Ctrl-C.") var follow = false
  @Option(help: "Only messages before this one.", completion: .names(of: .message)) var before: ObjectID?
  @Option(help: "Only messages after this one.", completion: .names(of: .message)) var after: ObjectID?
  @Option(help: "Messages on both sides of this one.", completion: .names(of: .message)) var around: ObjectID?
  @Option(help: "Only messages with these words, the best first.") var search: String?
  @Flag(name: .customLong("on-relays"), help: "With --search: also search the relays of the channel.") var onRelays = false
  @Option(help: "Only messages of this author, by the key or name that the network uses.") var author: String?
  @Flag(help: "Only messages that mention you, or answer you.") var mentions = false
  @Flag(help: "Show deleted messages too, without their texts.") var deleted = false
  @Flag(help: "Only hidden messages, which are left out by default.") var hidden = false
  @Flag(help: "Only pinned messages of the channel.") var pinned = false
  @Option(name: .customLong("answers-to"), help: "Only answers to this message.", completion: .names(of: .message))
  var answersTo: ObjectID?
  @Option(help: "Maximum number of messages to show, 1 to 1000, or with --around 1 to 100.") var limit: Int = 25
  @Flag(name: .customLong("newest-first"), help: "Show the newest message first.") var newestFirst = false
  @OptionGroup var global: GlobalOptions

  /// The largest number of messages in one reply of the daemon.
  static let pageMax = 100

  func validate() throws {
    let places = [before, after, around].compactMap { $0 }
    guard places.count < 2 else { throw ValidationError("--before, --after and --around cannot be combined.") }
    let most = around == nil ? 1000 : Self.pageMax
    guard (1...most).contains(limit) else { throw ValidationError("--limit must be 1 to \(most).") }
    if let search {
      guard !search.isEmpty else { throw ValidationError("--search needs words.") }
      guard places.isEmpty, author == nil, !mentions, !deleted, !hidden, !pinned, answersTo == nil, !follow else {
        throw ValidationError(
          "--search can be combined with a channel, --limit, --newest-first and --on-relays, not with other options that select messages."
        )
      }
    }
    guard !onRelays || search != nil && channel != nil else {
      throw ValidationError("--on-relays needs a channel and --search.")
    }
    if onRelays { try RelayPatience.check(global) }
    guard !pinned || channel != nil else { throw ValidationError("--pinned needs a channel.") }
    if follow {
      guard !pinned, answersTo == nil else {
        throw ValidationError("--follow cannot be combined with --pinned or --answers-to.")
      }
      guard places.isEmpty, !newestFirst else {
        throw ValidationError("--follow cannot be combined with --before, --after, --around or --newest-first.")
      }
      guard !hidden else { throw ValidationError("--follow cannot be combined with --hidden.") }
      try show.checkStream("--follow", "messages")
    }
  }

  func run() async throws {
    try await global.connected(show) { session in
      let named = channel == nil ? nil : try await session.channel(channel ?? "")
      // Followed messages remain on the screen, so a relative time would become wrong.
      let view = MessageView(
        terminal: session.terminal, times: follow ? Times(isExact: true) : session.times,
        width: session.format == .wide ? nil : session.terminal.columns, namesChannel: named == nil)
      if let search {
        let found = MessageSearching(session: session, view: view, limit: limit)
        if onRelays, let named {
          try await found.askRelays(of: named.id, for: search, within: RelayPatience.seconds(of: global))
        }
        return try await found.run(
          MessagesSearchRequest(text: search, channelId: named?.id, newestFirst: newestFirst ? true : nil))
      }
      let request = MessagesListRequest(
        channelId: named?.id, author: author, mention: mentions ? true : nil, deleted: deleted ? true : nil,
        hidden: hidden ? true : nil, pinned: pinned ? true : nil, answersTo: answersTo.map { Int($0.id) },
        before: before.map { Int($0.id) }, after: after.map { Int($0.id) },
        around: around.map { Int($0.id) })
      let found = try await read(request, session)
      let answered = try await session.answered(found.messages)
      let page = MessagePageView(
        messages: newestFirst ? found.messages : found.messages.reversed(), found: found, answered: answered, view: view,
        isNewestFirst: newestFirst, areMentions: mentions, isNarrowed: author != nil || hidden || pinned || answersTo != nil)
      if follow {
        let following = MessageFollowing(
          session: session, tail: MessageTail(view: view, page: found.messages, author: author, areMentions: mentions))
        return try await following.run(page, channel: named?.id)
      }
      let relays = await session.relayNames(found.conversation?.relays.map(\.relayId) ?? [])
      let lines = try page.lines() + page.notes(FreshnessNotes(relays: relays, times: session.times))
      // If a conversation is longer than the terminal, its end remains visible.
      try session.show(page.messages, isPaged: newestFirst) { lines.joined(separator: "\n") }
    }
  }

  /// Reads messages page by page, up to the limit. Pages of large messages have fewer.
  private func read(_ request: MessagesListRequest, _ session: Session) async throws -> MessagesListReply {
    var request = request
    request.limit = min(limit, Self.pageMax)
    var found = try await session.raw.messages.list(request)
    while request.around == nil, found.messages.count < limit {
      request.limit = min(limit - found.messages.count, Self.pageMax)
      let next: MessagesListReply
      if request.after != nil {
        guard found.hasNewer, let newest = found.messages.first else { break }
        request.after = Int(newest.id)
        next = try await session.raw.messages.list(request)
        (found.messages, found.hasNewer) = (next.messages + found.messages, next.hasNewer)
      } else {
        guard found.hasOlder, let oldest = found.messages.last else { break }
        request.before = Int(oldest.id)
        next = try await session.raw.messages.list(request)
        (found.messages, found.hasOlder) = (found.messages + next.messages, next.hasOlder)
      }
      if next.messages.isEmpty { break }
    }
    return found
  }
}

/// A page of messages for display, with the notes below it.
struct MessagePageView {
  /// In the order in which they are shown.
  let messages: [Message]
  /// The same in the order of the list, and whether there are more.
  let found: MessagesListReply
  /// The beginnings of the messages that these answer, by id.
  let answered: [Int64: String]
  let view: MessageView
  let isNewestFirst: Bool
  /// Whether only messages are shown that mention the channel owner.
  let areMentions: Bool
  /// Whether some messages are left out, so that unread messages cannot be counted on the page.
  let isNarrowed: Bool

  /// The position of the first unread message.
  private var unread: UnreadMark? {
    guard !isNarrowed, !found.hasNewer, let conversation = found.conversation else { return nil }
    return UnreadMark(found.messages, of: conversation, areMentions: areMentions, isNewestFirst: isNewestFirst)
  }

  func lines() throws -> [String] {
    guard !messages.isEmpty else {
      return [found.hasOlder || found.hasNewer || isNarrowed ? "No messages match." : "No messages."]
    }
    return view.conversation(try messages.map(ShownMessage.init), answered: answered, unread: unread)
  }

  /// The notes below the messages.
  func notes(_ freshness: FreshnessNotes) -> [String] {
    var notes: [String] = []
    if let oldest = found.messages.last, found.hasOlder { notes.append("There are older messages: --before \(oldest.id).") }
    if let newest = found.messages.first, found.hasNewer { notes.append("There are newer messages: --after \(newest.id).") }
    guard let conversation = found.conversation else { return notes }
    if unread == nil, conversation.unread > 0 { notes.append(UnreadMark.sentence(conversation)) }
    return notes + freshness.lines(conversation)
  }
}
