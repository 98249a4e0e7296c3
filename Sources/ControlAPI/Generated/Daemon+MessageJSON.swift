// Written by `make generate` from org.batond.Daemon.varlink.

public import StrictJSON

extension DaemonMetricsReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("metrics", metrics)
    writer.endObject()
  }
}

extension DaemonCheckReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channels", channels)
    writer.member("problems", problems)
    writer.endObject()
  }
}

extension DaemonBackupReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("data", data)
    writer.member("size", size)
    writer.endObject()
  }
}
