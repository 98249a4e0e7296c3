// Written by `make generate` from org.batond.Monitor.varlink.

public import StrictJSON

extension WatchRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelIds", channelIds)
    writer.member("kinds", kinds)
    writer.member("relayIds", relayIds)
    writer.member("since", since)
    writer.endObject()
  }
}

extension ChangeMessage: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("after", after)
    writer.member("before", before)
    writer.member("kind", kind)
    writer.member("merged", merged)
    writer.member("revision", revision)
    writer.member("time", time)
    writer.member("transition", transition)
    writer.endObject()
  }
}

extension ChannelTransition: ListedObject {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("attempt", attempt)
    writer.member("cause", cause)
    writer.member("channelId", channelId)
    writer.member("channelName", channelName)
    writer.member("detail", detail)
    writer.member("from", from)
    writer.member("operatorId", operatorId)
    writer.member("relayId", relayId)
    writer.member("relayName", relayName)
    writer.member("revision", revision)
    writer.member("time", time)
    writer.member("to", to)
    writer.endObject()
  }

  public subscript(field: String) -> JSONValue? {
    switch field {
    case "revision": .integer(revision)
    case "channelId": .integer(channelId)
    case "channelName": channelName.map(JSONValue.string)
    case "relayId": .integer(relayId)
    case "relayName": .string(relayName)
    case "operatorId": operatorId.map(JSONValue.integer)
    case "from": .string(from)
    case "to": .string(to)
    case "cause": cause.map(JSONValue.string)
    case "detail": .string(detail)
    case "attempt": .integer(Int64(attempt))
    case "time": .string(time)
    default: nil
    }
  }
}

extension HealthChange: ListedObject {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cause", cause)
    writer.member("detail", detail)
    writer.member("from", from)
    writer.member("name", name)
    writer.member("operatorId", operatorId)
    writer.member("relayId", relayId)
    writer.member("revision", revision)
    writer.member("serverId", serverId)
    writer.member("time", time)
    writer.member("to", to)
    writer.endObject()
  }

  public subscript(field: String) -> JSONValue? {
    switch field {
    case "revision": .integer(revision)
    case "relayId": relayId.map(JSONValue.integer)
    case "serverId": serverId.map(JSONValue.integer)
    case "name": .string(name)
    case "operatorId": operatorId.map(JSONValue.integer)
    case "from": .string(from)
    case "to": .string(to)
    case "cause": cause.map(JSONValue.string)
    case "detail": .string(detail)
    case "time": .string(time)
    default: nil
    }
  }
}
