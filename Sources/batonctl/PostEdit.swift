internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences
internal import StrictJSON

struct PostEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Edit a post, in place on SimpleX or by a new post elsewhere",
    discussion: """
      On Nostr a new post with its own id, date and link is published, and the old one is deleted once readers find the \
      new one. Replies remain with the old post, and relays may still show it: see batonctl post show --actions. SimpleX \
      edits a post in place for 24 hours, and its file cannot change: name the same file again. Drafts, scheduled and \
      expired posts change in place on all networks, and keep their time. The edit copies what the post answers and \
      quotes. Give everything else again: without --hashtag the new post has no hashtags.
      Exit status: as for batonctl post publish.

      Example:
        batonctl post edit 7 "We open at ten."
      """)

  @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
  @Argument(help: "Text, or - for standard input.") var text: String?
  @Option(help: "Read the text from this file.", completion: .file()) var file: String?
  @OptionGroup var extras: PostExtras
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same edit.")
  var key: String?
  @Option(help: "When to return: all relays settled, readers find the new post at any relay, or none (do not wait).")
  var wait: ChannelCreate.Wait = .any
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard text == nil || file == nil else { throw ValidationError("TEXT and --file cannot be combined.") }
    guard text != nil || file != nil || extras.showsFiles else {
      throw ValidationError("Write the new text, - for standard input, or --file.")
    }
  }

  func run() async throws {
    // Writing the text may take longer than the daemon waits.
    let text = Result { try PostText.whole(self.text, file: file) }
    try await global.connected(limit: wait == .none ? nil : TimeSpan(argument: "20min"), canInterrupt: wait != .none) {
      session in
      let text = try text.get()
      let parts = try await PostUploads(session: session).parts(of: extras, needsAll: key != nil) {
        let old = try await session.raw.posts.get(id: post.id).post
        return PostUploads.Destination(channel: old.channelId, network: old.network)
      }
      let request = PostsEditRequest(
        id: post.id, text: text, mentions: parts.mentions, contentWarning: extras.warning,
        hashtags: extras.hashtags, attachments: parts.attachments, idempotencyKey: key)
      if wait == .none {
        let new = try await session.client.posts.edit(request).post
        session.warn(of: new)
        if PostFollowing.isUnpublished(new) {
          return try session.show(new) { "Post \(new.id) is edited, and not published yet." }
        }
        guard new.id != post.id else { return try session.show(new) { "Post \(new.id) is being edited." } }
        return try session.show(new) { "Post \(new.id) is being published to replace post \(post.id)." }
      }
      let replies = try await session.client.posts.editAndFollow(request).map {
        PostsPublishReply(post: $0.post, isNew: $0.isNew)
      }
      try await PostFollowing(session: session, wait: wait).run(replies, beginning)
    }
  }

  private func beginning(_ reply: PostsPublishReply) -> String {
    let new = reply.post
    if PostFollowing.isUnpublished(new) { return "Post \(new.id) is edited, and not published yet." }
    guard new.id != post.id else {
      return "Post \(new.id) is edited in place. Delivering to \(counted(new.relayCount, "relay"))."
    }
    guard reply.isNew else { return "Post \(new.id) already replaced post \(post.id) with this key." }
    return
      "Post \(new.id) replaces post \(post.id), which is deleted once readers find the new post. "
      + "Delivering to \(counted(new.relayCount, "relay"))."
  }
}
