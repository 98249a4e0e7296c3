internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

struct PostList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List posts, the newest first",
    discussion: """
      RELAYS: on how many of its relays readers find the post. Options combine: --relay R --status failed lists posts that \
      failed at R. --before, --after and --around name a post, and list lower ids, higher ids, or both sides. \
      Reactions are left out, except with --reactions or --reactions-to.

      Example:
        batonctl post list News --status failed
      """, aliases: ["ls"])
  @OptionGroup var table: TableOptions
  @Argument(help: "Only posts of this channel, by id or name.", completion: .names(of: .channel)) var channel: String?
  @Option(help: "Only posts that go to this relay, by id or name.", completion: .names(of: .relay)) var relay: String?
  @Option(
    help: """
      Only posts that have this status on a relay: pending, sent, accepted, verified, failed, skipped, deleting, deleted, stillServed \
      or unsupported.
      """,
    completion: .list(Words.deliveries), transform: Words.one(of: Words.deliveries))
  var status: String?
  @Option(
    help: "Only posts held up at a relay by this cause, such as timeout or rejected.",
    completion: .list(Words.causes), transform: Words.one(of: Words.causes))
  var cause: String?
  @Flag(help: "Include deleted posts (implied by --status deleted and similar).") var deleted = false
  @Option(help: "Only posts before this one.", completion: .names(of: .post)) var before: ObjectID?
  @Option(help: "Only posts after this one.", completion: .names(of: .post)) var after: ObjectID?
  @Option(help: "Posts on both sides of this one.", completion: .names(of: .post)) var around: ObjectID?
  @Option(name: .customLong("reactions-to"), help: "Only reactions to this post.", completion: .names(of: .post))
  var reactionsTo: ObjectID?
  @Flag(help: "Include reactions.") var reactions = false
  @Flag(help: "Only drafts.") var drafts = false
  @Option(help: "Maximum number of posts to list, 1 to 1000, or with --around 1 to 100.") var limit: Int = 25
  @OptionGroup var global: GlobalOptions

  /// The largest number of posts in one reply of the daemon.
  private static let pageMax = 100

  func validate() throws {
    guard [before, after, around].compactMap({ $0 }).count < 2 else {
      throw ValidationError("--before, --after and --around cannot be combined.")
    }
    let most = around == nil ? 1000 : Self.pageMax
    guard (1...most).contains(limit) else { throw ValidationError("--limit must be 1 to \(most).") }
    _ = try table.chosen(of: Self.columns)
  }

  func run() async throws {
    try await global.connected(table.show) { session in
      var request = PostsListRequest(
        status: status, cause: cause, deleted: deleted ? true : nil, before: before.map { Int($0.id) },
        after: after.map { Int($0.id) }, around: around.map { Int($0.id) },
        reactionTo: reactionsTo.map { Int($0.id) }, reactions: reactions ? true : nil, drafts: drafts ? true : nil)
      if let channel { request.channelId = try await session.channel(channel).id }
      if let relay { request.relayId = try await session.relay(relay).id }
      let found = try await read(request, session)
      let shown = try found.posts.map(ShownPost.init)
      let columns = try table.chosen(of: Self.columns)
      try session.show(found.posts) {
        guard !shown.isEmpty else { return ([noPosts] + notes(found)).joined(separator: "\n") }
        let table = session.table(columns, shown.map { Row(shown: $0, times: session.times) })
        return ([table] + notes(found)).joined(separator: "\n")
      }
    }
  }

  private var noPosts: String {
    if let reactionsTo { return "No reactions to post \(reactionsTo.id) match." }
    if drafts { return "No drafts. Write one with batonctl post CHANNEL TEXT --draft." }
    let isNarrowed = relay != nil || status != nil || cause != nil || before != nil || after != nil || around != nil
    return isNarrowed ? "No posts match." : "No posts. Publish one with batonctl post CHANNEL TEXT."
  }

  /// Reads posts page by page, up to the limit. Pages of large posts have fewer, and pages of damaged posts may be empty.
  private func read(_ request: PostsListRequest, _ session: Session) async throws -> PostsListReply {
    var request = request
    request.limit = min(limit, Self.pageMax)
    var found = try await session.raw.posts.list(request)
    while request.around == nil, found.ids.count < limit {
      request.limit = min(limit - found.ids.count, Self.pageMax)
      let next: PostsListReply
      if request.after != nil {
        guard found.hasNewer, let newest = found.ids.max() else { break }
        request.after = newest
        next = try await session.raw.posts.list(request)
        (found.posts, found.hasNewer) = (next.posts + found.posts, next.hasNewer)
      } else {
        guard found.hasOlder, let oldest = found.ids.min() else { break }
        request.before = oldest
        next = try await session.raw.posts.list(request)
        (found.posts, found.hasOlder) = (found.posts + next.posts, next.hasOlder)
      }
      found.unreadable = Self.joined(found.unreadable, next.unreadable)
      if next.ids.isEmpty { break }
    }
    return found
  }

  private static func joined(_ first: [Int]?, _ second: [Int]?) -> [Int]? {
    let all = (first ?? []) + (second ?? [])
    return all.isEmpty ? nil : all
  }

  /// The notes below the table.
  private func notes(_ found: PostsListReply) -> [String] {
    var notes: [String] = []
    if let unreadable = found.unreadable {
      let ids = unreadable.map { "\($0)" }.joined(separator: ", ")
      notes.append("Damaged and left out: \(ids). See batonctl check.")
    }
    if found.hasOlder, let last = found.ids.min() { notes.append("There are older posts: --before \(last).") }
    if found.hasNewer, before != nil || after != nil || around != nil, let first = found.ids.max() {
      notes.append("There are newer posts: --after \(first).")
    }
    return notes
  }

  struct Row {
    let shown: ShownPost
    let times: Times
    var post: Post { shown.post }
  }

  static let columns: [TableColumn<Row>] = [
    TableColumn("ID", rank: 0) { "\($0.post.id)" },
    TableColumn("CHANNEL", rank: 2, least: 12) { $0.post.channelName },
    TableColumn("PHASE", rank: 1, color: { .of($0.post.phase) }) { $0.post.phase },
    TableColumn("RELAYS", rank: 3) { "\($0.post.shownCount)/\($0.post.relayCount)" },
    TableColumn("CREATED", rank: 4) { $0.times.text($0.post.createdAt) },
    TableColumn("TEXT", rank: 0, least: 16) { $0.shown.markedLine },
    TableColumn("ANSWERS", rank: 5, isExtra: true) { $0.post.replyTo.map { "\($0)" } ?? "" },
    TableColumn("REPLACES", rank: 5, isExtra: true) { $0.post.replaces.map { "\($0)" } ?? "" },
    TableColumn("REPLACEDBY", rank: 5, isExtra: true) { $0.post.replacedBy.map { "\($0)" } ?? "" },
    TableColumn("DELETED", rank: 6, isExtra: true) { $0.times.text($0.post.deletedAt) },
    TableColumn("NETWORK", rank: 7, isExtra: true) { $0.post.network },
    TableColumn("NETWORKID", rank: 8, least: 12, isExtra: true) { $0.post.networkId },
    TableColumn("REVISION", rank: 9, isExtra: true) { "\($0.post.revision)" },
    TableColumn("LINK", rank: 10, least: 24, isExtra: true) { $0.post.link ?? "" },
    TableColumn("DUE", rank: 11, isExtra: true) { $0.times.text($0.post.publishAt) },
    TableColumn("REACTSTO", rank: 5, isExtra: true) { $0.post.reactionTo.map { "\($0)" } ?? "" },
    TableColumn("FORGOTTEN", rank: 12, isExtra: true) { $0.times.text($0.post.forgottenAt) },
  ]
}

extension PostsListReply {
  /// The ids of all its posts, including unreadable ones.
  fileprivate var ids: [Int] { posts.map { Int($0.id) } + (unreadable ?? []) }
}
