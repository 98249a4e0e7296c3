public import RelayNetwork

extension NostrNetwork {
  /// An event never changes, so an edit is another one, and whether this one goes is up to the relay.
  public func forecast(of place: PostPlace) -> PostForecast {
    Self.forecast(
      at: place.capabilities, isInGroup: GroupRemnant(place.document) != nil || PinForm(place.document) != nil)
  }

  /// - Parameters:
  ///   - capabilities: the abilities that the relay declares.
  ///   - isInGroup: whether the post is in a group: its owner is an admin there, and relays of groups delete what admins ask for.
  static func forecast(at capabilities: [String], isInGroup: Bool = false) -> PostForecast {
    let edit = "an edit is a new post and the deletion of this one. Replies remain with this one"
    if isInGroup || capabilities.contains(deletes) { return PostForecast(canEdit: true, canDelete: true, editNote: edit) }
    // The abilities that a relay declares begin like this.
    let isKnown = capabilities.contains { $0.hasPrefix("nip") }
    let doubt =
      isKnown ? "the relay does not say that it deletes posts (NIP-09)" : "the relay has not said whether it deletes posts"
    return PostForecast(
      canEdit: true, canDelete: false, editNote: "\(edit), which the relay may continue to show",
      deleteNote: "\(doubt), so it may continue to show this one")
  }

  /// The ability that relays declare if they accept deletions.
  private static let deletes = "nip9"
}
