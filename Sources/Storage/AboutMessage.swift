/// A message of others, or someone, and what a post of ours does about it.
public struct AboutMessage: Hashable, Sendable {
  /// The words are stored.
  public enum Act: String, Hashable, Sendable, CaseIterable {
    /// The post answers it.
    case answer
    /// The post is a reaction to it; the text is the reaction.
    case reaction
    /// The post is the wish that the message be gone, and is deleted from the beginning.
    case removal
    /// The post reports it to relays and readers; the text is a `Report`.
    case report
    /// The post is the wish that someone belong to the channel, or not; the text is a `MembershipChange`, and both names are theirs.
    case membership

    /// Whether such a post is none by itself.
    public var isAside: Bool {
      switch self {
      case .answer: false
      case .reaction, .removal, .report, .membership: true
      }
    }
  }
  public var act: Act
  /// The network's name of the message.
  public var networkID: String
  /// Who wrote it, in the network's notation.
  public var author: String

  public init(act: Act, networkID: String, author: String) {
    self.act = act
    self.networkID = networkID
    self.author = author
  }
}
