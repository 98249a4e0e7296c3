// Written by `make generate` from io.systemd.service.varlink.

/// A reply of io.systemd.service.GetLogLevel.
public struct ServiceGetLogLevelReply: Codable, Hashable, Sendable {
  /// A level of syslog, from 0 for the most severe messages only to 7 for all messages.
  public var level: Int

  public init(
    level: Int
  ) {
    self.level = level
  }
}
