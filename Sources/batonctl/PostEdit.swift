internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences
internal import StrictJSON

struct PostEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Edit a post, in place on SimpleX or by a new post elsewhere",
    discussion: """
      SimpleX edits a post for 24 hours. Posts on Nostr never change: a new post is published, and the old one is deleted once readers \
      find the new one. The new post has an id, a date and a link of its own, and replies stay with the old one. Relays may \
      go on showing the old one, see batonctl post show --actions. What the post answers and quotes is taken over. Everything else has \
      to be given again: without --hashtag the new post has no hashtags. On SimpleX the file of a post stays as it is, and an edit has \
      to name the same one. A draft, or a post that is scheduled or expired, changes itself on all networks and keeps its time.
      Exit status: as for batonctl post publish.

      Example:
        batonctl post edit 7 "We open at ten."
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
  @Argument(help: "Text, or - for standard input.") var text: String?
  @Option(help: "Read the text from this file.", completion: .file()) var file: String?
  @OptionGroup var extras: PostExtras
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same edit.")
  var key: String?
  @Option(help: "Wait until all relays are settled, readers find the new post at any, or none.")
  var wait: ChannelCreate.Wait = .any

  func validate() throws {
    guard text == nil || file == nil else { throw ValidationError("TEXT and --file cannot be combined.") }
    guard text != nil || file != nil || extras.showsFiles else {
      throw ValidationError("Write the new text, - for standard input, or --file.")
    }
  }

  func run() async throws {
    // Whoever writes the text may take longer than the daemon.
    let text = Result { try PostText.whole(self.text, file: file) }
    try await global.connected(limit: wait == .none ? nil : TimeSpan(argument: "20min"), canInterrupt: wait != .none) {
      session in
      let text = try text.get()
      let parts = try await PostUploads(session: session).parts(of: extras, needsAll: key != nil) {
        let old = try await session.raw.post(id: post.id)
        return PostUploads.Destination(channel: old.channelId, network: old.network)
      }
      let request = PostsEditRequest(
        id: post.id, text: text, mentions: parts.mentions, contentWarning: extras.warning,
        hashtags: extras.hashtags, attachments: parts.attachments, idempotencyKey: key)
      if wait == .none {
        let new = try await session.client.editPost(request).post
        session.warn(of: new)
        if PostFollowing.isUnpublished(new) {
          return try session.show(new) { "Post \(new.id) is edited; it is not published yet." }
        }
        guard new.id != post.id else { return try session.show(new) { "Post \(new.id) is being edited." } }
        return try session.show(new) { "Post \(new.id) is being published in place of post \(post.id)." }
      }
      let replies = try await session.client.editPostAndFollow(request).map {
        PostsPublishReply(post: $0.post, isNew: $0.isNew)
      }
      try await PostFollowing(session: session, wait: wait).run(replies, beginning)
    }
  }

  private func beginning(_ reply: PostsPublishReply) -> String {
    let new = reply.post
    if PostFollowing.isUnpublished(new) { return "Post \(new.id) is edited; it is not published yet." }
    guard new.id != post.id else {
      return "Post \(new.id) is edited in place. Delivering to \(counted(new.relayCount, "relay"))."
    }
    guard reply.isNew else { return "Post \(new.id) took the place of post \(post.id) before with this key." }
    return
      "Post \(new.id) takes the place of post \(post.id), which is deleted once readers find it. "
      + "Delivering to \(counted(new.relayCount, "relay"))."
  }
}
