// Written by `make generate` from org.batond.Posts.varlink.

public import ControlAPI

extension BatonClient {
  /// The calls of `org.batond.Posts`.
  public var posts: PostsClient { PostsClient(client: self) }
}

/// Calls the methods of `org.batond.Posts`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `PostsRefusal` turns into a case with fields.
public struct PostsClient: Sendable {
  let client: BatonClient

  /// Publishes a post on all relays of its channel. Returns once the post is durable. With 'more' it sends the post after every change
  /// until no relay is under way. A slow client gets the post in its state at the time of sending. With 'at' it is published at that time,
  /// and refused now if it could not be published now.
  public func publish(_ request: PostsPublishRequest) async throws -> PostsPublishReply {
    try await client.reply(to: PostsMethod.publish, request)
  }

  /// Publishes a post on all relays of its channel. Returns once the post is durable. With 'more' it sends the post after every change
  /// until no relay is under way. A slow client gets the post in its state at the time of sending. With 'at' it is published at that time,
  /// and refused now if it could not be published now.
  public func publishAndFollow(_ request: PostsPublishRequest) async throws -> some AsyncSequence<PostsPublishReply, any Error>
    & Sendable
  {
    try await client.replies(to: PostsMethod.publish, request, of: PostsPublishReply.self)
  }

  /// Publishes a draft or another unpublished post now, or at another time. Published posts are refused.
  public func release(_ request: PostsReleaseRequest) async throws -> Post {
    let reply: PostReply = try await client.reply(to: PostsMethod.release, request)
    return reply.post
  }

  /// Publishes a draft or another unpublished post now, or at another time. Published posts are refused.
  public func release(id: Int64, at: String? = nil, tolerance: Int? = nil) async throws -> Post {
    try await release(PostsReleaseRequest(id: id, at: at, tolerance: tolerance))
  }

  /// Edits a post. On SimpleX the post itself changes, within 24 hours, and keeps its identifier. On Nostr a new post with its own
  /// identifier, date and link replaces the old one, and replies remain with the old one. The old post is deleted once readers find the new
  /// one on a relay, and kept if no relay accepts the new one. Give all fields again. The posts that it answers and quotes remain. Returns
  /// and sends the post, or the new one, as Publish does. On all networks an unpublished post changes itself and keeps its time.
  public func edit(_ request: PostsEditRequest) async throws -> PostsEditReply {
    try await client.reply(to: PostsMethod.edit, request)
  }

  /// Edits a post. On SimpleX the post itself changes, within 24 hours, and keeps its identifier. On Nostr a new post with its own
  /// identifier, date and link replaces the old one, and replies remain with the old one. The old post is deleted once readers find the new
  /// one on a relay, and kept if no relay accepts the new one. Give all fields again. The posts that it answers and quotes remain. Returns
  /// and sends the post, or the new one, as Publish does. On all networks an unpublished post changes itself and keeps its time.
  public func editAndFollow(_ request: PostsEditRequest) async throws -> some AsyncSequence<PostsEditReply, any Error>
    & Sendable
  {
    try await client.replies(to: PostsMethod.edit, request, of: PostsEditReply.self)
  }

  /// Returns one post, and forecasts of an edit or a deletion.
  public func get(_ request: PostsGetRequest) async throws -> PostsGetReply {
    try await client.reply(to: PostsMethod.get, request)
  }

  /// Returns one post, and forecasts of an edit or a deletion.
  public func get(id: Int64) async throws -> PostsGetReply {
    try await get(PostsGetRequest(id: id))
  }

  /// Returns a page of posts, highest identifier first.
  public func list(_ request: PostsListRequest = PostsListRequest()) async throws -> PostsListReply {
    try await client.reply(to: PostsMethod.list, request)
  }

  /// Sends every post that changes after a revision, without end, in the order of the latest changes. Changes of one post in quick
  /// succession are combined. A slow client gets each post in its state at the time of sending, and misses none. Without since, the first
  /// reply has the current revision and no post.
  public func watch(_ request: PostsWatchRequest) async throws -> some AsyncSequence<PostsWatchReply, any Error> & Sendable {
    try await client.replies(to: PostsMethod.watch, request, of: PostsWatchReply.self)
  }

