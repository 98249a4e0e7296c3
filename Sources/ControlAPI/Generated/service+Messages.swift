// Written by `make generate` from io.systemd.service.varlink.

public import StrictJSON

/// A reply of io.systemd.service.GetLogLevel.
public struct ServiceGetLogLevelReply: Codable, Hashable, JSONWritable, Sendable {
  /// As syslog counts: 0 is the most severe, 7 everything.
  public var level: Int

  public init(
    level: Int
  ) {
    self.level = level
  }

  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("level", level)
    writer.endObject()
  }
}

/// Parameters of io.systemd.service.SetLogLevel.
public struct ServiceSetLogLevelRequest: Codable, Hashable, JSONWritable, Sendable {
  /// As syslog counts, 0 to 7; as configured when absent.
  public var level: Int?

  public init(
    level: Int? = nil
  ) {
    self.level = level
  }

  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("level", level)
    writer.endObject()
  }
}
