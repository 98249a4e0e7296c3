/// Why storage could not do what was asked. The text is for the operator: it names the file or the object and says what to do.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// What the error means for whoever asked.
  public enum Code: Sendable {
    /// What belongs to storage cannot be made, read or written. At the start: the daemon cannot begin. Later: as `inputOutput`.
    case notAccessible
    /// Another process uses the same storage. Only at the start, and nothing was touched; it may work once the other one has ended.
    case inUse
    /// What is stored was written by a newer program, or is not Baton's. Only at the start, and nothing was touched.
    case incompatible
    /// What was asked for is damaged, and will be the next time too: the object is left alone, and others can still be read.
    case corrupt
    /// What belongs there is gone, or was set back. Only at the start; a person decides how to go on.
    case lost
    /// A read or write failed; it may work later. A read has told nothing. A commit has most likely not happened, but may have: whoever
    /// goes on from it asks what is stored first.
    case inputOutput
    /// A secret does not open with this key. Nothing was changed; another key may open it.
    case wrongKey
  }
  public let code: Code
  public let description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
