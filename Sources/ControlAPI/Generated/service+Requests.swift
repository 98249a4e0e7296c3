// Written by `make generate` from io.systemd.service.varlink.

/// Parameters of io.systemd.service.SetLogLevel.
public struct ServiceSetLogLevelRequest: Codable, Hashable, Sendable {
  /// As syslog counts, 0 to 7; as configured when absent.
  public var level: Int?

  public init(
    level: Int? = nil
  ) {
    self.level = level
  }
}
