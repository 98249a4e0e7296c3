import ArgumentParser
import ControlAPI
import Testing

@testable import ControlProgram

/// How `batonctl` shows posts.
struct PostViewTests {
  private static let time = "2026-11-21T14:52:33.464Z"

  private static func relay(
    _ status: String, id: Int64 = 1, shown: Bool = false, departed: Bool = false, next: String? = nil
  ) -> PostRelay {
    PostRelay(
      relayId: id, relayName: "r\(id)", status: status, cause: status == "verified" ? nil : "rejected",
      detail: status == "verified" ? nil : "no\u{1B}[2J", attempt: 2, since: time, nextAttemptAt: next, shown: shown,
      departed: departed)
  }

  private static func post(_ relays: [PostRelay], text: String = "We open at nine.\nAnd \u{202E}close\tlater.") -> Post {
    Post(
      id: 7, channelId: 3, channelName: "City\nNews", network: "nostr", networkId: "e7", author: "npub1", text: text,
      replyTo: 5, phase: "partial", summary: "Post is on 1 of 2 relays.", relayCount: 2, shownCount: 1, link: "nostr:nevent1",
      relays: relays, createdAt: time, revision: 9)
  }

  private static let view = PostView(terminal: Terminal(noColor: true), times: Times(isExact: true))

  @Test func nothingInAPostReachesTheTerminalAsItIs() throws {
    let shown = try ShownPost(Self.post([Self.relay("failed")]))
    #expect(shown.line == #"We open at nine. And \u{202E}close later."#)
    #expect(shown.lines == ["We open at nine.", #"And \u{202E}close\tlater."#])
    for text in [Self.view.details(shown), PostWatch.line(shown, Terminal(noColor: true))] {
      let hidden = text.unicodeScalars.filter { $0 != "\n" && String.isHidden($0) }
      #expect(hidden.isEmpty && text.contains(#"City\nNews"#), "\(text)")
    }
  }

  @Test func textIsShownWholeAndCannotPretendToBeSomethingElse() throws {
    let lines = Self.view.details(try ShownPost(Self.post([], text: "a\nphase     deleted\nb"))).split(separator: "\n")
    #expect(lines.first == "● post 7 in 'City\\nNews' (channel 3)")
    #expect(lines.suffix(3) == ["  a", "  phase     deleted", "  b"])
    #expect(lines.contains("answers   post 5") && lines.contains("link      nostr:nevent1"))
  }

  @Test func scheduledPostHasATimeAndNoNameYet() throws {
    var post = Self.post([])
    (post.phase, post.networkId, post.author, post.link, post.publishAt) = ("scheduled", "", "", nil, Self.time)
    let lines = Self.view.details(try ShownPost(post)).split(separator: "\n")
    #expect(lines.contains("network   nostr") && lines.contains("due       \(Self.time)"), "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("author") })
  }

