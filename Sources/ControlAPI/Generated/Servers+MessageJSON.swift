// Written by `make generate` from org.batond.Servers.varlink.

public import StrictJSON

extension ServersListReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("nextCursor", nextCursor)
    writer.member("revision", revision)
    writer.member("servers", servers)
    writer.endObject()
  }
}

extension ServersGetRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("name", name)
    writer.endObject()
  }
}

extension ServerReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("server", server)
    writer.endObject()
  }
}

extension ServersRemoveRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("force", force)
    writer.member("id", id)
    writer.endObject()
  }
}

extension ServersTestRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("address", address)
    writer.member("id", id)
    writer.endObject()
  }
}
