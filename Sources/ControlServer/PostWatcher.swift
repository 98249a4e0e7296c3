internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import StrictJSON
internal import Varlink

/// One call of `org.batond.Posts.Watch`: sends its client the posts that change. It keeps the batch that is being written and otherwise
/// only its place among the revisions of posts: a client that reads slowly gets each post in its state at that time.
struct PostWatcher {
  /// The number of posts in one read: about as many as are sent in one go.
  private static let postsMax = 16

  private let channels: Set<ChannelID>?
  private let stream: ReplyStream<PostsWatchReply>
  private let context: ControlContext
  /// The revision up to which everything the client wants was sent.
  private var last: Int64

  init(
    _ request: PostsWatchRequest, after revision: Int64, _ stream: ReplyStream<PostsWatchReply>, _ context: ControlContext
  ) {
    channels = request.channelIds.map { Set($0.map(ChannelID.init(rawValue:))) }
    self.stream = stream
    self.context = context
    last = revision
  }

  /// Sends posts until none change.
  /// - Returns: the last reply.
  /// - Throws: the errors of reading the store.
  mutating func run() async throws -> PostsWatchReply {
    let hub = context.coordinator.postHub
    while true {
      // This comes first, so that the next read includes every change up to it.
      let known = hub.revision
      try await sendChanges()
      guard await hub.wait(after: max(last, known)) else { break }
      try Task.checkCancellation()
    }
    try Task.checkCancellation()
    return PostsWatchReply(revision: last)
  }

  /// Sends all posts that have changed since, page by page.
  private mutating func sendChanges() async throws {
    while true {
      let page = try await context.posts.changedPosts(after: last, channels: channels, limit: Self.postsMax)
      guard page.through > last else { return }
      try await send(try await context.snapshots(page.posts), through: page.through)
      last = page.through
    }
  }

  private func send(_ posts: [PostSnapshot], through end: Int64) async throws {
    var batch = ReplyBatch()
    var done = last
    for (index, post) in posts.enumerated() {
      let revision = post.row.revision
      // Of posts that changed in one commit, the last one completes the revision.
      if index + 1 == posts.count || posts[index + 1].row.revision > revision { done = revision }
      try await batch.append(parameters: PostsWatchReply(revision: done, post: Post(post)).jsonBytes, to: stream)
    }
    // A client that resumes from here does not read unwanted posts again.
    if end > done { try await batch.append(parameters: PostsWatchReply(revision: end).jsonBytes, to: stream) }
    try await batch.send(to: stream)
  }
}
