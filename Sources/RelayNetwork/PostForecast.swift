public import Channels

/// A post at one relay, about which a network is asked what will happen.
public struct PostPlace: Hashable, Sendable {
  public var document: PostDocument
  public var publishedAt: Timestamp
  /// The relay's own list of its abilities (`PeerDescription.capabilities`), empty until it has sent one.
  public var capabilities: [String]

  public init(document: PostDocument, publishedAt: Timestamp, capabilities: [String]) {
    self.document = document
    self.publishedAt = publishedAt
    self.capabilities = capabilities
  }
}

/// The expected effect on a post at one relay if it is edited or deleted now.
public struct PostForecast: Hashable, Sendable {
  /// Whether an edit reaches the relay.
  public var canEdit: Bool
  /// Whether readers will presumably no longer find the post there after its deletion.
  public var canDelete: Bool
  /// The effect of an edit there, or why it is not possible, for people.
  public var editNote: String?
  /// The effect of a deletion there, or why it may not succeed, for people.
  public var deleteNote: String?
  /// The end of the time for which this holds, or `nil` where the network sets none.
  public var until: Timestamp?

  public init(
    canEdit: Bool, canDelete: Bool, editNote: String? = nil, deleteNote: String? = nil, until: Timestamp? = nil
  ) {
    self.canEdit = canEdit
    self.canDelete = canDelete
    self.editNote = editNote
    self.deleteNote = deleteNote
    self.until = until
  }
}

extension RelayNetwork {
  public func forecast(of place: PostPlace) -> PostForecast {
    PostForecast(
      canEdit: false, canDelete: false, editNote: "Baton does not edit posts on this network yet",
      deleteNote: "Baton does not delete posts on this network yet")
  }
}