  /// A group is of no use to people whom its relay did not let in.
  @Test func groupNamesHowManyAreNotIn() {
    func wish(_ phase: String, _ text: String = "member", deletedAt: String? = nil) -> Post {
      var post = Self.post([Self.relay(phase == "published" ? "verified" : "failed")], text: text)
      (post.phase, post.deletedAt) = (phase, deletedAt)
      return post
    }
    #expect(ChannelCreate.shortfall([wish("published"), wish("partial"), wish("published", "member: admin")], 3) == nil)
    #expect(ChannelCreate.shortfall([wish("failed", "removed"), wish("failed", deletedAt: Self.time)], 3) == nil)
    #expect(
      ChannelCreate.shortfall([wish("published"), wish("failed")], 3)?.hasPrefix(
        "channel 3 was created, but its relay did not let in 1 of 2 members: no") == true)
  }

  @Test func forgottenPostIsMarked() throws {
    var post = Self.post([], text: "")
    post.forgottenAt = Self.time
    let shown = try ShownPost(post)
    #expect(shown.line == "(forgotten)" && PostWatch.line(shown, Terminal(noColor: true)).hasSuffix("(forgotten)"))
    let lines = Self.view.details(shown).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last == "forgotten \(Self.time): beyond the channel's retention, but relays still show it", "\(lines)")
  }

  @Test func notesAreShown() throws {
    var post = Self.post([])
    post.notes = ["Readers can fetch it until noon.", "no\u{1B}[2J"]
    let lines = Self.view.details(try ShownPost(post)).split(separator: "\n")
    #expect(
      lines.contains("note      Readers can fetch it until noon.") && lines.contains(#"note      no\u{1B}[2J"#), "\(lines)")
  }

  @Test func retentionIsSaidInWords() {
    func words(_ days: Int?, _ count: Int?) -> String {
      PostRetentionCommand.sentence(Retention(channelId: 1, keepDays: days, keepCount: count), "News")
    }
    #expect(words(nil, nil) == "Posts of 'News' are kept forever.")
    #expect(words(1, nil) == "Posts of 'News' are kept for 1 day.")
    #expect(words(nil, 9) == "The newest 9 posts of 'News' are kept." && words(nil, 1) == "The newest post of 'News' is kept.")
    #expect(words(30, 9) == "Posts of 'News' are kept for 30 days, at most the newest 9.")
  }

  @Test func editedPostIsMarked() throws {
    var post = Self.post([])
    (post.replaces, post.replacedBy) = (2, 12)
    let shown = try ShownPost(post)
    let lines = Self.view.details(shown).split(separator: "\n")
    #expect(lines.contains("replaces  post 2") && lines.contains("replaced  by post 12"))
    #expect(shown.markedLine.hasPrefix("(replaced by 12) We open") && shown.line.hasPrefix("We open"))
    #expect(PostWatch.line(shown, Terminal(noColor: true)).contains("(replaced by 12) We open"))
  }

  @Test func reactionSaysToWhatAndAPostWhatWasSaid() throws {
    var post = Self.post([], text: "+")
    (post.replyTo, post.reactionTo) = (nil, 5)
    let shown = try ShownPost(post)
    #expect(Self.view.details(shown).split(separator: "\n").contains("reacts    to post 5"))
    #expect(shown.markedLine == "(reaction to 5) +" && shown.line == "+")
    #expect(PostWatch.line(shown, Terminal(noColor: true)).hasSuffix("(reaction to 5) +"))
    let lines = Self.view.details(try ShownPost(Self.post([])), "+ 👍").split(separator: "\n")
    #expect(lines.contains("reactions + 👍"))
  }

  @Test func pinSaysWhatItPins() throws {
    var post = Self.post([], text: "pin")
    (post.replyTo, post.reactionTo) = (nil, 5)
    let shown = try ShownPost(post)
    #expect(Self.view.details(shown).split(separator: "\n").contains("pins      post 5"))
    #expect(shown.markedLine == "(pin of 5)")
    post.reactionTo = nil
    #expect(try ShownPost(post).markedLine == "pin")
  }

  @Test func forecastNamesTheRelaysThatMayKeepThePost() throws {
    let shown = try ShownPost(Self.post([Self.relay("verified", shown: true), Self.relay("failed", id: 2)]))
    let actions = [
      PostAction(
        relayId: 1, canEdit: true, canDelete: false, editNote: "a new post", deleteNote: "no\u{1B}[2J", until: Self.time),
      PostAction(relayId: 2, canEdit: false, canDelete: true),
    ]
    #expect(Self.view.keepers(actions, of: shown) == ["1 relay may keep it:", #"  r1: no\u{1B}[2J"#])
    #expect(Self.view.keepers([actions[1]], of: shown).isEmpty)
    #expect(
      Self.view.actions(actions, of: shown) == [
        "on r1, until \(Self.view.times.text(Self.time))", "  edit    yes: a new post", #"  delete  uncertain: no\u{1B}[2J"#,
        "on r2", "  edit    no", "  delete  yes",
      ])
  }

  @Test func relayLineSaysWhyAndWhatComesNext() {
    #expect(Self.view.relayLine(Self.relay("verified", shown: true), width: 2).hasSuffix("r1  verified"))
    let failed = Self.view.relayLine(Self.relay("failed", next: Self.time), width: 2)
    #expect(failed.contains("r1  failed (rejected) no") && failed.hasSuffix("; attempt 2 at \(Self.time)"))
    #expect(Self.view.relayLine(Self.relay("skipped", departed: true), width: 2).contains("the channel left the relay"))
  }

  @Test func progressCountsWhereReadersFindThePost() {
    let relays = [
      Self.relay("verified", id: 1, shown: true), Self.relay("sent", id: 2), Self.relay("failed", id: 3),
      Self.relay("skipped", id: 4, departed: true),
    ]
    let lines = Self.view.progress(Self.post(relays), in: Terminal.Size(columns: 80, rows: 24))
    #expect(lines.count == 4 && lines[0].hasSuffix(" 1/3 relays show it"), "\(lines)")
    for rows in 2...6 {
      #expect(Self.view.progress(Self.post(relays), in: Terminal.Size(columns: 40, rows: rows)).count < rows)
    }
    let low = Self.view.progress(Self.post(relays), in: Terminal.Size(columns: 60, rows: 4))
    #expect(low.count == 3 && low[1].contains(" r2 ") && low[2] == "  … and 2 more: 1 failed, 1 verified", "\(low)")
  }

  @Test func shortfallNamesOnlyWhereThePostIsNot() {
    let whole = Self.post([Self.relay("verified", shown: true), Self.relay("sent", id: 2)])
    #expect(Self.view.shortfall(whole) == nil)
    let part = Self.post([Self.relay("verified", shown: true), Self.relay("failed", id: 2)])
    #expect(Self.view.shortfall(part)?.hasPrefix("Post is on 1 of 2 relays.\n  r2: no") == true)
  }

  @Test func listFitsATerminalAndShowsTheTextInOneLine() throws {
    let rows = [PostList.Row(shown: try ShownPost(Self.post([Self.relay("sent")])), times: Times(isExact: true))]
    let table = Table(columns: PostList.columns.filter { !$0.isExtra }, rows: rows)
    #expect(
      table.text(width: nil).split(separator: "\n") == [
        "ID  CHANNEL     PHASE    RELAYS  CREATED                   TEXT",
        #"7   City\nNews  partial  1/2     2026-11-21T14:52:33.464Z  We open at nine. And \u{202E}close later."#,
      ])
    for width in 1...120 {
      #expect(table.text(width: width).split(separator: "\n").allSatisfy { String($0).displayWidth <= width }, "\(width)")
    }
  }

  @Test func postsAreCompletedByTheirIds() {
    func words(_ typed: String, _ shell: CompletionShell?) -> [String] {
      let objects = [Completion.Object(id: 17, name: "We \u{1B}open"), Completion.Object(id: 2, name: "Closed")]
      return Completion(words: ["batonctl", typed], index: 1, typed: typed, shell: shell).ids(objects)
    }
    #expect(words("", nil) == ["17", "2"] && words("1", .bash) == ["'17'"])
    #expect(words("", .fish) == ["17\tWe \\u{1B}open", "2\tClosed"])
    #expect(words("id:", .zsh) == [#"id\:17:We \u{1B}open"#, #"id\:2:Closed"#])
  }
}
