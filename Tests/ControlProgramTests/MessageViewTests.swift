import ControlAPI
import Testing

@testable import ControlProgram

/// How `batonctl` shows messages.
struct MessageViewTests {
  private typealias Samples = MessageSamples
  private static let time = Samples.time
  private static let key = "ab12ab12…ab12ab12"

  private func lines(_ message: Message, answered: [Int64: String] = [:], width: Int? = 80) throws -> [String] {
    Samples.view(width: width).lines(try ShownMessage(message), answered: answered)
  }

  @Test func messageHasAHeadAndItsText() throws {
    #expect(
      try lines(Samples.message(12, name: "Ada")) == ["12  Ada (\(Self.key))  \(Self.time)", "    Is the bridge open?"])
    let channel = Samples.view(namesChannel: true).lines(try ShownMessage(Samples.message(12)), answered: [:])
    #expect(channel.first == #"12  \#(Self.key)  in 'City\nNews'  \#(Self.time)"#)
  }

  @Test func ownMessageSaysOnHowManyRelaysItIs() throws {
    var message = Samples.message(13, own: true)
    #expect(try lines(message).first == "13  you  \(Self.time)  published elsewhere")
    message.post = OwnPost(id: 7, phase: "partial", summary: "Post is on 3 of 4 relays.", relayCount: 4, shownCount: 3)
    #expect(try lines(message).first == "13  you  \(Self.time)  ● post 7 partial, 3 of 4 relays")
  }

  @Test func whatBelongsToAMessageIsBelowIt() throws {
    var message = Samples.message(14)
    (message.replyTo, message.replyToNetworkId, message.mention, message.editedAt) = (12, "e12", true, Self.time)
    message.attachments = [
      MessageAttachment(url: "https://e.example/b.jpg", mimeType: "image/jpeg", sizeBytes: 1_234_567, altText: "A bridge"),
      MessageAttachment(url: "https://e.example/c"),
    ]
    message.reactions = [
      MessageReaction(reaction: "👍", count: 2, own: false), MessageReaction(reaction: "+", count: 1, own: true),
    ]
    #expect(
      try lines(message, answered: [12: "We open at nine."]) == [
        "14  \(Self.key)  \(Self.time)  mentions you  edited", "  \(Self.time)", "  >> 12 We open at nine.",
        "    Is the bridge open?", "  file  https://e.example/b.jpg (image/jpeg, 1.2 MB) A bridge",
        "  file  https://e.example/c", "  reactions  2 👍  1 + (you)",
      ])
    #expect(try lines(message)[2] == "  >> 12")
    message.replyTo = nil
    #expect(try lines(message)[2] == "  >> an unknown message")
  }

  @Test func deletedMessageHasNoText() throws {
    var message = Samples.message(15, "")
    message.deletedAt = Self.time
    #expect(try lines(message, width: nil) == ["15  \(Samples.author)  \(Self.time)  deleted \(Self.time)"])
    #expect(try ShownMessage(message).line == "(deleted)")
  }

  @Test func hiddenMessageSaysSoAndIsNotRepeated() throws {
    var message = Samples.message(15, "spam")
    message.hidden = true
    #expect(try lines(message, width: nil) == ["15  \(Samples.author)  \(Self.time)  hidden", "    spam"])
    #expect(try ShownMessage(message).line == "(hidden)")
    let answer = try lines(Samples.message(16), answered: [:])
    #expect(answer.count == 2)
    var before = message
    before.hidden = false
    let view = Samples.view(width: 80)
    #expect(view.change(try ShownMessage(message), since: before, answered: [:]) == ["~ 15  \(Self.key)  hidden"])
    let back = view.change(try ShownMessage(before), since: message, answered: [:])
    #expect(back == ["~ 15  \(Self.key)  \(Self.time)", "    spam"])
  }

  @Test func nobodyCanPretendToBeSomebodyElse() throws {
    let claimed = "you  \(Self.time)  ● post 7 published, 4 of 4 relays"
    let head = try lines(Samples.message(16, name: claimed)).first
    #expect(head == "16  you 2026-11-21T14:52:33… (\(Self.key))  \(Self.time)")
    let text = try lines(Samples.message(17, "x\n18  you  just now\n  reactions  9 👍\n── 3 unread"))
    #expect(text.dropFirst() == ["    x", "    18  you  just now", "      reactions  9 👍", "    ── 3 unread"])
    var message = Samples.message(19)
    message.reactions = [MessageReaction(reaction: "+  99 👍", count: 1, own: false)]
    #expect(try lines(message).last == "  reactions  1 +99👍")
  }

  @Test func nothingThatOthersWroteReachesTheTerminalAsItIs() throws {
    let message = Samples.nastyMessage(2)
    let shown = try ShownMessage(message)
    let view = Samples.view()
    let excerpt = [ExcerptPiece(text: Samples.nasty, hit: false), ExcerptPiece(text: Samples.nasty, hit: true)]
    var old = message
    (old.editedAt, old.reactions) = (nil, [])
    var relay = Freshness(relayId: 1, cause: Samples.nasty, detail: Samples.nasty)
    relay.syncedAt = Samples.nasty
    let notes = FreshnessNotes(relays: [:], times: view.times)
    let conversation = Samples.conversation(unread: 1, relays: [relay])
    let reply = MessagesSyncReply(conversation: conversation, complete: false)
    let texts =
      view.conversation([shown], answered: [1: shown.line], unread: nil) + view.lines(shown, excerpt: excerpt)
      + [view.details(shown, answered: [1: shown.line], relays: [:]), UnreadMark.sentence(conversation)]
      + (view.change(shown, since: old, answered: [:]) ?? []) + notes.lines(conversation) + notes.lines([conversation])
      + [MessagesCommand.Sync.text(reply, notes, view.terminal)]
    #expect(texts.count > 15)
    for text in texts {
      let hidden = text.unicodeScalars.filter { $0 != "\n" && String.isHidden($0) }
      #expect(hidden.isEmpty, "\(text)")
    }
  }

  @Test func linesFitTheTerminal() throws {
    let words = (1...60).map { String(repeating: "漢a", count: $0 % 17) }.joined(separator: " ")
    let messages = [Samples.nastyMessage(2), Samples.nastyMessage(3, words), Samples.message(4, words + words, name: words)]
    let mark = UnreadMark(
      messages.reversed(), of: Samples.conversation(unread: 9), areMentions: false, isNewestFirst: false)
    #expect(mark != nil)
    for width in [20, 33, 40, 79, 80, 200] {
      let view = Samples.view(width: width, namesChannel: true)
      let shown = try messages.map(ShownMessage.init)
      let lines = view.conversation(shown, answered: [1: words], unread: mark)
      #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(width): \(lines.filter { $0.displayWidth > width })")
    }
  }

  @Test func longTextDoesNotFloodTheConversation() throws {
    let long = Samples.message(20, String(repeating: "\n", count: 60_000) + "end")
    let lines = try self.lines(long)
    #expect(lines.count == 41 && lines.last == "  … batonctl messages show 20 shows the rest", "\(lines.count)")
    let forty = Samples.message(21, (1...40).map { "\($0)" }.joined(separator: "\n"))
    #expect(try self.lines(forty).last == "    40")
    #expect(try self.lines(long, width: nil).last == "    end", "nothing is left out of files and pipes")
    let shown = try ShownMessage(long)
    #expect(Samples.view().details(shown, answered: [:], relays: [:]).hasSuffix("\n    end"))
  }

  @Test func messageIsShownWithAllThatIsKnown() throws {
    var message = Samples.message(22, name: "Ada", own: false)
    (message.replyTo, message.createdAt, message.relayIds) = (12, "2026-11-21T16:00:00.000Z", [1, 2])
    let details = Samples.view().details(
      try ShownMessage(message), answered: [12: "We open."], relays: [1: "relay-1"])
    #expect(
      details.split(separator: "\n", omittingEmptySubsequences: false) == [
        #"message 22 in 'City\nNews' (channel 3)"#, "author    Ada (\(Samples.author))", "network   nostr, e22",
        "answers   12 We open.", "written   \(Self.time); its author says 2026-11-21T16:00:00.000Z",
        "arrived   \(Self.time), from relay-1, relay 2", "", "    Is the bridge open?",
      ])
  }

  @Test func wordsThatWereSearchedAreMarked() throws {
    let excerpt = [
      ExcerptPiece(text: "… the\n", hit: false), ExcerptPiece(text: "old bridge", hit: true),
      ExcerptPiece(text: ", is", hit: false),
    ]
    #expect(MessageView.marked(excerpt) { "<\($0)>" } == "… the <old> <bridge>, is")
    let lines = Samples.view().lines(try ShownMessage(Samples.message(2)), excerpt: excerpt)
    #expect(lines.last == "    … the *old* *bridge*, is")
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (9_940, "9.9 kB"), (9_960, "10 kB"), (999_400, "999 kB"),
    (999_600, "1.0 MB"), (Int.max, "9.2 EB"), (-1, nil),
  ])
  func sizesAreForPeople(_ bytes: Int, _ words: String?) { #expect(MessageAttachment.size(bytes) == words) }

  @Test func linesAreBrokenBetweenWords() {
    #expect("one two three".wrapped(to: 7, first: "- ", rest: "  ") == ["- one", "  two", "  three"])
    #expect("one two".wrapped(to: 7) == ["one two"] && "  a  b".wrapped(to: 4) == ["  a ", "b"])
    #expect("abcdefgh ij".wrapped(to: 4, rest: " ") == ["abcd", " efg", " h", " ij"])
    #expect("漢字漢".wrapped(to: 4) == ["漢字", "漢"] && "".wrapped(to: 4, first: "> ") == ["> "])
    #expect("ab cd".wrapped(to: nil) == ["ab cd"])
    #expect("\u{1B}[31mab\u{1B}[0m cd".wrapped(to: 2) == ["\u{1B}[31mab\u{1B}[0m", "cd"])
    #expect("\u{1B}[31mabc\u{1B}[0m".wrapped(to: 2) == ["ab", "c"], "a part of a word has no colour")
  }
}
