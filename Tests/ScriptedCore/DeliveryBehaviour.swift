public import StrictJSON

/// What becomes of posts on their way to a relay.
public enum DeliveryBehaviour: Hashable, Sendable {
  /// The server of the relay's queue takes them.
  case good
  /// Nothing happens to them until `deliverAgain`.
  case stuck
  /// The core tries again and again, and says this of each try.
  case warns(JSONValue)
  /// The core gives them up, with this reason.
  case fails(JSONValue)
}
