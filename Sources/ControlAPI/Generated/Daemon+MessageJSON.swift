// Written by `make generate` from org.batond.Daemon.varlink.

public import StrictJSON

extension DaemonPermissionsReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("change", change)
    writer.member("publish", publish)
    writer.member("read", read)
    writer.member("readPosts", readPosts)
    writer.member("uid", uid)
    writer.endObject()
  }
}

extension DaemonClusterReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cores", cores)
    writer.member("daemons", daemons)
    writer.member("shared", shared)
    writer.endObject()
  }
}

extension DaemonDrainRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", name)
    writer.member("undo", undo)
    writer.endObject()
  }
}

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
