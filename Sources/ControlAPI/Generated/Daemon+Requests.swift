// Written by `make generate` from org.batond.Daemon.varlink.

/// Parameters of org.batond.Daemon.Drain.
public struct DaemonDrainRequest: Codable, Hashable, Sendable {
  /// Name of the daemon.
  public var name: String
  /// Whether it accepts its share again.
  public var undo: Bool?

  public init(
    name: String,
    undo: Bool? = nil
  ) {
    self.name = name
    self.undo = undo
  }
}