  /// Sends every post that changes after a revision, without end, in the order of the latest changes. Changes of one post in quick
  /// succession are combined. A slow client gets each post in its state at the time of sending, and misses none. Without since, the first
  /// reply has the current revision and no post.
  public func watch(channelIds: [Int64]? = nil, since: Int64? = nil) async throws -> some AsyncSequence<
    PostsWatchReply, any Error
  > & Sendable {
    try await watch(PostsWatchRequest(channelIds: channelIds, since: since))
  }

  /// Returns the history of a post, oldest line first.
  public func transitions(_ request: PostsTransitionsRequest) async throws -> [PostTransition] {
    let reply: PostsTransitionsReply = try await client.reply(to: PostsMethod.transitions, request)
    return reply.transitions
  }

  /// Returns the history of a post, oldest line first.
  public func transitions(id: Int64, limit: Int? = nil) async throws -> [PostTransition] {
    try await transitions(PostsTransitionsRequest(id: id, limit: limit))
  }

  /// Deletes a post on all of its relays. Relays that do not have it yet never get it. Scheduled posts are never published. Baton keeps the
  /// post as deleted. Readers may keep copies.
  public func delete(_ request: PostsDeleteRequest) async throws -> Post {
    let reply: PostReply = try await client.reply(to: PostsMethod.delete, request)
    return reply.post
  }

  /// Deletes a post on all of its relays. Relays that do not have it yet never get it. Scheduled posts are never published. Baton keeps the
  /// post as deleted. Readers may keep copies.
  public func delete(id: Int64, reason: String? = nil) async throws -> Post {
    try await delete(PostsDeleteRequest(id: id, reason: reason))
  }

  /// Retries a post on one relay that does not have it as it should, or on all such relays. An expired post is published now.
  public func retry(_ request: PostsRetryRequest) async throws -> Post {
    let reply: PostReply = try await client.reply(to: PostsMethod.retry, request)
    return reply.post
  }

  /// Retries a post on one relay that does not have it as it should, or on all such relays. An expired post is published now.
  public func retry(id: Int64, relayId: Int64? = nil) async throws -> Post {
    try await retry(PostsRetryRequest(id: id, relayId: relayId))
  }

  /// Cancels a post on relays that cannot have it yet. Other relays keep it. A scheduled post expires.
  public func cancel(_ request: PostsCancelRequest) async throws -> Post {
    let reply: PostReply = try await client.reply(to: PostsMethod.cancel, request)
    return reply.post
  }

  /// Cancels a post on relays that cannot have it yet. Other relays keep it. A scheduled post expires.
  public func cancel(id: Int64) async throws -> Post {
    try await cancel(PostsCancelRequest(id: id))
  }

  /// Publishes a channel's reaction to its own post, or to another person's message. A reaction is a post with reactionTo or about, and is
  /// delivered, retried, cancelled and deleted like other posts. It cannot be edited, answered, quoted or reacted to. A repeated reaction
  /// returns the existing one, unless that was deleted. Returns and sends it as Publish does.
  public func react(_ request: PostsReactRequest) async throws -> PostsReactReply {
    try await client.reply(to: PostsMethod.react, request)
  }

  /// Publishes a channel's reaction to its own post, or to another person's message. A reaction is a post with reactionTo or about, and is
  /// delivered, retried, cancelled and deleted like other posts. It cannot be edited, answered, quoted or reacted to. A repeated reaction
  /// returns the existing one, unless that was deleted. Returns and sends it as Publish does.
  public func reactAndFollow(_ request: PostsReactRequest) async throws -> some AsyncSequence<PostsReactReply, any Error>
    & Sendable
  {
    try await client.replies(to: PostsMethod.react, request, of: PostsReactReply.self)
  }

  /// Removes another person's message for all readers, in groups on Nostr and channels on SimpleX that Baton runs. In channels on Nostr it
  /// is refused with NotSupported: hide the message in Baton with org.batond.Messages.SetHidden. The removal is a post with about and the
  /// phases of a deletion: 'deleted' once readers no longer find the message. It can be retried. Returns and sends it as Publish does.
  public func remove(_ request: PostsRemoveRequest) async throws -> PostsRemoveReply {
    try await client.reply(to: PostsMethod.remove, request)
  }

  /// Removes another person's message for all readers, in groups on Nostr and channels on SimpleX that Baton runs. In channels on Nostr it
  /// is refused with NotSupported: hide the message in Baton with org.batond.Messages.SetHidden. The removal is a post with about and the
  /// phases of a deletion: 'deleted' once readers no longer find the message. It can be retried. Returns and sends it as Publish does.
  public func remove(messageId: Int64, reason: String? = nil) async throws -> PostsRemoveReply {
    try await remove(PostsRemoveRequest(messageId: messageId, reason: reason))
  }

