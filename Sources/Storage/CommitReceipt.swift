/// The results of a commit that could not be known before it.
public struct CommitReceipt: Hashable, Sendable {
  /// Why a part was not written, while the others were.
  public enum Rejection: Hashable, Sendable {
    /// Someone else has changed the object. Read it again, and decide again.
    case conflict
    /// The part cannot be stored, now or later. The text gives the operator the reason.
    case refused(String)
  }

  /// The newest revision before the commit. The nth revision of the commit is `base + n`. Revisions of parts that were not written are left
  /// out.
  public var base: Int64
  /// The newest revision after the commit.
  public var revision: Int64
  /// The same two for the sequence of posts.
  public var postBase: Int64
  public var postRevision: Int64
  /// The parts that were not written, by their place in the request.
  public var rejections: [Int: Rejection]
  /// How many transitions were forgotten.
  public var forgotten: Int

  public init(
    base: Int64 = 0, revision: Int64 = 0, postBase: Int64 = 0, postRevision: Int64 = 0, rejections: [Int: Rejection] = [:],
    forgotten: Int = 0
  ) {
    self.base = base
    self.revision = revision
    self.postBase = postBase
    self.postRevision = postRevision
    self.rejections = rejections
    self.forgotten = forgotten
  }
}

/// Why a commit failed as a whole. The text is for the operator. It names the file or the object, and the remedy.
public enum CommitFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nothing happened, and the same request will fail again.
  case refused(String)
  /// Nothing happened. The same request may be stored later.
  case unavailable(String)
  /// It is not known whether it happened. Ask for the latest `SignOfLife` before you continue: it shows that.
  case inDoubt(String)
  /// Nothing happened, and nothing will: someone else owns the stored data. Stop acting immediately.
  case fenced(String)

  public var description: String {
    switch self {
    case .refused(let words), .unavailable(let words), .inDoubt(let words), .fenced(let words): words
    }
  }
}
