import ArgumentParser
import ControlAPI
import Foundation
import StrictJSON
import Testing

@testable import ControlProgram

/// The command lines of `batonctl post`, and the texts that it reads.
struct PostCommandTests {
  private static func parse<Command>(_ arguments: String..., as type: Command.Type) throws -> Command {
    try #require(try Batonctl.parseAsRoot(["post"] + arguments) as? Command, "\(arguments)")
  }

  /// No one would find out why a server refuses a password that lost a blank.
  @Test func passwordsKeepTheirBlanks() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for text in [" hunter 2 ", " hunter 2 \r\nrest", "\u{FEFF} hunter 2 \n"] {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try ServerCommand.PasswordOption.parse(["--password-file", path]).password() == " hunter 2 ", "\(text)")
    }
  }

  @Test func publishingIsWhatPostDoesUnlessASubcommandIsNamed() throws {
    let short = try Self.parse("City News", "We open.", "--wait", "none", "--idempotency-key", "k", as: PostPublish.self)
    #expect(short.channel == "City News" && short.text == "We open." && short.wait == .none && short.key == "k")
    let long = try Self.parse(
      "publish", "list", "-", "--reply-to", "id:7", "--quote", "8", "--quote", "9", as: PostPublish.self)
    #expect(long.channel == "list" && long.text == "-" && long.replyTo?.id == 7 && long.quote.map(\.id) == [8, 9])
    #expect(long.wait == .any)
    let dashed = try Self.parse("News", "--", "- first", as: PostPublish.self)
    #expect(dashed.text == "- first")
    #expect(try Self.parse("list", as: PostList.self).channel == nil)
    #expect(try Self.parse("ls", "News", "--before", "9", "--limit", "1000", as: PostList.self).before?.id == 9)
    #expect(try Self.parse("show", "7", as: PostCommand.Show.self).post.id == 7)
    #expect(try Self.parse("rm", "id:7", "--reason", "wrong", as: PostCommand.Delete.self).reason == "wrong")
    let edit = try Self.parse("edit", "id:7", "-", "--hashtag", "a", "--idempotency-key", "k", as: PostEdit.self)
    #expect(edit.post.id == 7 && edit.text == "-" && edit.extras.hashtag == ["a"] && edit.key == "k" && edit.wait == .any)
    #expect(try Self.parse("show", "7", "--actions", as: PostCommand.Show.self).actions)
    #expect(try Self.parse("retry", "7", "relay-2", as: PostCommand.Retry.self).relay == "relay-2")
    let release = try Self.parse("release", "id:7", "--at", "+2h", "--tolerance", "15min", as: PostCommand.Release.self)
    #expect(release.post.id == 7 && release.at != nil && release.tolerance != nil)
    #expect(try Self.parse("News", "text", "--draft", as: PostPublish.self).draft)
    #expect(try Self.parse("list", "--drafts", as: PostList.self).drafts)
    #expect(try Self.parse("import", "News", "posts.jsonl", as: PostImport.self).file == "posts.jsonl")
    for reaction in ["+", "-", "👍"] {
      let react = try Self.parse("react", "id:7", reaction, "--idempotency-key", "k", as: PostReact.self)
      #expect(react.post.id == 7 && react.options.reaction == reaction && react.options.emoji == nil)
      #expect(react.options.wait == .any && react.options.key == "k")
    }
    let soap = try Self.parse("react", "7", ":soap:", "--emoji-url", "https://h/s.png", "--wait", "all", as: PostReact.self)
    #expect(soap.options.emoji == Emoji(shortcode: "soap", url: "https://h/s.png") && soap.options.wait == .all)
    #expect(try Self.parse("News", "text", "--reply-to-message", "id:9", as: PostPublish.self).replyToMessage?.id == 9)
    #expect(try Self.parse("list", "--reactions-to", "7", as: PostList.self).reactionsTo?.id == 7)
    #expect(try Self.parse("list", "--reactions", as: PostList.self).reactions)
    #expect(try Self.parse("pin", "7", as: PostPin.self).post.id == 7)
    #expect(try Self.parse("unpin", "id:7", as: PostUnpin.self).post.id == 7)
    let retention = try Self.parse("retention", "News", "--days", "30", "--count", "9", as: PostRetentionCommand.self)
    #expect(retention.channel == "News" && retention.days == 30 && retention.count == 9 && !retention.forever)
    #expect(try Self.parse("retention", "News", "--forever", as: PostRetentionCommand.self).forever)
  }

  @Test(arguments: [
    ["News"], ["News", "text", "--file", "f"], ["list", "--before", "1", "--after", "2"], ["list", "--limit", "0"],
    ["list", "--around", "1", "--limit", "101"], ["list", "--status", "active"], ["list", "--cause", "weather"],
    ["show", "News"], ["show", "0"], ["show", "-1"], ["show", "id:"], ["history"], ["watch", "--since", "x"],
    ["News", "text", "--reply-to", "x"], ["News", "text", "--reply-to", "1", "--reply-to-message", "1"],
    ["News", "text", "--draft", "--at", "+2h"], ["release"], ["release", "7", "--tolerance", "15min"],
    ["News", "text", "--at", "soon"], ["News", "text", "--tolerance", "1h"],
    ["edit", "7"], ["edit", "News", "text"], ["edit", "7", "text", "--file", "f"],
    ["react", "7"], ["react", "News", "+"], ["react", "7", ""], ["react", "7", ":soap:"], ["pin"], ["unpin", "News"],
    ["react", "7", "+", "--emoji-url", "https://h/s.png"], ["list", "--reactions-to", "x"],
    ["retention"], ["retention", "News", "--forever", "--days", "1"], ["retention", "News", "--days", "2w"],
  ])
  func wrongCommandLinesAreRefused(_ arguments: [String]) {
    #expect(throws: (any Error).self) { try Batonctl.parseAsRoot(["post"] + arguments) }
  }

  @Test func timesAreWrittenInSeveralWays() throws {
    let later = try Self.parse("News", "text", "--at", "2026-12-24T18:00:00Z", "--tolerance", "15min", as: PostPublish.self)
    #expect(later.at?.text == "2026-12-24T18:00:00.000Z" && later.tolerance?.duration == .seconds(900))
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    func text(_ words: String) -> String? { Moment(words, now: 1_700_000_000_000, zone: zone)?.text }
    #expect(text("2026-12-24 18:00") == "2026-12-24T17:00:00.000Z" && text("2026-07-01 18:00:30") == "2026-07-01T16:00:30.000Z")
    #expect(text("2026-12-24T18:00:00+03:00") == "2026-12-24T15:00:00.000Z")
    #expect(text("2026-03-29 02:30") == nil, "the clocks go from two to three")
    #expect(text("2026-10-25 02:30") == "2026-10-25T00:30:00.000Z", "the first of two")
    let spans = ["+90": 90, "+30s": 30, "+30m": 1_800, "+30min": 1_800, "+2h": 7_200, "+3d": 259_200] as [String: Int64]
    for (words, seconds) in spans {
      #expect(Moment(words, now: 1_000, zone: zone)?.milliseconds == 1_000 + seconds * 1_000, "\(words)")
    }
    for words in ["", "+", "+d", "+-1h", "2h", "18:00", "2026-12-24", "2026-13-24 18:00", "2026-12-24 25:00"] {
      #expect(text(words) == nil, "\(words)")
    }
  }

  @Test func textsAreReadWithoutTheLineFeedAtTheirEnd() throws {
    #expect(try PostText.text(Data("One\nTwo\n".utf8), "f") == "One\nTwo")
    #expect(try PostText.text(Data("One\n\n".utf8), "f") == "One\n")
    #expect(try PostText.text(Data(), "f").isEmpty)
    let longest = Data(repeating: UInt8(ascii: "x"), count: PostText.bytesMax)
    #expect(try PostText.text(longest + Data("\n".utf8), "f").utf8.count == PostText.bytesMax)
    #expect(try PostText.text(Data("\u{FEFF}One\r\nTwo\r\n".utf8), "f") == "One\nTwo")
    let lines = Data(String(repeating: "\r\n", count: PostText.bytesMax).utf8)
    #expect(try PostText.text(lines, "f").utf8.count == PostText.bytesMax - 1, "what counts is what is published")
  }

  @Test func textsThatAreTooLongOrNoTextAreRefusedByName() throws {
    let tooLong = Data(repeating: UInt8(ascii: "x"), count: PostText.bytesMax + 1)
    let long = #expect(throws: Refusal.self) { try PostText.text(tooLong, "standard input") }
    #expect(long?.name == "local.TooLong" && long?.text.contains("\(PostText.bytesMax) bytes") == true)
    let binary = #expect(throws: Refusal.self) { try PostText.text(Data([0x41, 0xFF]), "standard input") }
    #expect(binary?.name == "local.Usage" && binary?.status == 64)
    let missing = #expect(throws: Refusal.self) { try PostText.file("/nonexistent/\u{1B}text") }
    #expect(missing?.text == #"cannot read /nonexistent/\u{1B}text"#)
    let endless = #expect(throws: Refusal.self) { try PostText.file("/dev/zero") }
    #expect(endless?.name == "local.TooLong")
  }

  @Test func filesToAttachAreRead() throws {
    func parse(_ arguments: String...) throws -> PostPublish {
      try #require(try Batonctl.parseAsRoot(["post", "News"] + arguments) as? PostPublish)
    }
    let two = try parse(
      "--attach-file", "a", "--alt", "", "--attach-file", "b", "--alt", "B", "--attach", "https://c.example/c")
    #expect(two.extras.attachFile == ["a", "b"] && two.extras.alt == ["", "B"] && two.text == nil)
    let eleven = (1...11).flatMap { ["--attach-file", "\($0)"] }
    for wrong in [
      ["text", "--alt", "x"], ["text", "--attach", "https://a.example", "--alt", "x"], ["text"] + eleven,
      ["text", "--attach-file", "a", "--alt", String(repeating: "x", count: 1_001)],
    ] {
      #expect(throws: (any Error).self) { try Batonctl.parseAsRoot(["post", "News"] + wrong) }
    }
  }
}
