/// Something that must never happen and did.
public struct Violation: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
