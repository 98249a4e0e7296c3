public import Secrets

extension Secret {
  /// A copy that stays in memory, which only tests may make.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
