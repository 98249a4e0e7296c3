internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import Glibc
internal import Sentences
internal import StrictJSON

struct PostExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print the signed posts of a channel, one per line",
    discussion: """
      Each line is a signed Nostr event as JSON: a post, or the deletion of a deleted post. Other programs can read and \
      verify it, and batonctl post import accepts it. The oldest post comes first. Drafts, scheduled and expired posts \
      are not signed, and not exported. Standard error shows how many posts were left out.
      Exit status: 0 all posts that can be exported are there, 1 some posts are unreadable because the database is \
      damaged.

      Example:
        batonctl post export News --to news.jsonl
      """)
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Option(help: "Only posts after this one.", completion: .names(of: .post)) var after: ObjectID?
  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("Write to this file, which must not exist yet, instead of standard output.", valueName: "file"),
    completion: .file())
  var path: String?
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      let request = PostsExportRequest(channelId: try await session.channel(channel).id, after: after.map { Int($0.id) })
      let file = try path.map(ExportFile.init)
      var report = ExportReport()
      var isComplete = false
      for try await post in try await session.raw.posts.export(request) {
        guard let post else {
          isComplete = true
          continue
        }
        report.record(post)
        guard let line = post.document else { continue }
        if let file { try file.write(line) } else { try Self.show(line, session) }
      }
      guard isComplete else {
        throw Refusal(text: "the daemon stopped before the export was complete", status: 69, name: "local.NotReachable")
      }
      try file?.finish()
      if !session.options.quiet { Output.error(session.isForPeople ? report.sentence : try report.json.text) }
      if !report.unreadable.isEmpty { throw ExitCode(1) }
    }
  }

  /// Prints a line as it was signed. On a terminal, hidden characters in it are escaped.
  private static func show(_ line: String, _ session: Session) throws {
    session.ending.willWrite(isResult: false)
    try Output.line(session.terminal.size == nil ? line : line.shownJSON)
  }
}

/// The outcome of an export so far.
struct ExportReport: Codable, Hashable, Sendable {
  private(set) var posts = 0
  private(set) var deletions = 0
  private(set) var forgotten = 0
  private(set) var unsigned = 0
  /// The unreadable posts, by id, `unreadableMax` at most.
  private(set) var unreadable: [Int64] = []
  private(set) var unreadableCount = 0

  static let unreadableMax = 1000

  mutating func record(_ post: ExportedPost) {
    switch post.omission {
    case nil: if post.deletion { deletions += 1 } else { posts += 1 }
    case "forgotten": forgotten += 1
    case "unsigned": unsigned += 1
    // A word from a newer daemon also means that the post is missing.
    default:
      unreadableCount += 1
      if unreadable.count < Self.unreadableMax { unreadable.append(post.id) }
    }
  }

  /// The counts, and how many posts were left out and why.
  var sentence: String {
    var parts = ["\(counted(posts, "post")) and \(counted(deletions, "deletion")) exported"]
    if forgotten > 0 { parts.append("\(forgotten) left out because the text was forgotten") }
    if unsigned > 0 { parts.append("\(unsigned) left out because \(unsigned == 1 ? "it is" : "they are") not signed") }
    if unreadableCount > 0 {
      let names = unreadable.prefix(Self.namedMax).map(String.init).joined(separator: ", ")
      let more = unreadableCount > Self.namedMax ? " and others" : ""
      parts.append("\(unreadableCount) left out because the database is damaged: \(names)\(more). See batonctl check")
    }
    return parts.joined(separator: "; ")
  }

  /// How many posts a sentence names.
  private static let namedMax = 10
}

/// A new file that only its owner can read. It gets its name when it is complete, so that an interrupted export is not mistaken for a
/// complete one.
final class ExportFile {
  private let path: String
  /// Its temporary name. No other export writes there, even one with the same final name.
  private let part: String
  private let handle: FileHandle

  /// - Throws: `Refusal` if the file exists, or cannot be created.
  init(_ path: String) throws(Refusal) {
    self.path = path
    var status = stat()
    guard lstat(path, &status) != 0 else { throw Self.refusal(path, EEXIST) }
    part = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16)).part"
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.refusal(path, errno) }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit { unlink(part) }

  func write(_ line: String) throws(Refusal) {
    try written { try handle.write(contentsOf: Data((line + "\n").utf8)) }
  }

  /// Gives the file its name.
  /// - Throws: `Refusal` if another file has this name by now. That file is unchanged.
  func finish() throws(Refusal) {
    try written { try handle.synchronize() }
    guard link(part, path) == 0 else { throw Self.refusal(path, errno) }
  }

  private func written(_ body: () throws -> Void) throws(Refusal) {
    do { try body() } catch {
      throw Refusal(
        text: "cannot write \(part.shown): \(error.localizedDescription)", status: Output.Failure.status,
        name: "local.OutputFailed")
    }
  }

  private static func refusal(_ path: String, _ problem: CInt) -> Refusal {
    Refusal(text: "cannot create \(path.shown): \(String(cString: strerror(problem)))", status: 64, name: "local.Usage")
  }
}
