import ArgumentParser
import ControlAPI
import StrictJSON
import TestTools
import Testing

@testable import ControlProgram

/// The command lines of `batonctl messages` and `batonctl inbox`, and what they make of pages and of changes.
struct MessageCommandTests {
  private typealias Samples = MessageSamples

  private static func parse<Command>(_ arguments: String..., as type: Command.Type) throws -> Command {
    try #require(try Batonctl.parseAsRoot(arguments) as? Command, "\(arguments)")
  }

  // MARK: - Command lines

  /// Earlier names are shown nowhere, and work.
  @Test func earlierWordsAreReplaced() {
    func now(_ line: String) -> String {
      OldWords.replaced(in: line.split(separator: " ").map(String.init)).joined(separator: " ")
    }
    #expect(now("messages read News --through 7") == "messages mark-read News --through 7")
    #expect(now("messages reply 7 yes --key=k") == "messages reply 7 yes --idempotency-key=k")
    #expect(now("post News -- --key") == "post News -- --key")
    #expect(now("post export News --output f.jsonl") == "post export News --to f.jsonl")
    #expect(now("post list -o json") == "post list -o json")
    #expect(now("channel update News --name Old") == "channel edit News --name Old")
    #expect(now("channel mute News") == "channel edit --mute News" && now("channel unpin News") == "channel edit --no-pin News")
    #expect(now("channel hide News --clear --yes") == "channel edit --hide News --clear --yes")
    #expect(now("channel following News --no-read").hasSuffix("--keep-messages=default News --no-read"))
    #expect(!now("channel following News --no-read").contains("--read "))
    #expect(
      now("channel following 1 --days 0")
        == "channel edit --read --read-days=default --read-count=default --keep-messages=default 1 --read-days 0")
    #expect(now("channel history News --limit 5") == "history News --limit 5")
    #expect(now("history --channel News --channel=id:2 --limit 5") == "history News id:2 --limit 5")
    #expect(now("channel create News --key own") == "channel create News --signing-key own")
    #expect(now("help channel mute") == "help channel edit" && now("channel mute --help") == "channel edit --help")
    #expect(now("channel show mute") == "channel show mute")
  }

  @Test func listingIsWhatMessagesDoesUnlessASubcommandIsNamed() throws {
    let short = try Self.parse("messages", "City News", "--before", "id:9", "--limit", "1000", as: MessageList.self)
    #expect(short.channel == "City News" && short.before?.id == 9 && short.limit == 1000 && !short.follow)
    for words in [["messages"], ["messages", "list"], ["messages", "ls"]] {
      #expect((try Batonctl.parseAsRoot(words) as? MessageList)?.channel == nil)
    }
    #expect(try Self.parse("messages", "list", "read", as: MessageList.self).channel == "read")
    let found = try Self.parse("messages", "--search", "bridge closed", "--newest-first", as: MessageList.self)
    #expect(found.channel == nil && found.search == "bridge closed" && found.newestFirst)
    #expect(try Self.parse("messages", "News", "--follow", "--mentions", as: MessageList.self).mentions)
    #expect(
      try Self.parse("messages", "mark-read", "News", "--through", "7", as: MessagesCommand.MarkRead.self).through?.id == 7)
    #expect(try Self.parse("messages", "mark-unread", "id:7", as: MessagesCommand.MarkUnread.self).message.id == 7)
    #expect(try Self.parse("messages", "get", "7", as: MessagesCommand.Show.self).message.id == 7)
    let sync = try Self.parse("messages", "sync", "News", "--timeout", "60", as: MessagesCommand.Sync.self)
    #expect(sync.channel == "News" && sync.global.timeout?.duration == .seconds(60))
    #expect(try Self.parse("messages", "News", "--hidden", as: MessageList.self).hidden)
    #expect(try Self.parse("messages", "hide", "7", "id:8", as: MessageHide.self).messages.map(\.id) == [7, 8])
    #expect(try Self.parse("messages", "unhide", "7", as: MessageUnhide.self).messages.map(\.id) == [7])
    let reply = try Self.parse("messages", "reply", "7", "At nine.", "--idempotency-key", "k", as: MessageAnswer.self)
    #expect(reply.message.id == 7 && reply.text == "At nine." && reply.key == "k" && reply.wait == .any)
    #expect(try Self.parse("messages", "react", "7", "-", as: MessageReact.self).options.reaction == "-")
    #expect(try Self.parse("messages", "remove", "7", "--reason", "spam", as: MessageRemove.self).reason == "spam")
    let report = try Self.parse("messages", "report", "7", "spam", "every hour", as: MessageReport.self)
    #expect(report.message.id == 7 && report.category == "spam" && report.text == "every hour")
    let people = try Self.parse("people", "News", "--search", "ada", "--muted", as: PeopleCommand.List.self)
    #expect(people.channel == "News" && people.search == "ada" && people.muted && people.limit == 30)
    #expect(try Self.parse("people", "list", "mute", as: PeopleCommand.List.self).channel == "mute")
    #expect(try Self.parse("people", "mute", "npub1x", as: PeopleCommand.Mute.self).person == "npub1x")
    #expect(try Self.parse("inbox", "--unread", "--watch", "--json", as: InboxCommand.self).unread)
    let members = try Self.parse(
      "member", "Club", "--asking", "--sort", "lastMessage", "--limit", "5000", as: MemberCommand.List.self)
    #expect(members.channel == "Club" && members.asking && members.sort == .lastMessage && members.limit == 5_000)
    let add = try Self.parse("members", "add", "Club", "npub1x", "--role", "a", "--role", "b", as: MemberCommand.Add.self)
    #expect(
      add.target.channel == "Club" && add.target.person == "npub1x" && add.role == ["a", "b"] && add.waiting.wait == .all)
    #expect(try Self.parse("member", "role", "Club", "npub1x", as: MemberCommand.Role.self).role == nil)
    let out = try Self.parse(
      "member", "rm", "Club", "npub1x", "--reason", "spam", "--wait", "none", as: MemberCommand.Remove.self)
    #expect(out.reason == "spam" && out.waiting.wait == .none)
    #expect(try Self.parse("member", "decline", "Club", "npub1x", as: MemberCommand.Decline.self).target.person == "npub1x")
  }

  @Test(arguments: [
    ["messages", "News", "--before", "1", "--after", "2"], ["messages", "News", "--limit", "0"],
    ["messages", "News", "--around", "1", "--limit", "101"], ["messages", "News", "--around", "x"],
    ["messages", "--search", ""], ["messages", "--search", "a", "--follow"], ["messages", "--search", "a", "--mentions"],
    ["messages", "--search", "a", "--before", "1"], ["messages", "News", "--follow", "--before", "1"],
    ["messages", "News", "--follow", "--newest-first"], ["messages", "News", "--follow", "-o", "yaml"],
    ["messages", "mark-read"], ["messages", "mark-read", "News", "--through", "News"], ["messages", "mark-unread", "News"],
    ["messages", "--search", "a", "--hidden"], ["messages", "News", "--follow", "--hidden"], ["messages", "hide"],
    ["messages", "reply", "7"], ["messages", "react", "7", ":soap:"], ["messages", "remove", "News"],
    ["messages", "report", "7", "weather"], ["messages", "report", "7"], ["people", "mute"],
    ["people", "--limit", "0"], ["people", "--search", ""], ["people", "--columns", "text"],
    ["messages", "show"], ["messages", "sync", "News", "--timeout", "6min"], ["inbox", "News"], ["inbox", "--limit", "1001"],
    ["member"], ["member", "Club", "--asking", "--former"], ["member", "Club", "--limit", "0"], ["member", "add", "Club"],
    ["member", "Club", "--search", ""], ["member", "Club", "--role", ""], ["member", "add", "Club", "x", "--wait", "some"],
    ["inbox", "--watch", "-o", "name"], ["inbox", "--columns", "text"],
  ])
  func wrongCommandLinesAreRefused(_ arguments: [String]) {
    #expect(throws: (any Error).self) { try Batonctl.parseAsRoot(arguments) }
  }

  // MARK: - What is unread

  /// Messages with these ids in the order of the list, the last one first.
  private func page(_ ids: Int64..., own: Set<Int64> = []) -> [Message] {
    ids.map { Samples.message($0, own: own.contains($0)) }
  }

  private func mark(
    _ page: [Message], unread: Int, readThrough: Int, areMentions: Bool = false, isNewestFirst: Bool = false
  ) -> UnreadMark? {
    let conversation = Samples.conversation(unread: unread, mentions: 1, readThrough: readThrough)
    return UnreadMark(page, of: conversation, areMentions: areMentions, isNewestFirst: isNewestFirst)
  }

  @Test func lineStandsBeforeTheFirstUnreadMessage() {
    let messages = page(9, 8, 7, 6, 5, own: [8])
    #expect(mark(messages, unread: 2, readThrough: 6)?.index == 2, "7 and 9 are unread; 8 is own")
    #expect(mark(messages, unread: 2, readThrough: 6)?.words == "2 unread")
    #expect(mark(messages, unread: 2, readThrough: 6, isNewestFirst: true)?.index == 3)
    #expect(mark(messages, unread: 2, readThrough: 6, isNewestFirst: true)?.words == "2 unread above")
    #expect(mark(messages, unread: 0, readThrough: 6) == nil && mark(page(), unread: 2, readThrough: 6) == nil)
  }

  @Test func whatWasThereBeforeIsNotUnread() {
    // 3 to 5 are history, which arrived after what was read but never counts.
    #expect(mark(page(7, 6, 2, 5, 4, 3), unread: 2, readThrough: 2)?.index == 4)
    var deleted = page(9, 8, 7)
    deleted[1].deletedAt = Samples.time
    #expect(mark(deleted, unread: 2, readThrough: 0)?.index == 0)
  }

  @Test func unreadMessagesThatAreNotOnThePageAreSaid() {
    #expect(mark(page(9, 8), unread: 20, readThrough: 1)?.words == "20 unread, the first of them further back")
    #expect(mark(page(9, 8), unread: 20, readThrough: 1)?.index == 0)
    #expect(mark(page(9, 8), unread: 20, readThrough: 1, areMentions: true)?.index == 1)
  }

  @Test func sentenceCountsWhatIsUnread() {
    func sentence(_ unread: Int, _ mentions: Int) -> String {
      UnreadMark.sentence(Samples.conversation(unread: unread, mentions: mentions))
    }
    let name = #"'City\nNews'"#
    #expect(sentence(0, 0) == "Everything in \(name) is read." && sentence(1, 0) == "1 message in \(name) is unread.")
    #expect(sentence(3, 1) == "3 messages in \(name) are unread, 1 of which mentions you.")
    #expect(sentence(3, 2) == "3 messages in \(name) are unread, 2 of which mention you.")
  }

  @Test func pageSaysWhereOthersAreAndWhatIsNotUpToDate() throws {
    func notes(_ found: MessagesListReply, isNarrowed: Bool = false) throws -> [String] {
      let view = MessagePageView(
        messages: found.messages.reversed(), found: found, answered: [:], view: Samples.view(), isNewestFirst: false,
        areMentions: false, isNarrowed: isNarrowed)
      return try view.lines()
        + view.notes(FreshnessNotes(relays: [2: "relay-2"], times: Times(isExact: true)))
    }
    let relays = [
      Freshness(relayId: 1, syncedAt: Samples.time),
      Freshness(relayId: 2, syncedAt: Samples.time, cause: "unreachable", detail: "refused"),
      Freshness(relayId: 3, cause: "timeout"), Freshness(relayId: 4),
    ]
    let conversation = Samples.conversation(unread: 1, mentions: 1, relays: relays)
    var found = MessagesListReply(
      messages: page(9, 8), hasOlder: true, hasNewer: false, conversation: conversation, revision: 1)
    let fresh = [
      "Not up to date: relay-2 (unreachable) refused; last read \(Samples.time).",
      "Not up to date: relay 3 (timeout); never read.", "Not read yet: relay 4.",
    ]
    let last = try notes(found)
    #expect(last.suffix(4) == ["There are older messages: --before 8."] + fresh)
    #expect(last[2].hasPrefix("── 1 unread ─") && last[2].displayWidth == 80, "\(last)")
    let unread = #"1 message in 'City\nNews' is unread and mentions you."#
    #expect(try notes(found, isNarrowed: true).suffix(5) == ["There are older messages: --before 8.", unread] + fresh)
    found.hasNewer = true
    #expect(try notes(found).dropFirst(5).first == "There are newer messages: --after 9.")
    found.messages = []
    #expect(try notes(found).first == "No messages match.")
    let none = MessagesListReply(messages: [], hasOlder: false, hasNewer: false, revision: 1)
    #expect(try notes(none) == ["No messages."])
  }

  // MARK: - What is new

  @Test func newMessagesAndChangesOfThoseThatWereShownAreFollowed() throws {
    var tail = MessageTail(view: Samples.view(), page: page(5, 3))
    func lines(_ message: Message) throws -> [String] { try tail.lines(message, answered: [:]) }
    let new = Samples.message(6, "We open.", own: true)
    #expect(try lines(new).last == "    We open.")
    #expect(try lines(new).isEmpty, "nothing has changed")
    #expect(try lines(Samples.message(4)).isEmpty, "it was there before, and was not shown")
    var post = new
    post.post = OwnPost(id: 7, phase: "partial", summary: "", relayCount: 2, shownCount: 1)
    #expect(try lines(post) == ["~ 6  you  ● post 7 partial, 1 of 2 relays"])
    post.post?.relayCount = 3
    #expect(try lines(post).isEmpty)
    var old = Samples.message(3, "No")
    old.editedAt = Samples.time
    #expect(try lines(old).first?.hasPrefix("~ 3  ") == true && lines(old).isEmpty)
    old.reactions = [MessageReaction(reaction: "+", count: 1, own: false)]
    #expect(try lines(old) == ["~ 3  ab12ab12…ab12ab12  reactions  1 +"])
    old.reactions = []
    #expect(try lines(old) == ["~ 3  ab12ab12…ab12ab12  reactions  none"])
    (old.text, old.deletedAt) = ("", Samples.time)
    #expect(try lines(old) == ["~ 3  ab12ab12…ab12ab12  deleted \(Samples.time)"])
    var gone = Samples.message(7, "")
    gone.deletedAt = Samples.time
    #expect(try lines(gone).isEmpty, "it was deleted before anyone saw it")
  }

  @Test func onlyWhatWasAskedForIsFollowed() throws {
    var mention = Samples.message(6)
    mention.mention = true
    var tail = MessageTail(view: Samples.view(), page: [], areMentions: true)
    #expect(try tail.lines(Samples.message(5), answered: [:]).isEmpty && !tail.lines(mention, answered: [:]).isEmpty)
    var other = Samples.message(8)
    other.author = "someone"
    tail = MessageTail(view: Samples.view(), page: [], author: Samples.author)
    #expect(try tail.lines(other, answered: [:]).isEmpty && !tail.lines(Samples.message(9), answered: [:]).isEmpty)
  }

  @Test func memoryOfWhatWasShownIsBounded() throws {
    var tail = MessageTail(view: Samples.view(), page: [])
    for id in 1...Int64(MessageTail.shownMax + 1) { _ = try tail.lines(Samples.message(id), answered: [:]) }
    var first = Samples.message(1)
    first.editedAt = Samples.time
    #expect(try tail.lines(first, answered: [:]).isEmpty)
    var second = Samples.message(2)
    second.editedAt = Samples.time
    #expect(try !tail.lines(second, answered: [:]).isEmpty)
  }

  // MARK: - Inbox

  @Test func inboxFitsATerminal() throws {
    let conversation = try Conversation(json: try Samples.conversation(unread: 12, mentions: 1).json.shown)
    let row = InboxCommand.Row(conversation: conversation, times: Times(isExact: true))
    let table = Table(columns: InboxCommand.columns.filter { !$0.isExtra }, rows: [row])
    #expect(
      table.text(width: nil).split(separator: "\n").first?.split(separator: " ").map(String.init) == [
        "ID", "CHANNEL", "UNREAD", "MENTIONS", "LAST", "MESSAGE",
      ])
    for width in 1...120 {
      #expect(table.text(width: width).split(separator: "\n").allSatisfy { String($0).displayWidth <= width }, "\(width)")
    }
  }

  @Test func relayThatCannotBeReadIsNamedOnceForAllConversations() {
    let down = Freshness(relayId: 2, cause: "unreachable", detail: "refused")
    let conversations = [Samples.conversation(relays: [down]), Samples.conversation(relays: [down, Freshness(relayId: 1)])]
    let notes = FreshnessNotes(relays: [2: "relay-2"], times: Times(isExact: true))
    #expect(notes.lines(conversations) == ["Not up to date: relay-2 (unreachable) refused, in 2 conversations."])
    let many = Samples.conversation(relays: (1...12).map { Freshness(relayId: $0, cause: "timeout") })
    #expect(notes.lines([many]).count == 11 && notes.lines([many]).last == "… and 2 other relays.")
  }

  @Test func changesOfConversationsAreShownOnce() throws {
    var known = KnownObjects<Conversation>(kind: "conversation")
    var conversation = Samples.conversation(relays: [Freshness(relayId: 1)])
    #expect(try known.become([conversation]).map(\.kind.sign) == ["+"])
    #expect(try known.become([conversation]).isEmpty)
    conversation.relays[0].cause = "timeout"
    #expect(try known.become([conversation]).map(\.kind.sign) == ["~"], "freshness has no revision")
    let gone = try known.become([])
    #expect(gone.map(\.kind.sign) == ["-"] && gone.first?.json["conversation"]?["channelId"] == 3)
  }

  @Test func syncSaysWhatBecameOfEachRelay() {
    let relays = [
      Freshness(relayId: 1, syncedAt: Samples.time), Freshness(relayId: 2, cause: "timeout"), Freshness(relayId: 3),
    ]
    let reply = MessagesSyncReply(conversation: Samples.conversation(relays: relays), complete: false)
    let notes = FreshnessNotes(relays: [1: "relay-1"], times: Times(isExact: true))
    #expect(
      MessagesCommand.Sync.text(reply, notes, Terminal(noColor: true)).split(separator: "\n") == [
        #"Not all relays of 'City\nNews' were read. See below, or try again later."#, "  ● relay-1  read \(Samples.time)",
        "  ● relay 2  (timeout); never read", "  ● relay 3  not read yet", #"Everything in 'City\nNews' is read."#,
      ])
  }
}
