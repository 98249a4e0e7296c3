public import Channels

/// A reaction of a channel to one of its posts, before the network gives it a form.
public struct ReactionDraft: Hashable, Sendable {
  /// The post that the channel reacts to.
  public var target: PostReference
  /// The content: `+`, `-`, an emoji, or `:shortcode:`, which stands for a picture. A network may support fewer.
  public var text: String
  /// The address of the picture, by its shortcode. Empty for a reaction without picture.
  public var emoji: [String: String]

  public init(target: PostReference, text: String, emoji: [String: String] = [:]) {
    self.target = target
    self.text = text
    self.emoji = emoji
  }
}

// Networks that have no reactions, pinned posts, reports or removals implement none of this.
extension RelayNetwork {
  public func composeReaction(_ draft: ReactionDraft, in content: ChannelContent) throws(PostFailure) -> PostDocument {
    throw .unsupported("Baton does not react to posts on this network yet")
  }

  public func composeReport(
    _ report: Report, of message: PostReference, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument {
    throw .unsupported("Baton does not report messages on this network. Hide the message here")
  }

  public func composeRemoval(
    of message: PostReference, createdAt: Timestamp, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> (message: PostDocument, deletion: PostDocument) {
    throw .unsupported("Baton does not remove other people's messages on this network. Hide the message here")
  }

  public func reference(
    toMessage networkID: String, by author: String, textBytes: Int, in content: ChannelContent, at relays: [String]
  ) -> PostReference? { nil }

  public func author(from text: String) -> String? { nil }

  public func composePin(of target: PostReference, in content: ChannelContent) throws(PostFailure) -> PostDocument {
    throw .unsupported("its channels have no pinned posts")
  }
}
