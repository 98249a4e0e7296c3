// Written by `make generate` from org.batond.Operators.varlink.

public import StrictJSON

extension OperatorsListReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("nextCursor", nextCursor)
    writer.member("operators", operators)
    writer.member("relays", relays)
    writer.member("revision", revision)
    writer.member("servers", servers)
    writer.endObject()
  }
}

extension OperatorsGetRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("name", name)
    writer.endObject()
  }
}

extension OperatorsGetReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("operator", `operator`)
    writer.member("relays", relays)
    writer.member("servers", servers)
    writer.endObject()
  }
}

extension OperatorReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("operator", `operator`)
    writer.endObject()
  }
}

extension OperatorsRemoveRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("force", force)
    writer.member("id", id)
    writer.endObject()
  }
}

extension OperatorsValidateReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("errors", errors)
    writer.member("warnings", warnings)
    writer.endObject()
  }
}
