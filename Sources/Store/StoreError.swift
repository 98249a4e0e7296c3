/// Why the store could not do what was asked. The text is for the operator.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable {
    /// The state directory or a file in it cannot be made, read or written.
    case notAccessible
    /// Another process uses the same state directory.
    case inUse
    /// The database was written by a newer program, or is not Baton's.
    case incompatible
    /// The database is damaged.
    case corrupt
    /// The database that belongs there is gone, or was set back.
    case lost
    /// A read or write failed; it may work later.
    case inputOutput
    /// A key cannot be decrypted.
    case wrongKey
  }
  public let code: Code
  public let description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
