internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import StrictJSON
internal import Varlink

/// One call of `org.batond.Posts.Export`. It keeps the page of posts that is being written, and otherwise only its place: the next page is
/// read once the client has read this one.
struct PostExporter {
  /// The number of posts in one read: about as many as are sent in one go.
  private static let postsMax = 16

  private let channel: ChannelID
  private let after: PostID
  private let stream: ReplyStream<PostsExportReply>
  private let context: ControlContext

  init(_ request: PostsExportRequest, _ stream: ReplyStream<PostsExportReply>, _ context: ControlContext) {
    channel = ChannelID(rawValue: request.channelId)
    after = PostID(rawValue: Int64(request.after ?? 0))
    self.stream = stream
    self.context = context
  }

  /// Sends all posts.
  /// - Returns: the last reply.
  /// - Throws: a refusal if there is no such channel, and the errors of reading the store.
  func run() async throws -> PostsExportReply {
    let network = try await network()
    var (last, hasMore) = (after, true)
    while hasMore {
      try Task.checkCancellation()
      let page = try await context.posts.posts(
        PostQuestion(channel: channel, withDeleted: true, place: .after(last), limit: Self.postsMax))
      let unreadable = page.unreadable.map { ExportedPost(id: $0.rawValue, deletion: false, omission: .unreadable) }
      let readable = page.posts.compactMap { ExportedPost($0.row, on: network, context.coordinator) }
      try await send((readable + unreadable).sorted { $0.id < $1.id })
      // Where nothing was read, nothing is left.
      guard let end = (page.posts.map(\.row.id) + page.unreadable).max() else { break }
      (last, hasMore) = (end, page.hasNewer)
    }
    return PostsExportReply()
  }

  private func network() async throws -> NetworkKind {
    let channels = try await context.store.channels([channel])
    if let error = channels.unreadable[channel] { throw error }
    guard let found = channels.found[channel] else { throw PostsRefusal.noSuchChannel(id: channel.rawValue, name: nil) }
    return found.row.network
  }

  private func send(_ posts: [ExportedPost]) async throws {
    var batch = ReplyBatch()
    for post in posts { try await batch.append(parameters: PostsExportReply(post: post).jsonBytes, to: stream) }
    try await batch.send(to: stream)
  }
}

extension ExportedPost {
  fileprivate enum Reason: String {
    case unreadable, forgotten, unsigned
  }

  fileprivate init(id: Int64, deletion: Bool, document: String? = nil, omission: Reason?) {
    self.init(id: id, document: document, deletion: deletion, omission: omission?.rawValue)
  }

  /// - Returns: `nil` if the post is not part of an export.
  fileprivate init?(_ row: PostRow, on network: NetworkKind, _ coordinator: Coordinator) {
    guard let export = coordinator.export(row, on: network) else { return nil }
    let (id, isDeleted) = (row.id.rawValue, row.deletedAt != nil)
    switch export {
    case .signed(let text): self.init(id: id, deletion: isDeleted, document: text, omission: nil)
    case .forgotten: self.init(id: id, deletion: isDeleted, omission: .forgotten)
    case .unsigned: self.init(id: id, deletion: isDeleted, omission: .unsigned)
    }
  }
}
