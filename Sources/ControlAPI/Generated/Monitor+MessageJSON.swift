// Written by `make generate` from org.batond.Monitor.varlink.

public import StrictJSON

extension MonitorTransitionsRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cursor", cursor)
    writer.member("filter", filter)
    writer.member("limit", limit)
    writer.endObject()
  }
}

extension MonitorTransitionsReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("nextCursor", nextCursor)
    writer.member("revision", revision)
    writer.member("transitions", transitions)
    writer.endObject()
  }
}

extension MonitorHealthChangesRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cursor", cursor)
    writer.member("filter", filter)
    writer.member("limit", limit)
    writer.endObject()
  }
}

extension MonitorHealthChangesReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("healthChanges", healthChanges)
    writer.member("nextCursor", nextCursor)
    writer.member("revision", revision)
    writer.endObject()
  }
}
