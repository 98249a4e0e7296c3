// Written by `make generate` from org.batond.Relays.varlink.

public import StrictJSON

extension RelayProfile: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("description", description)
    writer.member("name", name)
    writer.member("software", software)
    writer.endObject()
  }
}

extension Relay: ListedObject {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("address", address)
    writer.member("capabilities", capabilities)
    writer.member("channels", channels)
    writer.member("declaredIn", declaredIn)
    writer.member("deleted", deleted)
    writer.member("domains", domains)
    writer.member("enabled", enabled)
    writer.member("health", health)
    writer.member("healthSince", healthSince)
    writer.member("id", id)
    writer.member("lastError", lastError)
    writer.member("name", name)
    writer.member("network", network)
    writer.member("networkTrouble", networkTrouble)
    writer.member("operatorId", operatorId)
    writer.member("preset", preset)
    writer.member("profile", profile)
    writer.member("revision", revision)
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
    case "network": .string(network)
    case "address": .string(address)
    case "name": .string(name)
    case "profile": profile.flatMap { try? $0.json }
    case "domains": try? domains.json
    case "operatorId": operatorId.map(JSONValue.integer)
    case "enabled": .bool(enabled)
    case "preset": .bool(preset)
    case "undeclared": .bool(undeclared)
    case "declaredIn": declaredIn.map(JSONValue.string)
    case "deleted": .bool(deleted)
    case "capabilities": try? capabilities.json
    case "tested": tested.map(JSONValue.bool)
    case "testedAt": testedAt.map(JSONValue.string)
    case "health": .string(health)
    case "healthSince": healthSince.map(JSONValue.string)
    case "lastError": lastError.map(JSONValue.string)
    case "networkTrouble": networkTrouble.map(JSONValue.string)
    case "roundTripMilliseconds": roundTripMilliseconds.map { JSONValue.integer(Int64($0)) }
    case "roundTrips": roundTrips.flatMap { try? $0.json }
    case "channels": channels.map { JSONValue.integer(Int64($0)) }
    case "revision": .integer(revision)
    default: nil
    }
  }
}

extension AddRelay: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("address", address)
    writer.member("domains", domains)
    writer.member("enabled", enabled)
    writer.member("force", force)
    writer.member("name", name)
    writer.member("network", network)
    writer.member("operatorId", operatorId)
    writer.endObject()
  }
}

extension UpdateRelay: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("address", address)
    writer.member("domains", domains)
    writer.member("enabled", enabled)
    writer.member("force", force)
    writer.member("id", id)
    writer.member("name", name)
    writer.member("operatorId", operatorId)
    writer.member("revision", revision)
    writer.endObject()
  }
}

extension TestRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("address", address)
    writer.member("id", id)
    writer.member("network", network)
    writer.endObject()
  }
}

extension ChannelsAtRelay: ListedObject {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cause", cause)
    writer.member("channels", channels)
    writer.member("network", network)
    writer.member("operatorId", operatorId)
    writer.member("relayId", relayId)
    writer.member("relayName", relayName)
    writer.member("status", status)
    writer.endObject()
  }

  public subscript(field: String) -> JSONValue? {
    switch field {
    case "relayId": .integer(relayId)
    case "relayName": .string(relayName)
    case "network": .string(network)
    case "operatorId": operatorId.map(JSONValue.integer)
    case "status": .string(status)
    case "cause": cause.map(JSONValue.string)
    case "channels": .integer(Int64(channels))
    default: nil
    }
  }
}

extension Spread: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("count", count)
    writer.member("max", max)
    writer.member("p50", p50)
    writer.member("p90", p90)
    writer.endObject()
  }
}

extension RelayFigures: ListedObject {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("active", active)
    writer.member("channels", channels)
    writer.member("failed", failed)
    writer.member("health", health)
    writer.member("inactive", inactive)
    writer.member("missed", missed)
    writer.member("network", network)
    writer.member("operatorId", operatorId)
    writer.member("reached", reached)
    writer.member("relayId", relayId)
    writer.member("relayName", relayName)
    writer.member("roundTrips", roundTrips)
    writer.member("successRate", successRate)
    writer.member("timeToActive", timeToActive)
    writer.member("underWay", underWay)
    writer.endObject()
  }

  public subscript(field: String) -> JSONValue? {
    switch field {
    case "relayId": .integer(relayId)
    case "relayName": .string(relayName)
    case "network": .string(network)
    case "operatorId": operatorId.map(JSONValue.integer)
    case "health": .string(health)
    case "channels": .integer(Int64(channels))
    case "active": .integer(Int64(active))
    case "underWay": .integer(Int64(underWay))
    case "inactive": .integer(Int64(inactive))
    case "failed": .integer(Int64(failed))
    case "reached": .integer(Int64(reached))
    case "missed": .integer(Int64(missed))
    case "successRate": successRate.map(JSONValue.number)
    case "timeToActive": timeToActive.flatMap { try? $0.json }
    case "roundTrips": roundTrips.flatMap { try? $0.json }
    default: nil
    }
  }
}
