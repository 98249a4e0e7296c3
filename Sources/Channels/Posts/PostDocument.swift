/// A post, or a request to delete one, in the form that its network gave it. Where the network signs a post once, this is the signed form.
public struct PostDocument: Hashable, Sendable {
  /// The network's name for it (nostr: the id of its event), or empty while it has none there.
  public let networkID: String
  /// The public name of its author, in the network's notation.
  public let author: String
  /// The bytes that every relay gets. Where each attempt is signed again, the text that is signed.
  public let text: String

  public init(networkID: String, author: String, text: String) {
    self.networkID = networkID
    self.author = author
    self.text = text
  }

  /// The beginning of a name while it is not known whether the network has the post. Readers do not know such a name.
  public static let unsureMark = "after-"

  /// The name under which readers find the post, or `nil` while it has none.
  public var nameForReaders: String? { networkID.isEmpty || networkID.hasPrefix(Self.unsureMark) ? nil : networkID }
}
