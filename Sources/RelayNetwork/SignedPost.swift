public import Channels

/// A post or deletion that the author of a channel signed before, read from an export. Its network has verified it.
public enum SignedPost: Hashable, Sendable {
  /// A post of the channel.
  public struct Message: Hashable, Sendable {
    public let document: PostDocument
    public let text: String
    /// When it was signed, according to itself.
    public let date: Timestamp
    /// The network's name for the post that it answers.
    public let replyTo: String?
    /// The network's names for the posts that it quotes.
    public let quotes: [String]

    public init(document: PostDocument, text: String, date: Timestamp, replyTo: String? = nil, quotes: [String] = []) {
      self.document = document
      self.text = text
      self.date = date
      self.replyTo = replyTo
      self.quotes = quotes
    }
  }

  case post(Message)
  /// A request to delete the post that has this name, wherever that is.
  case deletion(PostDocument, of: String)
}

// Networks that sign nothing once and for all implement none of this.
extension RelayNetwork {
  public func signed(_ text: String, in content: ChannelContent) throws(PostFailure) -> SignedPost {
    throw .unsupported("posts on this network are not signed in a form that can be sent again. Import their texts instead")
  }

  public func signedText(of document: PostDocument) -> String? { nil }
}
