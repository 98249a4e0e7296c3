// Written by `make generate` from io.systemd.service.varlink.

/// A reply of io.systemd.service.GetLogLevel.
public struct ServiceGetLogLevelReply: Codable, Hashable, Sendable {
  /// As syslog counts: 0 is the most severe, 7 everything.
  public var level: Int

  public init(
    level: Int
  ) {
    self.level = level
  }
}
