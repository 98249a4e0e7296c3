/// A post, or a request to delete one, in the form that its network gave it. Where the network signs a post once, this is what was signed.
public struct PostDocument: Hashable, Sendable {
  /// The network's name for it (nostr: the id of its event); empty as long as it has none there.
  public let networkID: String
  /// The public name of its author, in the network's notation.
  public let author: String
  /// What every relay gets, byte for byte; or, where each attempt is signed again, what it is made of.
  public let text: String

  public init(networkID: String, author: String, text: String) {
    self.networkID = networkID
    self.author = author
    self.text = text
  }

  /// What a name begins with as long as it is not known whether the network has the post: then it is no name that readers know.
  public static let unsureMark = "after-"

  /// The name under which readers find the post; `nil` as long as it has none.
  public var nameForReaders: String? { networkID.isEmpty || networkID.hasPrefix(Self.unsureMark) ? nil : networkID }
}
