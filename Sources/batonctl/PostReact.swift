internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences

struct PostReact: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "react", abstract: "React to a post as its channel",
    discussion: """
      A reaction is +, -, one emoji, or :shortcode: with --emoji-url. SimpleX accepts eight emoji, and + and - are its \
      thumbs. The reaction is a post: batonctl post list --reactions-to P lists the reactions to post P, and batonctl \
      post delete deletes one. The same reaction to the same post is made once. In a group, readers must have found the \
      post.
      Exit status: as for batonctl post publish.

      Example:
        batonctl post react 7 +
      """)

  @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
  @OptionGroup var options: ReactionOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let request = PostsReactRequest(
      id: post.id, reaction: options.reaction, emoji: options.emoji, idempotencyKey: options.key)
    try await PostRemark(global: global, wait: options.wait, kind: "a reaction to post").run(on: post) { client in
      try await client.posts.react(request).post
    } following: { client in
      try await client.posts.reactAndFollow(request).map { PostsPublishReply(post: $0.post, isNew: $0.isNew) }
    } beginning: {
      beginning($0)
    }
  }

  private func beginning(_ reply: PostsPublishReply) -> String {
    let new = reply.post
    guard reply.isNew else { return "Post \(new.id) is already this reaction to post \(post.id)." }
    return "Post \(new.id) is a reaction to post \(post.id). Delivering to \(counted(new.relayCount, "relay"))."
  }
}

struct PostPin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Pin a post for the readers of its group",
    discussion: """
      Only groups have pinned posts, and readers must have found the post. The pin is a post, and batonctl post unpin \
      removes it. Posts that other admins pinned remain pinned.
      Exit status: as for batonctl post publish.

      Example:
        batonctl post pin 7
      """)
  @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
  @Option(help: "When to return: all relays settled, readers find the pin at any relay, or none (do not wait).")
  var wait: ChannelCreate.Wait = .any
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await PostRemark(global: global, wait: wait, kind: "the pin of post").run(on: post) { client in
      try await client.posts.pin(id: post.id).post
    } following: { client in
      try await client.posts.pinAndFollow(id: post.id).map { PostsPublishReply(post: $0.post, isNew: $0.isNew) }
    } beginning: {
      beginning($0)
    }
  }

  private func beginning(_ reply: PostsPublishReply) -> String {
    let pin = reply.post
    guard reply.isNew else { return "Post \(post.id) is already pinned, by post \(pin.id)." }
    return "Post \(pin.id) pins post \(post.id). Delivering to \(counted(pin.relayCount, "relay"))."
  }
}

struct PostUnpin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpin", abstract: "Unpin a post",
    discussion: """
      Example:
        batonctl post unpin 7
      """)
  @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      let pin = try await session.raw.posts.unpin(id: post.id)
      try session.show(pin) {
        "Unpinning post \(post.id). See batonctl post show \(pin.id)."
      }
    }
  }
}

/// Publishes a post about another one, or about a message: an answer, a reaction or a pin.
struct PostRemark {
  let global: GlobalOptions
  let wait: ChannelCreate.Wait
  /// The relation of the new post to the other one, in words before its number.
  let kind: String

  /// - Parameters:
  ///   - publish: publishes it and returns the new post.
  ///   - following: publishes it and sends the new post after every change.
  ///   - beginning: the sentence about the first of these.
  func run(
    on target: ObjectID, publish: (BatonClient) async throws -> Post,
    following: (BatonClient) async throws -> any AsyncSequence<PostsPublishReply, any Error>,
    beginning: (PostsPublishReply) -> String
  ) async throws {
    try await global.connected(limit: wait == .none ? nil : TimeSpan(argument: "20min"), canInterrupt: wait != .none) {
      session in
      if wait == .none {
        let new = try await publish(session.client)
        return try session.show(new) { "Post \(new.id) is being published as \(kind) \(target.id)." }
      }
      try await PostFollowing(session: session, wait: wait).run(try await following(session.client), beginning)
    }
  }
}