  /// Removes another person's message for all readers, in groups on Nostr and channels on SimpleX that Baton runs. In channels on Nostr it
  /// is refused with NotSupported: hide the message in Baton with org.batond.Messages.SetHidden. The removal is a post with about and the
  /// phases of a deletion: 'deleted' once readers no longer find the message. It can be retried. Returns and sends it as Publish does.
  public func removeAndFollow(_ request: PostsRemoveRequest) async throws -> some AsyncSequence<PostsRemoveReply, any Error>
    & Sendable
  {
    try await client.replies(to: PostsMethod.remove, request, of: PostsRemoveReply.self)
  }

  /// Removes another person's message for all readers, in groups on Nostr and channels on SimpleX that Baton runs. In channels on Nostr it
  /// is refused with NotSupported: hide the message in Baton with org.batond.Messages.SetHidden. The removal is a post with about and the
  /// phases of a deletion: 'deleted' once readers no longer find the message. It can be retried. Returns and sends it as Publish does.
  public func removeAndFollow(messageId: Int64, reason: String? = nil) async throws -> some AsyncSequence<
    PostsRemoveReply, any Error
  > & Sendable {
    try await removeAndFollow(PostsRemoveRequest(messageId: messageId, reason: reason))
  }

  /// Reports another person's message to the operators of its channel's relays, who decide what to do, and to readers who look at reports.
  /// Refused with NotSupported on SimpleX. The report is a public post, signed by the channel, with about and a text that begins with the
  /// category. Returns and sends it as Publish does.
  public func report(_ request: PostsReportRequest) async throws -> PostsReportReply {
    try await client.reply(to: PostsMethod.report, request)
  }

  /// Reports another person's message to the operators of its channel's relays, who decide what to do, and to readers who look at reports.
  /// Refused with NotSupported on SimpleX. The report is a public post, signed by the channel, with about and a text that begins with the
  /// category. Returns and sends it as Publish does.
  public func reportAndFollow(_ request: PostsReportRequest) async throws -> some AsyncSequence<PostsReportReply, any Error>
    & Sendable
  {
    try await client.replies(to: PostsMethod.report, request, of: PostsReportReply.self)
  }

  /// Adds a post to the pinned posts of its group. Refused with NotSupported in channels. The pin is a post with reactionTo and the text
  /// 'pin', and is delivered, retried and cancelled like reactions. Deleting it unpins the post. Returns and sends it as Publish does.
  public func pin(_ request: PostsPinRequest) async throws -> PostsPinReply {
    try await client.reply(to: PostsMethod.pin, request)
  }

  /// Adds a post to the pinned posts of its group. Refused with NotSupported in channels. The pin is a post with reactionTo and the text
  /// 'pin', and is delivered, retried and cancelled like reactions. Deleting it unpins the post. Returns and sends it as Publish does.
  public func pin(id: Int64) async throws -> PostsPinReply {
    try await pin(PostsPinRequest(id: id))
  }

  /// Adds a post to the pinned posts of its group. Refused with NotSupported in channels. The pin is a post with reactionTo and the text
  /// 'pin', and is delivered, retried and cancelled like reactions. Deleting it unpins the post. Returns and sends it as Publish does.
  public func pinAndFollow(_ request: PostsPinRequest) async throws -> some AsyncSequence<PostsPinReply, any Error> & Sendable {
    try await client.replies(to: PostsMethod.pin, request, of: PostsPinReply.self)
  }

  /// Adds a post to the pinned posts of its group. Refused with NotSupported in channels. The pin is a post with reactionTo and the text
  /// 'pin', and is delivered, retried and cancelled like reactions. Deleting it unpins the post. Returns and sends it as Publish does.
  public func pinAndFollow(id: Int64) async throws -> some AsyncSequence<PostsPinReply, any Error> & Sendable {
    try await pinAndFollow(PostsPinRequest(id: id))
  }

  /// Unpins a post.
  public func unpin(_ request: PostsUnpinRequest) async throws -> Post {
    let reply: PostReply = try await client.reply(to: PostsMethod.unpin, request)
    return reply.post
  }

  /// Unpins a post.
  public func unpin(id: Int64) async throws -> Post {
    try await unpin(PostsUnpinRequest(id: id))
  }

