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
  /// Publishes a post on all relays of its channel. Returns once the post is durable; with 'more' it sends the post after every change
  /// until no relay is under way. A client that reads slowly gets the post as it is at that time. With 'at' the post is stored and
  /// published when its time comes; it is refused now if it could not be published now.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func publish(
    _ request: PostsPublishRequest, _ stream: ReplyStream<PostsPublishReply>?
  ) async throws -> PostsPublishReply
  /// Publishes a draft, or another post that is not published yet, at another time or now. Posts that are published already are refused.
  func release(_ request: PostsReleaseRequest) async throws -> PostReply
  /// Edits a post. On SimpleX the post itself changes, within 24 hours, and keeps its identifier. Where posts never change, as on Nostr, a
  /// new post takes its place: with an identifier, a date and a link of its own, while replies stay with the old one. The old one is deleted
  /// once readers find the new one on a relay, and stays if no relay takes the new one. Everything has to be given again, except what the post
  /// answers and quotes, which stays. Returns and sends the post, or the new one, as Publish does. A post that is not published yet changes
  /// itself on all networks, and keeps its time.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func edit(
    _ request: PostsEditRequest, _ stream: ReplyStream<PostsEditReply>?
  ) async throws -> PostsEditReply
  /// One post, and what will happen on its relays if it is edited or deleted.
  func get(_ request: PostsGetRequest) async throws -> PostsGetReply
  /// A page of posts, highest identifier first.
  func list(_ request: PostsListRequest) async throws -> PostsListReply
  /// Sends every post that changes after a revision, without end, in the order of their latest changes. Changes of one post that follow
  /// each other closely come as one. A client that reads slowly gets each post as it is at that time; nothing is missed or refused.
  /// Without a revision it begins with a reply that carries the present one and no post.
  /// - Parameter stream: takes all replies but the last one.
  func watch(
    _ request: PostsWatchRequest, _ stream: ReplyStream<PostsWatchReply>
  ) async throws -> PostsWatchReply
  /// The history of a post, oldest line first.
  func transitions(_ request: PostsTransitionsRequest) async throws -> PostsTransitionsReply
  /// Deletes a post on all of its relays. What no relay has yet, such as a scheduled post, never leaves. It stays known as deleted. Readers
  /// may keep what they have received.
  func delete(_ request: PostsDeleteRequest) async throws -> PostReply
  /// Tries a post again on relays that do not have it as they should: on one, or on all. An expired post is published now.
  func retry(_ request: PostsRetryRequest) async throws -> PostReply
  /// Takes a post back from relays that cannot have it yet. On all others it stays. A scheduled post becomes expired.
  func cancel(_ request: PostsCancelRequest) async throws -> PostReply
  /// Lets a channel react to a post of its own, or to a message of others. A reaction is a post of its own, with reactionTo or about, and is
  /// delivered, retried, cancelled and deleted as others are; it cannot be edited, answered, quoted or reacted to. Saying the same twice gives
  /// the reaction that is there, unless that was deleted. Returns and sends the reaction as Publish does.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func react(
    _ request: PostsReactRequest, _ stream: ReplyStream<PostsReactReply>?
  ) async throws -> PostsReactReply
  /// Removes a message of others for all readers, as whoever runs the channel may in a group on Nostr and on SimpleX; in a channel on Nostr it is
  /// refused with NotSupported, and org.batond.Messages.SetHidden hides the message here. The removal is a post of its own, with about and the
  /// phases of one that is being deleted: 'deleted' once readers do not find the message any more. It can be retried. Returns and sends it as
  /// Publish does.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func remove(
    _ request: PostsRemoveRequest, _ stream: ReplyStream<PostsRemoveReply>?
  ) async throws -> PostsRemoveReply
  /// Reports a message of others to whoever runs the relays of its channel, and to readers who look at reports; on SimpleX it is refused with
  /// NotSupported. The report is public and signed by the channel. It is a post of its own, with about and a text that begins with the category.
  /// What relays make of it is up to them. Returns and sends it as Publish does.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func report(
    _ request: PostsReportRequest, _ stream: ReplyStream<PostsReportReply>?
  ) async throws -> PostsReportReply
  /// Puts a post among the pinned posts of its channel, which only groups have; elsewhere it is refused with NotSupported. The pin is a post of
  /// its own, with reactionTo and the text 'pin', and is delivered, retried and cancelled as reactions are; to delete it is to take it away.
  /// Returns and sends the pin as Publish does.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func pin(
    _ request: PostsPinRequest, _ stream: ReplyStream<PostsPinReply>?
  ) async throws -> PostsPinReply
  /// Takes the pin of a post away.
  func unpin(_ request: PostsUnpinRequest) async throws -> PostReply
  /// Sends the posts of a channel that were published, lowest identifier first, as they were signed, so that programs of the network can
  /// read and verify them. Each post is sent as it is when its turn comes; a client that reads slowly gets all of them. Reactions are left
  /// out.
  /// - Parameter stream: takes all replies but the last one.
  func export(
    _ request: PostsExportRequest, _ stream: ReplyStream<PostsExportReply>
  ) async throws -> PostsExportReply
  /// Publishes a post that was signed before, such as one of an export, with the date that it has. Only what the channel's own key signed
  /// for this channel is taken, and delivered like any post; relays that find it too old skip it. A request to delete a post that is known
  /// here is taken, too, and deletes it.
  func adopt(_ request: PostsAdoptRequest) async throws -> PostsAdoptReply
  /// Says for how long the posts of a channel are kept. What is beyond that is forgotten soon, for good: its text here, but not the post on
  /// relays, nor its identifiers and statuses. A post stays until no relay is under way, and no longer waits for one that failed recently.
  /// Without a limit, posts are kept forever, as they are by default. Where posts are never forgotten, a limit is refused with NotSupported.
  func setRetention(_ request: PostsSetRetentionRequest) async throws -> RetentionReply
  /// For how long the posts of a channel are kept.
  func getRetention(_ request: PostsGetRetentionRequest) async throws -> RetentionReply
  /// Lets a client upload a file that a post of the channel will show: the client puts it on each of the servers (Blossom, BUD-02), reads it
  /// back, and names it among the attachments of the post. The daemon opens no files and asks no servers, neither for this nor to find
  /// the public key of a name at a domain (NIP-05); see docs/posts.md. On SimpleX it is refused with NotSupported: the chat core uploads.
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
