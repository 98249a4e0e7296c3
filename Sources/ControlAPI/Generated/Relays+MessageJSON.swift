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
