internal import Channels
internal import ControlAPI
internal import Coordinator
internal import RelayNetwork
internal import Storage
internal import StrictJSON
internal import Varlink

// Posts about other people's messages.
extension PostsInterface {
  /// A request to publish with the message that the post answers.
  func answering(_ request: PostsPublishRequest, _ post: PostRequest) async throws -> PostRequest {
    guard let id = request.replyToMessage else { return post }
    guard request.replyTo == nil else { throw VarlinkError.invalidParameter("replyToMessage") }
    let found = try await named(Int64(id), of: "replyToMessage", request.idempotencyKey)
    guard let message = found.message else {
      var post = post
      (post.about, post.refusalIfNew) = (found.about, found.refusal)
      return post
    }
    guard message.row.channel == post.channel else {
      throw PostsRefusal.invalidPost(
        field: "replyToMessage", reason: "message \(id) is in another channel. Answer it in its own")
    }
    var post = post
    post.refusalIfNew = found.refusal
    switch try message.whose() {
    case .ours(let parent): post.replyTo = parent
    case .others(let networkID):
      post.about = AboutMessage(act: .answer, networkID: networkID, author: message.row.author)
      post.aboutPlace = message.place
    }
    return post
  }

  func react(_ request: PostsReactRequest) async throws -> (post: PostSnapshot, isNew: Bool) {
    let emoji = request.emoji.map { [$0.shortcode: $0.url] } ?? [:]
    func react(to post: PostID) async throws -> (post: PostSnapshot, isNew: Bool) {
      try await context.coordinator.react(
        to: post, with: request.reaction, emoji: emoji, idempotencyKey: request.idempotencyKey)
    }
    switch (request.id, request.messageId) {
    case (let id?, nil): return try await react(to: PostID(rawValue: id))
    case (nil, let id?):
      let found = try await named(id, of: "messageId", nil)
      guard let message = found.message else { throw found.refusal ?? BatonError.busy }
      switch try message.whose() {
      case .ours(let post): return try await react(to: post)
      case .others(let networkID):
        return try await context.coordinator.reactToMessage(
          networkID, by: message.row.author, at: message.place, in: message.row.channel, with: request.reaction,
          emoji: emoji, idempotencyKey: request.idempotencyKey, refusalIfNew: found.refusal)
      }
    case (nil, nil): throw VarlinkError.invalidParameter("id")
    case (_?, _?): throw VarlinkError.invalidParameter("messageId")
    }
  }

  func remove(_ request: PostsRemoveRequest, _ stream: ReplyStream<PostsRemoveReply>?) async throws -> PostsRemoveReply {
    let message = try await message(request.messageId, of: "messageId")
    let reason = request.withPlainTexts.reason ?? ""
    let first: PostSnapshot
    let isNew: Bool
    switch try message.whose() {
    case .ours(let post): (first, isNew) = (try await context.coordinator.deletePost(post, reason: reason), false)
    case .others(let networkID):
      first = try await context.coordinator.removeMessage(
        networkID, by: message.row.author, createdAt: message.row.createdAt, in: message.row.channel, reason: reason)
      isNew = true
      note(first, by: .remove)
    }
    return try await follow(first, stream) { PostsRemoveReply(post: $0, isNew: isNew) }
  }

  func report(_ request: PostsReportRequest, _ stream: ReplyStream<PostsReportReply>?) async throws -> PostsReportReply {
    guard let category = Report.Category(rawValue: request.category) else { throw VarlinkError.invalidParameter("category") }
    let found = try await named(request.messageId, of: "messageId", nil)
    guard let message = found.message else { throw found.refusal ?? BatonError.busy }
    guard case .others(let networkID) = try message.whose() else {
      throw PostsRefusal.invalidPost(
        field: "messageId", reason: "message \(request.messageId) is Baton's own post. Delete the post")
    }
    let (first, isNew) = try await context.coordinator.reportMessage(
      networkID, by: message.row.author, in: message.row.channel, category: category, words: request.withPlainTexts.text ?? "",
      idempotencyKey: request.idempotencyKey, refusalIfNew: found.refusal)
    if isNew { note(first, by: .report) }
    return try await follow(first, stream) { PostsReportReply(post: $0, isNew: isNew) }
  }

  /// A message that was not deleted.
  /// - Parameter field: of the request.
  private func message(_ id: Int64, of field: String) async throws -> StoredMessage {
    let found = try await named(id, of: field, nil)
    if let refusal = found.refusal { throw refusal }
    guard let message = found.message else { throw BatonError.busy }
    return message
  }

  /// The message that a request names.
  private struct Named {
    /// `nil` if Baton does not have it, or no longer.
    var message: StoredMessage?
    /// The message that an earlier request with the same key has named, if Baton no longer has it.
    var about: Storage.AboutMessage?
    /// Why no new post may be made about it, or `nil` if it may.
    var refusal: BatonError?
  }

  /// Finds a message. An earlier post about it under the same key is found even if the message is gone since.
  /// - Parameter field: of the request.
  private func named(_ id: Int64, of field: String, _ key: String?) async throws -> Named {
    func refusal(_ reason: String) -> BatonError { .post(.invalidPost(field: field, reason: reason)) }
    guard let message = try await context.messages?.message(MessageID(rawValue: id)) else {
      let refusal = refusal("there is no message \(id). See batonctl messages")
      guard let key, let about = try await context.coordinator.about(idempotencyKey: key) else { throw refusal }
      return Named(about: about, refusal: refusal)
    }
    let isDeleted = message.row.deletedAt != nil
    return Named(message: message, refusal: isDeleted ? refusal("message \(id) was deleted. Name another") : nil)
  }
}

extension StoredMessage {
  /// The author of a message, as far as posts are concerned.
  fileprivate enum Owner {
    case ours(PostID)
    /// - networkID: the network's name of the message.
    case others(networkID: String)
  }

  fileprivate func whose() throws(PostsRefusal) -> Owner {
    if let post = row.post { return .ours(post) }
    guard let networkID = row.networkID else {
      throw .invalidPost(field: "messageId", reason: "message \(row.id.rawValue) has no name on its network. Name another")
    }
    return .others(networkID: networkID)
  }

  fileprivate var place: MessagePlace {
    MessagePlace(relays: relays, textBytes: quotedBytes, createdAt: row.createdAt, participants: row.participants)
  }

  /// The size of the text that an answer quotes, or of the name of its file if it has no text.
  private var quotedBytes: Int {
    let quoted = row.text.isEmpty ? row.attachments.first?.url ?? "" : row.text
    return JSONValue.string(quoted).text.utf8.count
  }
}
