/// Times of a core that Baton runs itself.
public struct CoreProcessLimits: Hashable, Sendable {
  /// Wait before the core is started a second time; doubles with each further end.
  public var restartFirst: Duration = .seconds(1)
  /// Longest wait between starts.
  public var restartMax: Duration = .seconds(60)
  /// A core that ran this long counts as good; the waits begin anew after it.
  public var stableAfter: Duration = .seconds(60)
  /// How long the core may take to end when it is told to, before it is killed.
  public var stopGrace: Duration = .seconds(10)
  /// Lines of each run that are logged for everybody; later ones are for debugging.
  public var noticeLinesMax = 50

  /// The defaults.
  public init() {}
}
