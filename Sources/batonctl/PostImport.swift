internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import StrictJSON
internal import Varlink

struct PostImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Publish the posts in a file, one per line",
    discussion: """
      Each line is a JSON object with text, and optionally key, replyTo, quotes, mentions, contentWarning, hashtags, \
      emoji, attachments, at and tolerance, as in org.batond.Posts.Publish, and key is its idempotencyKey. A line may also \
      be a signed Nostr event, as from batonctl post export: a post signed by the channel's own key is published \
      unchanged, with its date, and the deletion of a known post deletes it. A line without a key gets one from its \
      bytes and the channel, so importing a file again publishes only new lines, and two equal lines are one post. \
      Refused lines do not stop the others. If the daemon cannot accept more, the import stops and prints its progress: \
      run it again to continue.
      Exit status: 0 every line is published now or earlier, 1 some lines were refused.

      Example:
        batonctl post import News news.jsonl
      """)
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Argument(help: "File, or - for standard input.", completion: .file(extensions: ["jsonl"])) var file: String
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected(canInterrupt: true) { session in
      let id = try await session.channel(channel).id
      let report = try await report(of: try lines(), id, session)
      try session.show(report) { report.lines.joined(separator: "\n") }
      if report.refused > 0 { throw ExitCode(1) }
    }
  }

  private func lines() throws -> LineReader {
    if file == "-" { return LineReader(.standardInput) }
    guard let handle = FileHandle(forReadingAtPath: file) else { throw PostText.unreadable(file.shown) }
    return LineReader(handle)
  }

  /// The shortest time between two lines about the progress.
  private static let pause = Duration.milliseconds(100)

  /// Publishes line after line.
  private func report(of lines: LineReader, _ channel: Int64, _ session: Session) async throws -> ImportReport {
    var (lines, report, number) = (lines, ImportReport(), 0)
    var mentions = PostMentions()
    var canvas = Canvas(session.terminal)
    var shownAt = ContinuousClock.now
    // Looking up the names in the first line may already take long.
    session.ending.followed = .importing(report)
    while let line = try next(&lines, after: report) {
      number += 1
      guard let outcome = try await outcome(of: line, channel, &mentions, after: report, session) else { continue }
      report.record(outcome, line: number)
      session.ending.followed = .importing(report)
      guard session.isForPeople, session.terminal.size != nil, !session.options.quiet else { continue }
      guard ContinuousClock.now - shownAt >= Self.pause else { continue }
      shownAt = .now
      session.ending.willWrite(isResult: false)
      try canvas.draw([report.progress])
    }
    return report
  }

  private func next(_ lines: inout LineReader, after report: ImportReport) throws -> LineReader.Line? {
    do {
      return try lines.next()
    } catch {
      throw Refusal(
        text: "cannot read \(file.shown) to its end: \(report.progress)", status: 64, name: "local.Usage",
        parameters: try Self.parameters(report))
    }
  }

  /// Offers a line to the daemon.
  /// - Returns: `nil` for an empty line.
  /// - Throws: a refusal that does not concern this line.
  private func outcome(
    of line: LineReader.Line, _ channel: Int64, _ mentions: inout PostMentions, after report: ImportReport, _ session: Session
  ) async throws -> ImportReport.Outcome? {
    guard case .bytes(let bytes) = line else {
      return .refused(error: "local.TooLong", message: "it has more than \(LineReader.bytesMax) bytes")
    }
    guard bytes.contains(where: { ![UInt8(ascii: " "), UInt8(ascii: "\t")].contains($0) }) else { return nil }
    do {
      switch try PostImportLine.offer(bytes, channel: channel) {
      case .post(var request):
        if let people = request.mentions { request.mentions = try await mentions.keys(of: people) }
        return try await session.raw.posts.publish(request).isNew ? .accepted : .duplicate
      case .event(let request): return try await session.raw.posts.adopt(request).isNew ? .accepted : .duplicate
      }
    } catch let flaw as PostImportLine.Flaw {
      return .refused(error: "local.InvalidLine", message: flaw.reason)
    } catch let refusal as Refusal {
      return .refused(error: refusal.name, message: refusal.text)
    } catch let error as VarlinkError {
      let message = Sentence.of(error)
      if Self.isOfOneLine(error) { return .refused(error: error.name, message: message) }
      throw Refusal(
        text: Self.stopped(message, report), status: error.status, name: error.name,
        parameters: error.parameters.merging(try Self.parameters(report)) { first, _ in first })
    } catch let failure as VarlinkClient.Failure {
      let (name, status) = failure.ending
      throw Refusal(
        text: Self.stopped(Sentence.of(failure, session.options.path, within: session.options.timeout), report), status: status,
        name: name, parameters: try Self.parameters(report))
    }
  }

  private static func stopped(_ reason: String, _ report: ImportReport) -> String {
    "\(reason); \(report.progress). Run it again to continue"
  }

  private static func parameters(_ report: ImportReport) throws -> [String: JSONValue] { ["import": try report.json] }

  /// Whether the daemon refused only this line, so that other lines may succeed.
  static func isOfOneLine(_ error: VarlinkError) -> Bool {
    switch PostsRefusal(error) {
    case .noSuchPost, .invalidPost, .idempotencyKeyReused, .notSupported: true
    case .other(let error): error.name == VarlinkError.invalidParameter("").name
    case .noSuchChannel, .notOwned, .noSuchRelay, .channelFrozen, .notCancellable, .invalidRetention, .networkUnavailable,
      .busy,
      .storageDamaged,
      .storageUnavailable, .outcomeUnknown,
      .internalError:
      false
    }
  }
}
