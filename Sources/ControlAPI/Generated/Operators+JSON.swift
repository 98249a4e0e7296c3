// Written by `make generate` from org.batond.Operators.varlink.

public import StrictJSON

extension Operator: ListedObject {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("conditionsAcceptedAt", conditionsAcceptedAt)
    writer.member("declaredIn", declaredIn)
    writer.member("deleted", deleted)
    writer.member("domains", domains)
    writer.member("enabled", enabled)
    writer.member("id", id)
    writer.member("legalName", legalName)
    writer.member("name", name)
    writer.member("preset", preset)
    writer.member("revision", revision)
    writer.member("smpRoles", smpRoles)
    writer.member("undeclared", undeclared)
    writer.member("xftpRoles", xftpRoles)
    writer.endObject()
  }

  public subscript(field: String) -> JSONValue? {
    switch field {
    case "id": .integer(id)
    case "name": .string(name)
    case "legalName": legalName.map(JSONValue.string)
    case "domains": try? domains.json
    case "enabled": .bool(enabled)
    case "preset": .bool(preset)
    case "undeclared": .bool(undeclared)
    case "declaredIn": declaredIn.map(JSONValue.string)
    case "deleted": .bool(deleted)
    case "smpRoles": try? smpRoles.json
    case "xftpRoles": try? xftpRoles.json
    case "conditionsAcceptedAt": conditionsAcceptedAt.map(JSONValue.string)
    case "revision": .integer(revision)
    default: nil
    }
  }
}

extension AddOperator: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("conditionsAcceptedAt", conditionsAcceptedAt)
    writer.member("domains", domains)
    writer.member("enabled", enabled)
    writer.member("force", force)
    writer.member("legalName", legalName)
    writer.member("name", name)
    writer.member("smpRoles", smpRoles)
    writer.member("xftpRoles", xftpRoles)
    writer.endObject()
  }
}

extension UpdateOperator: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("conditionsAcceptedAt", conditionsAcceptedAt)
    writer.member("domains", domains)
    writer.member("enabled", enabled)
    writer.member("force", force)
    writer.member("id", id)
    writer.member("legalName", legalName)
    writer.member("name", name)
    writer.member("revision", revision)
    writer.member("smpRoles", smpRoles)
    writer.member("xftpRoles", xftpRoles)
    writer.endObject()
  }
}

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
