// Written by `make generate` from org.batond.Relays.varlink.

public import StrictJSON

extension RelaysListReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("nextCursor", nextCursor)
    writer.member("relays", relays)
    writer.member("revision", revision)
    writer.endObject()
  }
}

extension RelaysGetRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("name", name)
    writer.endObject()
  }
}

extension RelayReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("relay", relay)
    writer.endObject()
  }
}

extension RelaysRemoveRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("force", force)
    writer.member("id", id)
    writer.endObject()
  }
}

extension RelaysCountsReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("countedAt", countedAt)
    writer.member("counts", counts)
    writer.member("nextCursor", nextCursor)
    writer.member("revision", revision)
    writer.endObject()
  }
}

extension RelaysFiguresReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("countedAt", countedAt)
    writer.member("figures", figures)
    writer.member("nextCursor", nextCursor)
    writer.member("revision", revision)
    writer.member("since", since)
    writer.endObject()
  }
}
