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
