/// The severity that a message must have to be logged, as syslog counts: 0 is the most severe, 7 everything.
public struct LogLevelControl: Sendable {
  public let get: @Sendable () -> Int
  /// The level that was set, or `nil` for the configured one.
  public let set: @Sendable (Int?) -> Void

  public init(get: @escaping @Sendable () -> Int = { 6 }, set: @escaping @Sendable (Int?) -> Void = { _ in }) {
    self.get = get
    self.set = set
  }
}
