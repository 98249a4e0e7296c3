// Written by `make generate` from org.batond.Posts.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Posts`.
public enum PostsMethod: String, InterfaceMethod {
  case publish = "org.batond.Posts.Publish"
  case release = "org.batond.Posts.Release"
  case edit = "org.batond.Posts.Edit"
  case get = "org.batond.Posts.Get"
  case list = "org.batond.Posts.List"
  case watch = "org.batond.Posts.Watch"
  case transitions = "org.batond.Posts.Transitions"
  case delete = "org.batond.Posts.Delete"
  case retry = "org.batond.Posts.Retry"
  case cancel = "org.batond.Posts.Cancel"
  case react = "org.batond.Posts.React"
  case remove = "org.batond.Posts.Remove"
  case report = "org.batond.Posts.Report"
  case pin = "org.batond.Posts.Pin"
  case unpin = "org.batond.Posts.Unpin"
  case export = "org.batond.Posts.Export"
  case adopt = "org.batond.Posts.Adopt"
  case setRetention = "org.batond.Posts.SetRetention"
  case getRetention = "org.batond.Posts.GetRetention"
  case authorizeUpload = "org.batond.Posts.AuthorizeUpload"
}

/// What a server of `org.batond.Posts` does.
public protocol PostsService: InterfaceService where Method == PostsMethod, Refusal == PostsRefusal {
  /// Publishes a post on all relays of its channel. Returns once the post is durable. With 'more' it sends the post after every change
  /// until no relay is under way. A slow client gets the post in its state at the time of sending. With 'at' it is published at that time,
  /// and refused now if it could not be published now.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func publish(
    _ request: PostsPublishRequest, _ stream: ReplyStream<PostsPublishReply>?
  ) async throws -> PostsPublishReply
  /// Publishes a draft or another unpublished post now, or at another time. Published posts are refused.
  func release(_ request: PostsReleaseRequest) async throws -> PostReply
  /// Edits a post. On SimpleX the post itself changes, within 24 hours, and keeps its identifier. On Nostr a new post with its own
  /// identifier, date and link replaces the old one, and replies remain with the old one. The old post is deleted once readers find the new
  /// one on a relay, and kept if no relay accepts the new one. Give all fields again. The posts that it answers and quotes remain. Returns
  /// and sends the post, or the new one, as Publish does. On all networks an unpublished post changes itself and keeps its time.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func edit(
    _ request: PostsEditRequest, _ stream: ReplyStream<PostsEditReply>?
  ) async throws -> PostsEditReply
  /// Returns one post, and forecasts of an edit or a deletion.
  func get(_ request: PostsGetRequest) async throws -> PostsGetReply
  /// Returns a page of posts, highest identifier first.
  func list(_ request: PostsListRequest) async throws -> PostsListReply
  /// Sends every post that changes after a revision, without end, in the order of the latest changes. Changes of one post in quick
  /// succession are combined. A slow client gets each post in its state at the time of sending, and misses none. Without since, the first
  /// reply has the current revision and no post.
  /// - Parameter stream: takes all replies but the last one.
  func watch(
    _ request: PostsWatchRequest, _ stream: ReplyStream<PostsWatchReply>
  ) async throws -> PostsWatchReply
  /// Returns the history of a post, oldest line first.
  func transitions(_ request: PostsTransitionsRequest) async throws -> PostsTransitionsReply
  /// Deletes a post on all of its relays. Relays that do not have it yet never get it. Scheduled posts are never published. Baton keeps the
  /// post as deleted. Readers may keep copies.
  func delete(_ request: PostsDeleteRequest) async throws -> PostReply
  /// Retries a post on one relay that does not have it as it should, or on all such relays. An expired post is published now.
  func retry(_ request: PostsRetryRequest) async throws -> PostReply
  /// Cancels a post on relays that cannot have it yet. Other relays keep it. A scheduled post expires.
  func cancel(_ request: PostsCancelRequest) async throws -> PostReply
  /// Publishes a channel's reaction to its own post, or to another person's message. A reaction is a post with reactionTo or about, and is
  /// delivered, retried, cancelled and deleted like other posts. It cannot be edited, answered, quoted or reacted to. A repeated reaction
  /// returns the existing one, unless that was deleted. Returns and sends it as Publish does.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func react(
    _ request: PostsReactRequest, _ stream: ReplyStream<PostsReactReply>?
  ) async throws -> PostsReactReply
  /// Removes another person's message for all readers, in groups on Nostr and channels on SimpleX that Baton runs. In channels on Nostr it
  /// is refused with NotSupported: hide the message in Baton with org.batond.Messages.SetHidden. The removal is a post with about and the
  /// phases of a deletion: 'deleted' once readers no longer find the message. It can be retried. Returns and sends it as Publish does.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func remove(
    _ request: PostsRemoveRequest, _ stream: ReplyStream<PostsRemoveReply>?
  ) async throws -> PostsRemoveReply
  /// Reports another person's message to the operators of its channel's relays, who decide what to do, and to readers who look at reports.
  /// Refused with NotSupported on SimpleX. The report is a public post, signed by the channel, with about and a text that begins with the
  /// category. Returns and sends it as Publish does.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func report(
    _ request: PostsReportRequest, _ stream: ReplyStream<PostsReportReply>?
  ) async throws -> PostsReportReply
  /// Adds a post to the pinned posts of its group. Refused with NotSupported in channels. The pin is a post with reactionTo and the text
  /// 'pin', and is delivered, retried and cancelled like reactions. Deleting it unpins the post. Returns and sends it as Publish does.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func pin(
    _ request: PostsPinRequest, _ stream: ReplyStream<PostsPinReply>?
  ) async throws -> PostsPinReply
  /// Unpins a post.
  func unpin(_ request: PostsUnpinRequest) async throws -> PostReply
  /// Sends the published posts of a channel as they were signed, lowest identifier first, for programs of the network to read and verify.
  /// Each post is sent in its state at that time, and a slow client misses none. Reactions are left out.
  /// - Parameter stream: takes all replies but the last one.
  func export(
    _ request: PostsExportRequest, _ stream: ReplyStream<PostsExportReply>
  ) async throws -> PostsExportReply
  /// Publishes a post that was signed before, for example one of an export, with its original date. It must be signed for this channel with
  /// the channel's own key. It is delivered like any post, and relays that find it too old skip it. A request to delete a post that Baton
  /// has is also accepted, and deletes it.
  func adopt(_ request: PostsAdoptRequest) async throws -> PostsAdoptReply
  /// Sets for how long the posts of a channel are kept. Posts beyond a limit are soon forgotten for good: Baton deletes their text, but not
  /// their identifiers and statuses, and relays keep them. A post is forgotten once no relay is under way, and none failed recently.
  /// Without a limit, the default, posts are kept forever. Limits are refused with NotSupported where posts are never forgotten.
  func setRetention(_ request: PostsSetRetentionRequest) async throws -> RetentionReply
  /// Returns for how long the posts of a channel are kept.
  func getRetention(_ request: PostsGetRetentionRequest) async throws -> RetentionReply
  /// Authorizes a client to upload a file that a post of the channel will show. The client uploads it to each server (Blossom, BUD-02),
  /// reads it back, and adds it to the post's attachments. The daemon opens no files, contacts no servers, and asks no domain for the
  /// public key behind a name (NIP-05), see docs/posts-files.md. Refused with NotSupported on SimpleX, where the chat core uploads.
  func authorizeUpload(_ request: PostsAuthorizeUploadRequest) async throws -> PostsAuthorizeUploadReply
}

extension PostsService {
  public func answer(
    _ method: PostsMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .publish: return try await publish(call.request(), call.replies(to: stream))
    case .release: return try await release(call.request())
    case .edit: return try await edit(call.request(), call.replies(to: stream))
    case .get: return try await get(call.request())
    case .list: return try await list(call.request())
    case .watch: return try await watch(call.request(), ReplyStream(stream))
    case .transitions: return try await transitions(call.request())
    case .delete: return try await delete(call.request())
    case .retry: return try await retry(call.request())
    case .cancel: return try await cancel(call.request())
    case .react: return try await react(call.request(), call.replies(to: stream))
    case .remove: return try await remove(call.request(), call.replies(to: stream))
    case .report: return try await report(call.request(), call.replies(to: stream))
    case .pin: return try await pin(call.request(), call.replies(to: stream))
    case .unpin: return try await unpin(call.request())
    case .export: return try await export(call.request(), ReplyStream(stream))
    case .adopt: return try await adopt(call.request())
    case .setRetention: return try await setRetention(call.request())
    case .getRetention: return try await getRetention(call.request())
    case .authorizeUpload: return try await authorizeUpload(call.request())
    }
  }
}
