internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

struct PostCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "post", abstract: "Publish and manage posts",
    discussion: """
      Posts are named by their ids, as 7 or id:7.

      Example:
        batonctl post News "We open at nine."          publishes a post in the channel News
        batonctl post list News                        lists the posts of the channel
        batonctl post publish list "We open at nine."  publishes in a channel that is named like a subcommand
      """,
    subcommands: [
      PostPublish.self, PostEdit.self, PostList.self, Show.self, PostHistory.self, Delete.self, Retry.self, Release.self,
      Cancel.self,
      PostWatch.self, PostImport.self, PostExport.self, PostReact.self, PostPin.self, PostUnpin.self,
      PostRetentionCommand.self,
    ], defaultSubcommand: PostPublish.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a post and its relays",
      discussion: """
        Example:
          batonctl post show 7
        """, aliases: ["get"])
    @OptionGroup var show: ShowOptions
    @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
    @Flag(help: "Also show the effect that an edit or deletion would have on each relay now.") var actions = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected(show) { session in
        let reactions = try await session.reactions(to: post.id)
        guard actions else { return try session.show(try await session.raw.posts.get(id: post.id).post, reactions) }
        let found = try await session.raw.posts.get(id: post.id)
        let shown = try ShownPost(found.post)
        let view = PostView(terminal: session.terminal, times: session.times)
        try session.show(found) {
          ([view.details(shown, reactions), ""] + view.actions(found.actions, of: shown)).joined(separator: "\n")
        }
      }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a post on all of its relays",
      discussion: """
        Baton asks the relays to delete the post. Relays that do not have it yet never get it, but readers may keep \
        copies. A deleted post cannot be restored. On a terminal the command names relays that may keep the post, and \
        asks for confirmation.

        Example:
          batonctl post delete 7
        """, aliases: ["rm"])
    @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
    @Option(help: "Reason, shown to readers.") var reason: String?
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let forecast = try await session.raw.posts.get(id: post.id)
        let found = try ShownPost(forecast.post)
        if !yes, session.terminal.isInteractive {
          let view = PostView(terminal: session.terminal, times: session.times)
          for line in view.keepers(forecast.actions, of: found) { try session.say(line) }
        }
        let words = found.line.cut(to: Self.wordsMax)
        try session.confirm(
          "Delete post \(found.post.id) in '\(found.post.channelName)' for all readers: \(words)?", isDefault: false,
          yes: yes || !session.terminal.isInteractive)
        try session.show(try await session.raw.posts.delete(id: post.id, reason: reason))
      }
    }

    /// How many columns of the text a question repeats.
    private static let wordsMax = 40
  }

  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Retry a post on relays that failed",
      discussion: """
        A post that expired before it was published is published now.

        Example:
          batonctl post retry 7 relay-2
        """)
    @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
    @Argument(help: "Relay, by id or name. Default: all relays.", completion: .names(of: .relay)) var relay: String?
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        var relayID: Int64?
        if let relay { relayID = try await session.relay(relay).id }
        try session.show(try await session.raw.posts.retry(id: post.id, relayId: relayID))
      }
    }
  }

  struct Release: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Publish a draft or scheduled post, now or at a time",
      discussion: """
        A scheduled post gets the new time, or is published now. An expired post is published too. The command does not \
        wait for relays: see batonctl post show.

        Example:
          batonctl post release 7 --at +2h
        """)
    @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
    @Option(help: ArgumentHelp("Publish the post at this time.", valueName: "time"), transform: Moment.of) var at: Moment?
    @Option(help: "Span after --at in which it is still published, such as 15min or 6h. Default: 1h.")
    var tolerance: TimeSpan?
    @OptionGroup var global: GlobalOptions

    func validate() throws {
      guard at != nil || tolerance == nil else { throw ValidationError("--tolerance needs --at.") }
    }

    func run() async throws {
      try await global.connected { session in
        let request = PostsReleaseRequest(
          id: post.id, at: at?.text, tolerance: tolerance.map { Int($0.duration.components.seconds) })
        let released = try await session.raw.posts.release(request)
        try session.show(released) { at == nil ? "Post \(released.id) is being published." : PostPublish.stored(released) }
      }
    }
  }

  struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Cancel a post on relays that cannot have it yet",
      discussion: """
        Relays that have the post, or may have it, keep it: use batonctl post delete. A cancelled scheduled post is not \
        published.

        Example:
          batonctl post cancel 7
        """)
    @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in try session.show(try await session.raw.posts.cancel(id: post.id)) }
    }
  }
}

extension Session {
  /// Shows a post with all of its relays.
  /// - Parameters:
  ///   - raw: the post as the daemon sent it.
  ///   - reactions: to the post, for people.
  func show(_ raw: Post, _ reactions: String? = nil) throws {
    let shown = try ShownPost(raw)
    try show(raw) { PostView(terminal: terminal, times: times).details(shown, reactions) }
  }

  /// The channel's reactions to a post and whether it has pinned it, oldest first and safe for a terminal. `nil` without reactions, or if a
  /// program reads the output.
  func reactions(to post: Int64) async throws -> String? {
    guard isForPeople else { return nil }
    let page = try await raw.posts.list(PostsListRequest(limit: 100, reactionTo: Int(post)))
    guard !page.posts.isEmpty else { return nil }
    return
      ((page.hasOlder ? [Marks.current.ellipsis] : [])
      + page.posts.reversed().map { $0.pinned == nil ? $0.text.shown : "(pinned)" })
      .joined(separator: " ")
  }
}
