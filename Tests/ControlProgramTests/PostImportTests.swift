import ControlAPI
import Foundation
import StrictJSON
import Synchronization
import TestTools
import Testing
import Varlink
import WebFiles

@testable import ControlProgram

/// Lines of a file with posts, and the bookkeeping of their import.
struct PostImportTests {
  /// The lines of texts that arrive in these pieces.
  private static func lines(_ pieces: [String], bytesMax: Int = 20) throws -> [LineReader.Line] {
    try lines(pieces.map { Array($0.utf8) }, bytesMax: bytesMax)
  }

  private static func lines(_ pieces: [[UInt8]], bytesMax: Int = 20) throws -> [LineReader.Line] {
    var rest = pieces[...]
    var reader = LineReader(bytesMax: bytesMax) { rest.popFirst() ?? [] }
    var lines: [LineReader.Line] = []
    while let line = try reader.next() { lines.append(line) }
    return lines
  }

  private static func line(_ text: String) -> LineReader.Line { .bytes(Array(text.utf8)) }

  /// The post in a line.
  private static func request(_ line: [UInt8], channel: Int64) throws -> PostsPublishRequest {
    guard case .post(let request) = try PostImportLine.offer(line, channel: channel) else {
      throw Violation("\(String(decoding: line, as: UTF8.self)) is not offered as a post")
    }
    return request
  }

  @Test func linesAreFoundHoweverTheyArrive() throws {
    let expected = [Self.line("one"), Self.line(""), Self.line("two"), Self.line("three")]
    #expect(try Self.lines(["one\n\ntwo\r\nthree"]) == expected)
    #expect(try Self.lines("one\n\ntwo\r\nthree\n".map(String.init)) == expected)
    #expect(try Self.lines("\u{FEFF}one\r\n\r\ntwo\r\nthree".utf8.map { [$0] }) == expected)
    #expect(try Self.lines([String]()) == [] && Self.lines(["\n"]) == [Self.line("")])
  }

  @Test func lineThatIsTooLongIsNoReasonToLoseTheNext() throws {
    let long = String(repeating: "x", count: 21)
    #expect(try Self.lines([long + "\nshort\n"]) == [.tooLong, Self.line("short")])
    #expect(try Self.lines([long, long, long, "\nshort"]) == [.tooLong, Self.line("short")])
    #expect(try Self.lines(["a\n", long]) == [Self.line("a"), .tooLong])
    #expect(try Self.lines([String(long.dropLast()), "\n"]) == [Self.line(String(long.dropLast()))])
  }

