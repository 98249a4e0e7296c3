internal import ControlAPI
internal import StrictJSON

/// Follows a post on its way to its relays.
struct PostFollowing {
  let session: Session
  let wait: ChannelCreate.Wait

  /// Shows the post after every change until it has reached the state that `--wait` requests.
  /// - Parameter beginning: the sentence about the first reply.
  /// - Returns: the post in that state.
  func follow(
    _ replies: some AsyncSequence<PostsPublishReply, any Error>, _ beginning: (PostsPublishReply) -> String
  ) async throws -> Post {
    // The output is not redrawn until the next change, so a relative time would become wrong.
    let view = PostView(terminal: session.terminal, times: Times(isExact: true))
    var canvas = Canvas(session.terminal)
    var latest: Post?
    for try await reply in replies {
      let post = reply.post
      if latest == nil { try session.say(beginning(reply)) }
      latest = post
      session.ending.followed = .post(post)
      if !session.options.json, !session.options.quiet {
        session.ending.willWrite(isResult: false)
        try canvas.draw(view.progress(post, in: session.terminal.size))
      }
      if wait == .any, post.shownCount > 0 { break }
    }
    guard let latest else { throw Refusal(text: "the daemon stopped before the post was published", status: 69) }
    return latest
  }

  /// Follows the post, and shows the outcome.
  func run(
    _ replies: some AsyncSequence<PostsPublishReply, any Error>, _ beginning: (PostsPublishReply) -> String
  ) async throws {
    try finish(try await follow(replies, beginning))
  }

  /// Shows the outcome of the post.
  /// - Throws: a refusal if `--wait` requests another outcome.
  func finish(_ post: Post) throws {
    let view = PostView(terminal: session.terminal, times: session.times)
    let json: [String: JSONValue] = ["post": try post.json]
    let isShown = post.shownCount > 0
    if Self.isUnpublished(post) { return try session.show(post) { PostPublish.stored(post) } }
    if wait == .all || !isShown, PostView.members(post).contains(where: PostView.isOpen) {
      throw Refusal(text: "the daemon stopped reporting. See batonctl post show \(post.id)", status: 75, parameters: json)
    }
    guard isShown else {
      if let shortfall = view.shortfall(post) { try session.say(shortfall) }
      throw Refusal(
        text: "no relay shows post \(post.id). See batonctl post show \(post.id), then batonctl post retry \(post.id)",
        parameters: json)
    }
    session.warn(of: post)
    try session.show(post) {
      if session.options.quiet { return post.link ?? "id:\(post.id)" }
      return ([view.shortfall(post) ?? post.summary, post.link].compactMap { $0 }).joined(separator: "\n")
    }
  }

  /// Whether no relay was supposed to have the post yet.
  static func isUnpublished(_ post: Post) -> Bool { ["draft", "scheduled", "expired"].contains(post.phase) }
}
