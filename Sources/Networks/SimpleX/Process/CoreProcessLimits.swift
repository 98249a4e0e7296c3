/// The times of a core that Baton runs itself.
public struct CoreProcessLimits: Hashable, Sendable {
  /// The wait before the core is started a second time. It doubles with each further end.
  public var restartFirst: Duration = .seconds(1)
  /// The longest wait between starts.
  public var restartMax: Duration = .seconds(60)
  /// How long a core must run to count as good. After that, the waits start again from the shortest.
  public var stableAfter: Duration = .seconds(60)
  /// How long the core may take to end when it is told to, before it is killed.
  public var stopGrace: Duration = .seconds(10)
  /// How many lines of each run are logged for everyone. Later ones are logged for debugging.
  public var noticeLinesMax = 50

  /// The defaults.
  public init() {}
}
