/// A network does not show a profile that Baton would otherwise accept.
public struct ProfileRefusal: Error, Hashable, Sendable {
  /// The field that must be changed.
  public enum Field: String, Hashable, Sendable {
    case displayName, fullName, description, image
  }
  public let field: Field
  /// A sentence with the fault.
  public let reason: String

  public init(_ field: Field, _ reason: String) {
    self.field = field
    self.reason = reason
  }
}

/// A network could not do its part for a reason that is not a relay's.
public struct NetworkFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  /// Whether the network does not offer the requested thing at all.
  public let isUnsupported: Bool
  /// Whether the network as a whole is currently unusable.
  public let isUnavailable: Bool
  public init(_ description: String, isUnsupported: Bool = false, isUnavailable: Bool = false) {
    self.isUnavailable = isUnavailable
    self.description = description
    self.isUnsupported = isUnsupported
  }
}
