/// Someone else's message, or a person, and what a post of Baton does about it.
public struct AboutMessage: Hashable, Sendable {
  /// The raw values are stored.
  public enum Act: String, Hashable, Sendable, CaseIterable {
    /// The post answers it.
    case answer
    /// The post is a reaction to it, and its text is the reaction.
    case reaction
    /// The post asks that the message be removed. It is deleted from the beginning.
    case removal
    /// The post reports it to relays and readers. The text is a `Report`.
    case report
    /// The post asks that someone belong to the channel, or not. The text is a `MembershipChange`, and both names are that person's.
    case membership

    /// Whether a post with this act is not a separate post for readers.
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
  /// The author, in the network's notation.
  public var author: String

  public init(act: Act, networkID: String, author: String) {
    self.act = act
    self.networkID = networkID
    self.author = author
  }
}
