public import Channels

/// A post at one relay, about which a network is asked what will happen.
public struct PostPlace: Hashable, Sendable {
  public var document: PostDocument
  public var publishedAt: Timestamp
  /// What the relay says that it can do (`PeerDescription.capabilities`); empty as long as it has said nothing.
  public var capabilities: [String]

  public init(document: PostDocument, publishedAt: Timestamp, capabilities: [String]) {
    self.document = document
    self.publishedAt = publishedAt
    self.capabilities = capabilities
  }
}

/// What will happen to a post at one relay if it is edited or deleted now, as far as that can be foreseen.
public struct PostForecast: Hashable, Sendable {
  /// Whether an edit reaches the relay.
  public var canEdit: Bool
  /// Whether readers will presumably not find the post there any more after its deletion.
  public var canDelete: Bool
  /// What an edit means there, or why it is not possible, for people.
  public var editNote: String?
  /// What a deletion means there, or why it may not succeed, for people.
  public var deleteNote: String?
  /// Until when this holds; `nil` where the network sets no time.
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
