/// Why a part of a message of the core cannot be read. It says where and what should be there, never what is there.
public struct CoreShapeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The members that lead to the place, outermost first, and the positions in lists.
  public let path: [String]
  /// What is wrong there, such as `must be a string`.
  public let reason: String

  /// - Parameters:
  ///   - path: outermost first.
  ///   - reason: goes on where the path ends.
  public init(path: [String], reason: String) {
    self.path = path
    self.reason = reason
  }

  public var description: String { path.isEmpty ? reason : "\(path.joined(separator: ".")) \(reason)" }
}
