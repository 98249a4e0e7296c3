/// What a commit has done that nobody could know before.
public struct CommitReceipt: Hashable, Sendable {
  /// How many transitions were forgotten.
  public var forgotten: Int

  public init(forgotten: Int = 0) { self.forgotten = forgotten }
}
