/// The fault of an unreadable part of a core's message. It names the place and the expected form, never the actual content.
public struct CoreShapeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The members that lead to the place, outermost first, and the positions in lists.
  public let path: [String]
  /// The error there, such as `must be a string`.
  public let reason: String

  /// - Parameters:
  ///   - path: the members that lead to the place, outermost first.
  ///   - reason: continues the sentence after the path.
  public init(path: [String], reason: String) {
    self.path = path
    self.reason = reason
  }

  public var description: String { path.isEmpty ? reason : "\(path.joined(separator: ".")) \(reason)" }
}
