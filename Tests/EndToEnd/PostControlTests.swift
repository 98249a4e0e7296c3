import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// `batonctl post` with a daemon and relays.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PostControlTests {
  /// A daemon with the channel News on two relays.
  private struct Newsroom {
    let baton: Installation
    let daemon: Program
    let sandbox: Program

    init() async throws {
      sandbox = try Program("baton-sandbox", ["--relays", "2"])
      baton = try Installation()
      daemon = try await baton.start()
      try await baton.addRelays(try await sandbox.sandboxRelays(2))
      let created = try await baton.control("channel", "create", "News")
      #expect(created.status == 0, "\(created.lines)")
    }

    /// Runs a line of shell in which `$0` is batonctl and `$1` the socket.
    func shell(_ line: String) async throws -> (status: Int32, lines: [String]) {
      try await Program.run("/bin/bash", ["-c", line, Program.products + "/batonctl", baton.socket])
    }

    func stop() async {
      daemon.signal(SIGTERM)
      #expect(await daemon.status() == 0)
      sandbox.signal(SIGKILL)
      _ = await sandbox.status()
    }
  }

  /// The one document of a command that prints nothing else.
  private func document(_ lines: [String]) throws -> JSONValue {
    #expect(lines.count == 1, "\(lines)")
    return try JSONParser.parse(lines.first ?? "")
  }

  @Test func postIsPublishedListedShownAndDeleted() async throws {
    let room = try await Newsroom()
    let baton = room.baton
    let published = try await baton.control("post", "News", "We open\nat nine.", "--key", "k", "--wait", "all", "--json")
    let post = try document(published.lines)
    #expect(published.status == 0 && post["phase"] == "published" && post["shownCount"] == 2, "\(published.lines)")
    let link = try #require(post["link"]?.string)
    let again = try await baton.control("post", "publish", "News", "We open\nat nine.", "--key", "k", "--quiet")
    #expect(again.status == 0 && again.lines == [link], "\(again.lines)")

    let list = try await baton.control("post", "list", "News", "--columns", "id,phase,relays,text")
    #expect(list.lines == ["ID  PHASE      RELAYS  TEXT", "1   published  2/2     We open at nine."])
    #expect(try await baton.control("post", "ls", "--status", "verified", "--relay", "r2", "-o", "name").lines == ["id:1"])
    #expect(try await baton.control("post", "ls", "--status", "failed").lines == ["No posts match."])
    let shown = try await baton.control("post", "show", "1", "--utc")
    #expect(shown.lines.suffix(2) == ["  We open", "  at nine."], "\(shown.lines)")
    #expect(shown.lines.contains("link      \(link)") && shown.lines.count { $0.hasPrefix("  ● r") } == 2)
    let history = try await baton.control("post", "history", "id:1", "--columns", "relay,to")
    #expect(history.lines.contains("r1     verified") && history.lines.contains("r2     verified"), "\(history.lines)")

    let deleted = try await baton.control("post", "rm", "1", "--reason", "wrong day", "--json")
    #expect(try deleted.status == 0 && document(deleted.lines)["deletedAt"] != nil, "\(deleted.lines)")
    _ = try await baton.post(1) { $0["phase"] == "deleted" }
    #expect(try await baton.control("post", "list").lines == ["No posts. Publish one with batonctl post CHANNEL TEXT."])
    let known = try await baton.control("post", "list", "--deleted", "--columns", "id,phase")
    #expect(known.lines == ["ID  PHASE", "1   deleted"])
    await room.stop()
  }

  @Test func scheduledPostIsPublishedWhenItsTimeComes() async throws {
    let room = try await Newsroom()
    let baton = room.baton
    let later = try await baton.control("post", "News", "Later.", "--at", "+1d")
    #expect(later.status == 0 && later.lines.first?.hasPrefix("Post 1 will be published at ") == true, "\(later.lines)")
    let soon = try await baton.control("post", "News", "Soon.", "--at", "+2s", "--json")
    #expect(try soon.status == 0 && document(soon.lines)["publishAt"] != nil, "\(soon.lines)")
    _ = try await baton.post(2, until: \.isPublished)
    let list = try await baton.control("post", "list", "--columns", "id,phase,relays")
    #expect(list.lines == ["ID  PHASE      RELAYS", "2   published  2/2", "1   scheduled  0/0"])
    let cancelled = try await baton.control("post", "cancel", "1")
    #expect(
      cancelled.lines.contains("phase     expired: Post was not published: it was cancelled."), "\(cancelled.lines)")
    await room.stop()
  }

  @Test func draftIsEditedAndReleased() async throws {
    let room = try await Newsroom()
    let baton = room.baton
    let draft = try await baton.control("post", "News", "We open on day X.", "--draft")
    #expect(draft.status == 0 && draft.lines == ["Post 1 is stored as a draft. See batonctl post release 1."], "\(draft.lines)")
    _ = try await baton.control("post", "News", "Now.", "--wait", "any")
    let drafts = try await baton.control("post", "list", "--drafts", "--columns", "id,phase,due,relays")
    #expect(drafts.lines == ["ID  PHASE  DUE  RELAYS", "1   draft  -    0/0"], "\(drafts.lines)")
    let edited = try await baton.control("post", "edit", "1", "We open on Monday.")
    #expect(
      edited.status == 0 && edited.lines.last == "Post 1 is stored as a draft. See batonctl post release 1.", "\(edited.lines)")
    let shown = try await baton.control("post", "show", "1")
    #expect(shown.lines.contains("phase     draft: Draft, which is not published yet."), "\(shown.lines)")
    let timed = try await baton.control("post", "release", "1", "--at", "+1d", "--tolerance", "2h")
    #expect(timed.status == 0 && timed.lines.first?.hasPrefix("Post 1 will be published at ") == true, "\(timed.lines)")
    #expect(
      try await baton.control("post", "list", "--drafts").lines == [
        "No drafts. Write one with batonctl post CHANNEL TEXT --draft."
      ])
    let released = try await baton.control("post", "release", "1")
    #expect(released.status == 0 && released.lines == ["Post 1 is being published."], "\(released.lines)")
    let post = try await baton.post(1, until: \.isPublished)
    #expect(post["text"] == "We open on Monday.")
    let again = try await baton.control("post", "release", "1")
    #expect(again.status == 1 && again.lines.joined().contains("post 1 is published already"), "\(again.lines)")
    await room.stop()
  }

  @Test func editedPostIsReplaced() async throws {
    let room = try await Newsroom()
    let baton = room.baton
    #expect(try await baton.control("post", "News", "We open at ten.", "--wait", "all").status == 0)
    for relay in ["r1", "r2"] { #expect(try await baton.control("relay", "test", relay).status == 0) }
    let actions = try await baton.control("post", "show", "1", "--actions", "--json")
    let forecast = try document(actions.lines)
    // The relays of the sandbox say that they delete.
    #expect(forecast["actions"]?.array?.map { $0["canDelete"] } == [true, true], "\(actions.lines)")
    #expect(forecast["post"]?["id"] == 1)
    let edited = try await room.shell(
      #"printf 'We open at nine.\n' | "$0" post edit 1 - --key k --wait all --json --socket "$1""#)
    let new = try document(edited.lines)
    #expect(edited.status == 0 && new["id"] == 2 && new["replaces"] == 1 && new["phase"] == "published", "\(edited.lines)")
    _ = try await baton.post(1) { $0["phase"] == "deleted" }
    let list = try await baton.control("post", "list", "--deleted", "--columns", "id,phase,replaces,replacedby,text")
    #expect(
      list.lines == [
        "ID  PHASE      REPLACES  REPLACEDBY  TEXT", "2   published  1         -           We open at nine.",
        "1   deleted    -         2           (replaced by 2) We open at ten.",
      ])
    let shown = try await baton.control("post", "show", "1")
    #expect(shown.lines.contains("replaced  by post 2"), "\(shown.lines)")
    let again = try await baton.control("post", "edit", "1", "We open at eight.", "--json")
    #expect(try again.status == 1 && document(again.lines)["error"] == "org.batond.Posts.InvalidPost", "\(again.lines)")
    await room.stop()
  }

  @Test func oldPostsAreForgotten() async throws {
    let room = try await Newsroom()
    let baton = room.baton
    for number in 1...3 {
      let published = try await baton.control("post", "News", "report \(number)", "--wait", "all", "--quiet")
      #expect(published.status == 0, "\(published.lines)")
    }
    #expect(try await baton.control("post", "retention", "News").lines == ["Posts of 'News' are kept forever."])
    let wrong = try await baton.control("post", "retention", "News", "--days", "0")
    #expect(wrong.status != 0 && wrong.lines.contains { $0.contains("keepDays") }, "\(wrong.lines)")
    let set = try await baton.control("post", "retention", "News", "--count", "1", "--json")
    #expect(try document(set.lines) == ["channelId": 1, "keepCount": 1], "\(set.lines)")
    // The daemon begins at once; watching from the beginning ends with the last of the two.
    let gone = try await room.shell(
      #""$0" post watch --since 0 --json --socket "$1" | grep -m 2 '"forgottenAt"' | wc -l"#)
    #expect(gone.lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["2"], "\(gone.lines)")
    let list = try await baton.control("post", "list", "News", "--columns", "id,phase,relays,text")
    #expect(
      list.lines == [
        "ID  PHASE      RELAYS  TEXT", "3   published  2/2     report 3", "2   published  2/2     (forgotten)",
        "1   published  2/2     (forgotten)",
      ])
    let shown = try await baton.control("post", "show", "1")
    #expect(shown.lines.contains { $0.hasPrefix("forgotten ") } && !shown.lines.contains { $0.contains("report") })
    let deleted = try await baton.control("post", "delete", "1", "--reason", "old")
    #expect(deleted.status == 0, "\(deleted.lines)")
    let kept = try await baton.control("post", "retention", "News", "--forever")
    #expect(kept.lines == ["Posts of 'News' are kept forever."])
    await room.stop()
  }

  @Test func deletionOnATerminalNamesTheRelaysThatMayKeepThePost() async throws {
    let room = try await Newsroom()
    #expect(try await room.baton.control("post", "News", "We open.", "--wait", "all").status == 0)
    #expect(try await room.baton.control("relay", "test", "r1").status == 0)
    // The channel leaves a relay, which is not asked any more.
    #expect(try await room.baton.control("channel", "remove-relay", "News", "r2", "--yes").status == 0)
    _ = try await room.baton.post(1) { $0.relays["r2"]?["departed"] == true }
    let question = try Program.onTerminal("24x200", ["post", "delete", "1", "--socket", room.baton.socket])
    try await question.line(containing: "1 relay may keep it:")
    try await question.line(containing: "r2: the channel has left the relay")
    question.signal(SIGINT)
    _ = await question.status()
    await room.stop()
  }

  @Test func refusalsHaveNamesAndStatuses() async throws {
    let room = try await Newsroom()
    for (arguments, status, name) in [
      (["post", "Nowhere", "text"], 1, "org.batond.Channels.NoSuchChannel"),
      (["post", "News", " "], 1, "org.batond.Posts.InvalidPost"),
      (["post", "News", "text", "--reply-to", "99"], 1, "org.batond.Posts.InvalidPost"),
      (["post", "show", "99"], 1, "org.batond.Posts.NoSuchPost"), (["post", "cancel", "99"], 1, "org.batond.Posts.NoSuchPost"),
      (["post", "retry", "99", "r1"], 1, "org.batond.Posts.NoSuchPost"),
      (["post", "News", "--file", "/nonexistent"], 64, "local.Usage"),
    ] as [([String], Int32, String)] {
      let result = try await Program.run("batonctl", arguments + ["--json", "--socket", room.baton.socket])
      #expect(result.status == status, "\(arguments): \(result.lines)")
      #expect(try document(result.lines)["error"] == .string(name), "\(arguments)")
    }
    await room.stop()
  }

  @Test func textsComeFromStandardInput() async throws {
    let room = try await Newsroom()
    let piped = try await room.shell(#"printf 'one\ntwo\n' | "$0" post News - --quiet --socket "$1""#)
    #expect(piped.status == 0 && piped.lines.count == 1, "\(piped.lines)")
    let dashed = try await room.shell(#""$0" post News --quiet --socket "$1" -- '- first'"#)
    #expect(dashed.status == 0, "\(dashed.lines)")
    #expect(try await room.baton.client().posts.list().posts.map(\.text) == ["- first", "one\ntwo"])
    let binary = try await room.shell(#"printf '\377' | "$0" post News - --json --socket "$1""#)
    #expect(try binary.status == 64 && document(binary.lines)["error"] == "local.Usage")
    let long = try await room.shell(#"head -c 40000 /dev/zero | tr '\0' x | "$0" post News - --json --socket "$1""#)
    #expect(try long.status == 64 && document(long.lines)["error"] == "local.TooLong", "\(long.lines)")
    #expect(try await room.baton.client().posts.list().posts.count == 2)
    await room.stop()
  }

  @Test func importIsSafeToRepeat() async throws {
    let room = try await Newsroom()
    let file = room.baton.folder.path + "/posts.jsonl"
    try #"{"text":"one"}\#n{"text":"two","key":"k2"}\#n\#n{"text":" "}\#n{"texts":"x"}\#n{"text":"three"}"#
      .write(toFile: file, atomically: true, encoding: .utf8)
    for (accepted, duplicate) in [(3, 0), (0, 3)] as [(Int64, Int64)] {
      let result = try await room.baton.control("post", "import", "News", file, "--json")
      // The result is a document, and the status says that lines were refused.
      let report = try document(result.lines)
      #expect(result.status == 1 && report["offered"] == 5 && report["refused"] == 2, "\(result.lines)")
      #expect(report["accepted"] == .integer(accepted) && report["duplicate"] == .integer(duplicate), "\(result.lines)")
      #expect(report["refusals"]?.array?.map { $0["line"] } == [4, 5])
      #expect(report["refusals"]?.array?.map { $0["error"] } == ["org.batond.Posts.InvalidPost", "local.InvalidLine"])
    }
    #expect(try await room.baton.client().posts.list().posts.map(\.text) == ["three", "two", "one"])
    let text = try await room.baton.control("post", "import", "News", file)
    #expect(text.lines.prefix(4) == ["offered    5", "accepted   0", "duplicate  3", "refused    2"], "\(text.lines)")
    // With nothing to refuse, the status is that of success.
    let clean = try await room.shell(#"printf '{"text":"one"}\n' | "$0" post import News - --socket "$1""#)
    #expect(clean.status == 0 && clean.lines.contains("duplicate  1"), "\(clean.lines)")
    await room.stop()
  }

  @Test func changesArePrintedAsTheyHappen() async throws {
    let room = try await Newsroom()
    let watch = try Program("batonctl", ["post", "watch", "News", "--socket", room.baton.socket])
    try await watch.line(containing: "begin")
    #expect(try await room.baton.control("post", "News", "Now.", "--wait", "all").status == 0)
    let line = try await watch.line(containing: "published")
    #expect(line.hasSuffix("post 1 in 'News'  published, 2/2 relays  Now."), "\(line)")
    watch.signal(SIGINT)
    _ = await watch.status()
    await room.stop()
  }
}
