// Written by `make generate` from io.systemd.service.varlink.

/// Parameters of io.systemd.service.SetLogLevel.
public struct ServiceSetLogLevelRequest: Codable, Hashable, Sendable {
  /// A level of syslog, 0 to 7. If absent, the configured level.
  public var level: Int?

  public init(
    level: Int? = nil
  ) {
    self.level = level
  }
}
