internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

struct PostWatch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Print posts as they change",
    discussion: """
      Baton merges changes of a post that follow each other closely.

      Example:
        batonctl post watch News
      """)
  @Argument(help: "Only posts of these channels, by id or name.", completion: .names(of: .channel)) var channel: [String] = []
  @Option(help: "Begin with the changes after this revision of posts.") var since: Int64?
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      var request = PostsWatchRequest(since: since)
      for name in channel { request.channelIds = (request.channelIds ?? []) + [try await session.channel(name).id] }
      session.ending.followed = .stream
      Output.endWithReader()
      var hasBegun = since != nil
      for try await change in try await session.raw.posts.watch(request) {
        guard let post = change.post else {
          // The first reply only contains the revision after which changes follow.
          if !hasBegun { try session.showNext(change) { "\(change.revision)  begin" } }
          hasBegun = true
          continue
        }
        let shown = try ShownPost(post)
        try session.showNext(change) { Self.line(shown, session.terminal) }
      }
    }
  }

  /// One line about a post after a change.
  static func line(_ shown: ShownPost, _ terminal: Terminal) -> String {
    let post = shown.post
    let place = "post \(post.id) in '\(post.channelName)'"
    let count = "\(post.shownCount)/\(post.relayCount) relays"
    return
      "\(post.revision)  \(terminal.dot(post.phase)) \(place)  \(post.phase), \(count)  \(shown.markedLine.cut(to: textWidth))"
  }

  /// How many columns of the text a line has.
  private static let textWidth = 60
}