  /// Sends the published posts of a channel as they were signed, lowest identifier first, for programs of the network to read and verify.
  /// Each post is sent in its state at that time, and a slow client misses none. Reactions are left out.
  public func export(_ request: PostsExportRequest) async throws -> some AsyncSequence<ExportedPost?, any Error> & Sendable {
    try await client.replies(to: PostsMethod.export, request, of: PostsExportReply.self).map { $0.post }
  }

  /// Sends the published posts of a channel as they were signed, lowest identifier first, for programs of the network to read and verify.
  /// Each post is sent in its state at that time, and a slow client misses none. Reactions are left out.
  public func export(channelId: Int64, after: Int? = nil) async throws -> some AsyncSequence<ExportedPost?, any Error>
    & Sendable
  {
    try await export(PostsExportRequest(channelId: channelId, after: after))
  }

  /// Publishes a post that was signed before, for example one of an export, with its original date. It must be signed for this channel with
  /// the channel's own key. It is delivered like any post, and relays that find it too old skip it. A request to delete a post that Baton
  /// has is also accepted, and deletes it.
  public func adopt(_ request: PostsAdoptRequest) async throws -> PostsAdoptReply {
    try await client.reply(to: PostsMethod.adopt, request)
  }

  /// Publishes a post that was signed before, for example one of an export, with its original date. It must be signed for this channel with
  /// the channel's own key. It is delivered like any post, and relays that find it too old skip it. A request to delete a post that Baton
  /// has is also accepted, and deletes it.
  public func adopt(channelId: Int64, document: String) async throws -> PostsAdoptReply {
    try await adopt(PostsAdoptRequest(channelId: channelId, document: document))
  }

  /// Sets for how long the posts of a channel are kept. Posts beyond a limit are soon forgotten for good: Baton deletes their text, but not
  /// their identifiers and statuses, and relays keep them. A post is forgotten once no relay is under way, and none failed recently.
  /// Without a limit, the default, posts are kept forever. Limits are refused with NotSupported where posts are never forgotten.
  public func setRetention(_ request: PostsSetRetentionRequest) async throws -> Retention {
    let reply: RetentionReply = try await client.reply(to: PostsMethod.setRetention, request)
    return reply.retention
  }

  /// Sets for how long the posts of a channel are kept. Posts beyond a limit are soon forgotten for good: Baton deletes their text, but not
  /// their identifiers and statuses, and relays keep them. A post is forgotten once no relay is under way, and none failed recently.
  /// Without a limit, the default, posts are kept forever. Limits are refused with NotSupported where posts are never forgotten.
  public func setRetention(channelId: Int64, keepDays: Int? = nil, keepCount: Int? = nil) async throws -> Retention {
    try await setRetention(PostsSetRetentionRequest(channelId: channelId, keepDays: keepDays, keepCount: keepCount))
  }

  /// Returns for how long the posts of a channel are kept.
  public func getRetention(_ request: PostsGetRetentionRequest) async throws -> Retention {
    let reply: RetentionReply = try await client.reply(to: PostsMethod.getRetention, request)
    return reply.retention
  }

  /// Returns for how long the posts of a channel are kept.
  public func getRetention(channelId: Int64) async throws -> Retention {
    try await getRetention(PostsGetRetentionRequest(channelId: channelId))
  }

  /// Authorizes a client to upload a file that a post of the channel will show. The client uploads it to each server (Blossom, BUD-02),
  /// reads it back, and adds it to the post's attachments. The daemon opens no files, contacts no servers, and asks no domain for the
  /// public key behind a name (NIP-05), see docs/posts-files.md. Refused with NotSupported on SimpleX, where the chat core uploads.
  public func authorizeUpload(_ request: PostsAuthorizeUploadRequest) async throws -> PostsAuthorizeUploadReply {
    try await client.reply(to: PostsMethod.authorizeUpload, request)
  }

  /// Authorizes a client to upload a file that a post of the channel will show. The client uploads it to each server (Blossom, BUD-02),
  /// reads it back, and adds it to the post's attachments. The daemon opens no files, contacts no servers, and asks no domain for the
  /// public key behind a name (NIP-05), see docs/posts-files.md. Refused with NotSupported on SimpleX, where the chat core uploads.
  public func authorizeUpload(channelId: Int64, sha256: String, sizeBytes: Int) async throws -> PostsAuthorizeUploadReply {
    try await authorizeUpload(PostsAuthorizeUploadRequest(channelId: channelId, sha256: sha256, sizeBytes: sizeBytes))
  }
}
