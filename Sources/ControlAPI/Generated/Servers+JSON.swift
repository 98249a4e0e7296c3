// Written by `make generate` from org.batond.Servers.varlink.

public import StrictJSON

extension Roles: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("names", names)
    writer.member("proxy", proxy)
    writer.member("storage", storage)
    writer.endObject()
  }
}

extension RoleOverrides: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("names", names)
    writer.member("proxy", proxy)
    writer.member("storage", storage)
    writer.endObject()
  }
}

extension RoundTrip: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("milliseconds", milliseconds)
    writer.member("time", time)
    writer.endObject()
  }
}

extension Server: ListedObject {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("address", address)
    writer.member("declaredIn", declaredIn)
    writer.member("deleted", deleted)
    writer.member("enabled", enabled)
    writer.member("fingerprint", fingerprint)
    writer.member("hasPassword", hasPassword)
    writer.member("health", health)
    writer.member("healthSince", healthSince)
    writer.member("hosts", hosts)
    writer.member("id", id)
    writer.member("lastError", lastError)
    writer.member("operatorId", operatorId)
    writer.member("port", port)
    writer.member("preset", preset)
    writer.member("protocol", `protocol`)
    writer.member("revision", revision)
    writer.member("roleOverrides", roleOverrides)
    writer.member("roles", roles)
    writer.member("roundTripMilliseconds", roundTripMilliseconds)
    writer.member("roundTrips", roundTrips)
    writer.member("tested", tested)
    writer.member("testedAt", testedAt)
    writer.member("undeclared", undeclared)
    writer.endObject()
  }

  public subscript(field: String) -> JSONValue? {
    switch field {
    case "id": .integer(id)
    case "protocol": .string(`protocol`)
    case "address": .string(address)
    case "fingerprint": .string(fingerprint)
    case "hosts": try? hosts.json
    case "port": port.map { JSONValue.integer(Int64($0)) }
    case "hasPassword": .bool(hasPassword)
    case "operatorId": operatorId.map(JSONValue.integer)
    case "enabled": .bool(enabled)
    case "preset": .bool(preset)
    case "undeclared": .bool(undeclared)
    case "declaredIn": declaredIn.map(JSONValue.string)
    case "deleted": .bool(deleted)
    case "roles": try? roles.json
    case "roleOverrides": try? roleOverrides.json
    case "tested": tested.map(JSONValue.bool)
    case "testedAt": testedAt.map(JSONValue.string)
    case "health": .string(health)
    case "healthSince": healthSince.map(JSONValue.string)
    case "lastError": lastError.map(JSONValue.string)
    case "roundTripMilliseconds": roundTripMilliseconds.map { JSONValue.integer(Int64($0)) }
    case "roundTrips": roundTrips.flatMap { try? $0.json }
    case "revision": .integer(revision)
    default: nil
    }
  }
}

extension TestStep: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cause", cause)
    writer.member("detail", detail)
    writer.member("durationMilliseconds", durationMilliseconds)
    writer.member("name", name)
    writer.member("passed", passed)
    writer.endObject()
  }
}

extension Finding: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("host", host)
    writer.member("kind", kind)
    writer.member("message", message)
    writer.member("network", network)
    writer.member("protocol", `protocol`)
    writer.member("relayIds", relayIds)
    writer.member("serverIds", serverIds)
    writer.member("severity", severity)
    writer.endObject()
  }
}

extension AddServer: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("address", address)
    writer.member("enabled", enabled)
    writer.member("force", force)
    writer.member("operatorId", operatorId)
    writer.member("password", password)
    writer.member("roles", roles)
    writer.endObject()
  }
}

extension UpdateServer: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("address", address)
    writer.member("enabled", enabled)
    writer.member("force", force)
    writer.member("id", id)
    writer.member("operatorId", operatorId)
    writer.member("password", password)
    writer.member("revision", revision)
    writer.member("roles", roles)
    writer.endObject()
  }
}

extension TestReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("passed", passed)
    writer.member("step", step)
    writer.member("steps", steps)
    writer.endObject()
  }
}
