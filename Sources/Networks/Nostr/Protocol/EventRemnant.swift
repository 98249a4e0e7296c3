internal import StrictJSON

/// The rest of one of our events that is forgotten. With its id and author, it is enough to name the event and to ask for its deletion
/// (NIP-09). It has the members of the event, so that both are read in the same way.
struct EventRemnant: Hashable, Sendable {
  let kind: Int
  /// Seconds since 1970.
  let createdAt: Int64

  /// - Parameter json: an event, or JSON that `json` has written.
  init?(_ json: JSONValue) {
    guard let kind = json["kind"]?.integer.flatMap({ Int(exactly: $0) }), let createdAt = json["created_at"]?.integer else {
      return nil
    }
    (self.kind, self.createdAt) = (kind, createdAt)
  }

  var json: JSONValue { .object(["kind": .integer(Int64(kind)), "created_at": .integer(createdAt)]) }
}
