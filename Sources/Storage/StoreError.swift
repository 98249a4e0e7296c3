/// Why a storage request failed. The text is for the operator. It names the file or the object, and the remedy.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The meaning of the error for the caller.
  public enum Code: Sendable {
    /// A file of storage cannot be created, read or written, until a person changes that. At the start the daemon cannot begin. Later it is
    /// the same as `inputOutput`.
    case notAccessible
    /// Another process uses the same storage, or has taken it over. At the start nothing was touched. It may work once that process has
    /// ended.
    case inUse
    /// The stored data was written by a newer program, or is not Baton's. It occurs only at the start, and nothing was touched.
    case incompatible
    /// The object is damaged, and will be damaged the next time too. It is skipped, and other objects can still be read.
    case corrupt
    /// The stored data is gone, or was set back. It occurs only at the start, and a person must decide how to continue.
    case lost
    /// A read or write failed, and may work later. Commits report their result with `CommitFailure`.
    case inputOutput
    /// A secret does not open with this key. Nothing was changed, and another key may open it.
    case wrongKey
  }
  public let code: Code
  public let description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension StoreError {
  /// The failure of a commit that must succeed before anything else can.
  public init(_ failure: CommitFailure) {
    switch failure {
    case .fenced(let words): self.init(.inUse, words)
    case .refused(let words), .unavailable(let words), .inDoubt(let words): self.init(.inputOutput, words)
    }
  }
}
