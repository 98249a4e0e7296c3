public import Channels

/// An action to perform for one post on one relay.
public struct DeliveryOperation: Hashable, Sendable {
  public enum Task: String, Hashable, Sendable {
    /// Hand the post over. Before it leaves, the network reports `handedOver` and waits for `release`.
    case publish
    /// Read the post back as a reader would.
    case verify
    /// Hand over the request to delete the post.
    case withdraw
  }
  public let task: Task
  public let post: PostID
  public let channel: ChannelID
  public let relay: RelayID
  public let address: String
  /// The number that comes back with the outcome.
  public let number: Int
  /// The channel, which determines the key that signs and the key that may authenticate.
  public let content: ChannelContent
  public let document: PostDocument
  /// The request to delete the post, or `nil` if no one requested that.
  public let deletion: PostDocument?

  public init(
    task: Task, post: PostID, channel: ChannelID, relay: RelayID, address: String, number: Int, content: ChannelContent,
    document: PostDocument, deletion: PostDocument? = nil
  ) {
    self.task = task
    self.post = post
    self.channel = channel
    self.relay = relay
    self.address = address
    self.number = number
    self.content = content
    self.document = document
    self.deletion = deletion
  }
}

/// The answer to `handedOver`: whether a post whose turn has come may leave. If it may, that is durable by now.
public struct DeliveryTurn: Hashable, Sendable {
  public let post: PostID
  public let relay: RelayID
  /// The number of the operation.
  public let number: Int
  /// Otherwise it must not be sent, and has no further outcome.
  public let mayLeave: Bool
  /// The post as stored now, if it was ever edited in place. An edit may have been stored since the operation was requested, and the post
  /// leaves in this form.
  public let document: PostDocument?

  public init(post: PostID, relay: RelayID, number: Int, mayLeave: Bool, document: PostDocument? = nil) {
    self.document = document
    self.post = post
    self.relay = relay
    self.number = number
    self.mayLeave = mayLeave
  }
}

/// The outcome of an operation for a post.
public enum DeliveryOutcome: Hashable, Sendable {
  /// Progress only: the turn of the post has come. It leaves after `release`, and another outcome follows.
  case handedOver
  /// The relay accepted the post, or has it already.
  case accepted
  /// A reader finds this edition of the post.
  case verified(edition: Int)
  case missing
  /// The relay accepted the deletion.
  case withdrawn
  /// The relay refused for good, or broke the protocol.
  case refused(Trouble)
  /// The relay cannot accept this post at all, or does not support the operation: `tooOld`, `tooLarge`, `notSupported`.
  case skipped(Trouble)
  /// It failed for a reason that may pass. With the causes `rateLimited` and `authRequired` the relay certainly did not accept the post.
  case troubled(Trouble, retryAfter: Duration?)
}

/// Why a network does not give a post its form.
public enum PostFailure: Error, Hashable, Sendable {
  /// The post must be changed.
  case refused(PostRefusal)
  /// The network does not offer that. The text is a sentence for people.
  case unsupported(String)
  /// The network is currently unable to do it. The text is a sentence for people.
  case unavailable(String)
}

// Networks that do not publish posts implement none of this.
extension RelayNetwork {
  public func compose(
    _ draft: PostDraft, in content: ChannelContent, at relays: [String]
  ) throws(PostFailure) -> PostDocument {
    throw .unsupported("Baton does not publish posts on this network yet")
  }

  public var editsInPlace: Bool { false }

  public func revise(_ post: PostDocument, publishedAt: Timestamp, as draft: PostDraft) throws(PostFailure) -> PostDocument {
    throw .unsupported("posts on this network never change")
  }

  public func composeDeletion(
    of post: PostDocument, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> PostDocument {
    throw .unsupported("Baton does not delete posts on this network yet")
  }

  public func reference(to post: PostDocument, at relays: [String]) -> PostReference? { nil }

  public func link(to post: PostDocument, at relays: [String]) -> String? { nil }

  public func notes(on post: PostDocument, publishedAt: Timestamp) -> [String] { [] }

  public func remnant(of post: PostDocument) -> String? { nil }

  public func whyNotForgotten(in content: ChannelContent) -> String? { "posts on this network are not forgotten yet" }

  public func deliver(_ operation: DeliveryOperation) {}

  public func release(_ turn: DeliveryTurn) {}
}