  @Test func lineIsThePostThatTheDaemonGets() throws {
    let line =
      #"{"text":"t","key":"k","replyTo":4,"hashtags":["a"],"contentWarning":null,"emoji":[{"shortcode":"s","url":"u"}]}"#
    let request = try Self.request(Array(line.utf8), channel: 3)
    #expect(
      request
        == PostsPublishRequest(
          channelId: 3, text: "t", replyTo: 4, hashtags: ["a"], emoji: [Emoji(shortcode: "s", url: "u")], idempotencyKey: "k"))
    let file = try Self.request(Array(#"{"attachments":[{"url":"https://h/f"}]}"#.utf8), channel: 3)
    #expect(file.text.isEmpty && file.attachments?.map(\.url) == ["https://h/f"])
    let later = #"{"text":"t","at":"2026-12-24T18:00:00Z","tolerance":60}"#
    let scheduled = try Self.request(Array(later.utf8), channel: 3)
    #expect(scheduled.at == "2026-12-24T18:00:00Z" && scheduled.tolerance == 60)
  }

  @Test(arguments: [#"{"id":"ab","sig":"cd","kind":42}"#, #"{"pubkey":"ab"}"#, #" {"text":"x","created_at":7} "#])
  func signedEventIsOfferedAsItIs(_ line: String) throws {
    let offer = try PostImportLine.offer(Array(line.utf8), channel: 3)
    #expect(offer == .event(PostsAdoptRequest(channelId: 3, document: line)))
  }

  @Test func postIsOfferedAsOne() throws {
    let line = Array(#"{"text":"a","sig":null}"#.utf8)
    #expect(try Self.request(line, channel: 3).text == "a")
    for line in [#"{"id":"ab","kind":42}"#, #"{"sig":"ab","sig":"cd"}"#, "[]"] {
      #expect(throws: PostImportLine.Flaw.self, "\(line)") { try PostImportLine.offer(Array(line.utf8), channel: 3) }
    }
  }

  @Test func exportIsCounted() throws {
    var report = ExportReport()
    #expect(report.sentence == "0 posts and 0 deletions exported")
    report.record(ExportedPost(id: 1, document: "{}", deletion: false))
    report.record(ExportedPost(id: 2, document: "{}", deletion: true))
    #expect(report.sentence == "1 post and 1 deletion exported")
    report.record(ExportedPost(id: 3, deletion: false, omission: "forgotten"))
    report.record(ExportedPost(id: 4, deletion: false, omission: "unsigned"))
    for id in 5...16 as ClosedRange<Int64> {
      report.record(ExportedPost(id: id, deletion: false, omission: id == 5 ? "a word of later" : "unreadable"))
    }
    #expect(
      report.sentence
        == "1 post and 1 deletion exported; 1 left out because the text was forgotten; 1 left out because it is not signed; "
        + "12 left out because the database is damaged: 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 and others. See batonctl check")
    #expect(try report.json["unreadable"]?.array?.count == 12)
  }

  @Test func exportedFileIsThereWhenItIsComplete() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/posts.jsonl"
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
    try ExportFile(path).write("interrupted")
    #expect(try files() == [])
    // What is left of an earlier one that was killed is in no one's way.
    try "old".write(toFile: path + ".part", atomically: true, encoding: .utf8)
    let file = try ExportFile(path)
    try file.write("one")
    try file.write("two")
    #expect(!FileManager.default.fileExists(atPath: path))
    try file.finish()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let refusal = #expect(throws: Refusal.self) { try ExportFile(path) }
    #expect(refusal?.status == 64 && refusal?.text.contains("File exists") == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
  }

  @Test func exportsIntoOneFileAtOnceDoNotMix() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/posts.jsonl"
    do {
      let (first, second) = (try ExportFile(path), try ExportFile(path))
      try first.write("first")
      try second.write("second")
      try first.write("more")
      try second.finish()
      let refusal = #expect(throws: Refusal.self) { try first.finish() }
      #expect(refusal?.status == 64 && refusal?.text.contains("\(path): File exists") == true, "\(refusal?.text ?? "")")
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "second\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["posts.jsonl"])
  }

  // MARK: - Names at domains

  /// Domains that know some names and count what they are asked.
  private final class Domains: Sendable {
    static let bob = String(repeating: "ab", count: 32)
    let asked = Mutex<[String]>([])

    var mentions: PostMentions {
      PostMentions { (name) async throws(Refusal) in
        self.asked.withLock { $0.append(name.text) }
        guard name.text.hasPrefix("bob") else { throw Refusal(text: "no one has this name", name: "local.NameNotFound") }
        return Self.bob
      }
    }
  }

  @Test func namesAtDomainsAreAskedForOnce() async throws {
    let domains = Domains()
    var mentions = domains.mentions
    for name in ["bob@example.com", "Bob@Example.com"] {
      #expect(try await mentions.keys(of: ["npub1x", name, Domains.bob]) == ["npub1x", Domains.bob, Domains.bob])
    }
    for _ in 0..<2 {
      let refusal = await #expect(throws: Refusal.self) { try await mentions.keys(of: ["eve@example.com", "bob@example.org"]) }
      #expect(refusal?.name == "local.NameNotFound")
    }
    #expect(try await mentions.keys(of: ["bob@example.org"]) == [Domains.bob])
    #expect(domains.asked.withLock { $0 } == ["bob@example.com", "eve@example.com", "bob@example.org"])
  }

  @Test func nobodyIsAskedForWhatIsRefusedAnyway() async throws {
    let domains = Domains()
    var mentions = domains.mentions
    let refusal = await #expect(throws: Refusal.self) {
      try await mentions.keys(of: ["\u{1B}\(String(repeating: "x", count: 1_000))@example.com"])
    }
    #expect(refusal?.name == "local.Usage" && refusal?.text.contains("letters of ASCII") == true)
    #expect((refusal?.text.count ?? .max) < 300 && refusal?.text.contains("\u{1B}") == false)
    let many = (0...50).map { "bob\($0)@example.com" }
    #expect(try await mentions.keys(of: many) == many)
    #expect(domains.asked.withLock { $0 } == [])
  }

  @Test func keyFollowsFromTheLineAndTheChannel() throws {
    func key(_ line: String, _ channel: Int64) throws -> String? {
      try Self.request(Array(line.utf8), channel: channel).idempotencyKey
    }
    let first = try #require(try key(#"{"text":"a"}"#, 3))
    #expect(first.wholeMatch(of: /import-[0-9a-f]{40}/) != nil)
    #expect(try key(#"{"text":"a"}"#, 3) == first)
    #expect(try key(#"{"text":"b"}"#, 3) != first && key(#"{"text":"a"}"#, 4) != first)
  }

  @Test(arguments: [
    ("", "JSON "), ("[]", "it is not a JSON object"), (#"{"text":"a""#, "JSON "), (#"{"text":7}"#, "text"), ("{}", "text"),
    (#"{"texte":"a"}"#, "there is no field 'texte'. Did you mean text?"),
    (#"{"text":"a","channelId":4}"#, "there is no field 'channelId'"),
    (#"{"text":"a","\u001b[2J":1}"#, #"there is no field '\u{1B}[2J'"#), (#"{"text":"a","replyTo":"x"}"#, "replyTo"),
  ])
  func linesThatAreNoPostsAreRefusedWithTheReason(_ line: String, _ words: String) {
    let flaw = #expect(throws: PostImportLine.Flaw.self) { try Self.request(Array(line.utf8), channel: 3) }
    #expect(flaw?.reason.contains(words) == true, "\(flaw?.reason ?? "")")
  }

  @Test func everyLineIsCountedOnce() throws {
    var report = ImportReport()
    report.record(.accepted, line: 1)
    report.record(.duplicate, line: 2)
    report.record(.refused(error: "org.batond.Posts.InvalidPost", message: "too long"), line: 4)
    report.record(.accepted, line: 5)
    #expect(report.progress == "4 lines offered, 2 accepted, 1 duplicate, 1 refused")
    #expect(report.lines == ["offered    4", "accepted   2", "duplicate  1", "refused    1", "  line 4: too long"])
    let json = try report.json
    #expect(json["refusals"]?.array?.first?["line"] == 4 && json["accepted"] == 2)
    for line in 6...3000 { report.record(.refused(error: "e", message: "m"), line: line) }
    #expect(report.refused == 2996 && report.refusals.count == ImportReport.refusalsMax)
    #expect(report.lines.last == "  and 1996 more")
  }

  @Test func onlyRefusalsOfOneLineAreGoneBeyond() {
    let ofOne: [PostsRefusal] = [
      .invalidPost(field: "text", reason: "x"), .noSuchPost(id: 1), .idempotencyKeyReused(id: 1, deleted: true),
      .notSupported(network: "nostr", reason: "x"), .other(.invalidParameter("replyTo")),
    ]
    for refusal in ofOne { #expect(PostImport.isOfOneLine(refusal.error), "\(refusal)") }
    let ofAll: [PostsRefusal] = [
      .busy, .storageUnavailable(reason: "x"), .storageDamaged(reason: "x"), .internalError, .other(.permissionDenied),
      .noSuchChannel(id: 1, name: nil), .networkUnavailable(network: "nostr", reason: "x"),
      .invalidRetention(field: "keepDays", reason: "x"),
    ]
    for refusal in ofAll { #expect(!PostImport.isOfOneLine(refusal.error), "\(refusal)") }
  }

  @Test func importThatEndsEarlySaysHowToGoOn() {
    var report = ImportReport()
    report.record(.accepted, line: 1)
    let words = "1 line offered, 1 accepted, 0 duplicate, 0 refused. Run it again to continue"
    #expect(Followed.importing(report).interrupted == "interrupted: \(words)")
    #expect(Followed.importing(report).timedOut(after: "5 s") == "not done after 5 s: \(words)")
    #expect(Followed.importing(report).json["import"]?["offered"] == 1)
  }
}
