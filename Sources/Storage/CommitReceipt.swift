/// The results of a commit that could not be known before it.
public struct CommitReceipt: Hashable, Sendable {
  /// How many transitions were forgotten.
  public var forgotten: Int

  public init(forgotten: Int = 0) { self.forgotten = forgotten }
}
