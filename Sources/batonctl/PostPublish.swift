internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Filters
internal import Sentences
internal import StrictJSON

struct PostPublish: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish", abstract: "Publish a post on all relays of its channel",
    discussion: """
      batonctl post CHANNEL TEXT is the same. Write -- before a text that begins with a dash. The text - is read from \
      standard input, without the line feed at its end. With --at the post is stored now and published at that time \
      ("2026-12-24 18:00", 2026-12-24T18:00:00Z, +30min, +2h or +3d), and the command does not wait. Files are uploaded \
      as they are, including the location of photos, before the post is published, even with --at. On SimpleX the chat \
      core of this machine reads the file later: keep it below the folder simplex.files until readers find the post. \
      File servers keep it for about 48 hours.
      Exit status: 0 readers find the post, 1 no relay shows it, 75 it did not reach the state of --wait within \
      --timeout, 20min by default. The daemon continues in any case: see batonctl post show.

      Example:
        batonctl post News "We open at nine." --at +2h
      """)

  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Argument(help: "Text, or - for standard input.") var text: String?
  @Option(help: "Read the text from this file.", completion: .file()) var file: String?
  @Option(name: .customLong("reply-to"), help: "Post of the channel that this one answers.", completion: .names(of: .post))
  var replyTo: ObjectID?
  @Option(
    name: .customLong("reply-to-message"), help: "Message of the channel that this one answers.",
    completion: .names(of: .message))
  var replyToMessage: ObjectID?
  @Option(help: "Post that this one quotes. May be repeated.", completion: .names(of: .post)) var quote: [ObjectID] = []
  @OptionGroup var extras: PostExtras
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same post.")
  var key: String?
  @Flag(help: "Store the post as a draft. batonctl post release publishes it.") var draft = false
  @Option(help: ArgumentHelp("Publish the post at this time.", valueName: "time"), transform: Moment.of) var at: Moment?
  @Option(help: "Span after --at in which it is still published, such as 15min or 6h. Default: 1h.") var tolerance: TimeSpan?
  @Option(help: "When to return: all relays settled, readers find it at any relay, or none (do not wait).") var wait:
    ChannelCreate.Wait = .any
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard !draft || at == nil else { throw ValidationError("--draft and --at cannot be combined.") }
    guard at != nil || tolerance == nil else { throw ValidationError("--tolerance needs --at.") }
    guard replyTo == nil || replyToMessage == nil else {
      throw ValidationError("--reply-to and --reply-to-message cannot be combined.")
    }
    guard text == nil || file == nil else { throw ValidationError("TEXT and --file cannot be combined.") }
    guard text != nil || file != nil || extras.showsFiles || !quote.isEmpty else {
      throw ValidationError("Write a text, - for standard input, or --file.\(Self.hint(channel))")
    }
  }

  /// The subcommand that was probably meant if the channel looks like a misspelled one.
  private static func hint(_ channel: String) -> String {
    let names = PostCommand.configuration.subcommands.map { $0._commandName }
    return Nearest.to(channel, among: names).map { " Did you mean 'batonctl post \($0)'?" } ?? ""
  }

  func run() async throws {
    // Writing the text may take longer than the daemon waits.
    let text = Result { try PostText.whole(self.text, file: file) }
    let waits = wait != .none && at == nil && !draft
    try await global.connected(limit: waits ? TimeSpan(argument: "20min") : nil, canInterrupt: waits) { session in
      let request = try await request(try text.get(), session)
      guard waits else {
        let post = try await session.client.posts.publish(request).post
        session.warn(of: post)
        return try session.show(post) { Self.stored(post) }
      }
      let replies = try await session.client.posts.publishAndFollow(request)
      try await PostFollowing(session: session, wait: wait).run(replies, Self.beginning)
    }
  }

  /// The sentence about a post if the command does not wait for relays.
  static func stored(_ post: Post) -> String {
    switch (post.phase, post.publishAt) {
    case ("draft", _): "Post \(post.id) is stored as a draft. See batonctl post release \(post.id)."
    case ("scheduled", let time?): "Post \(post.id) will be published at \(time)."
    case ("expired", _): "Post \(post.id) was not published: \(post.scheduleTrouble ?? "its time is over")"
    default: "Post \(post.id) is being published."
    }
  }

  private func request(_ text: String, _ session: Session) async throws -> PostsPublishRequest {
    let channel = try await session.channel(channel)
    let parts = try await PostUploads(session: session).parts(of: extras, needsAll: key != nil) {
      PostUploads.Destination(channel: channel.id, network: channel.network)
    }
    return PostsPublishRequest(
      channelId: channel.id, text: text, replyTo: replyTo.map { Int($0.id) },
      quotes: quote.isEmpty ? nil : quote.map { Int($0.id) }, mentions: parts.mentions,
      contentWarning: extras.warning, hashtags: extras.hashtags, attachments: parts.attachments, idempotencyKey: key,
      at: at?.text, tolerance: tolerance.map { Int($0.duration.components.seconds) },
      replyToMessage: replyToMessage.map { Int($0.id) }, draft: draft ? true : nil)
  }

  private static func beginning(_ reply: PostsPublishReply) -> String {
    let post = reply.post
    guard reply.isNew else { return "Post \(post.id) was already published with this key." }
    return "Post \(post.id) is stored. Delivering to \(counted(post.relayCount, "relay"))."
  }
}
