// Written by `make generate` from org.batond.Identities.varlink.

public import StrictJSON

extension IdentitiesListReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("identities", identities)
    writer.member("nextCursor", nextCursor)
    writer.member("revision", revision)
    writer.endObject()
  }
}

extension IdentitiesGetRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("name", name)
    writer.endObject()
  }
}

extension IdentityReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("identity", identity)
    writer.endObject()
  }
}

extension IdentitiesAddRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("credential", credential)
    writer.member("name", name)
    writer.member("network", network)
    writer.endObject()
  }
}

extension IdentitiesRemoveRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}
