// Written by `make generate` from org.batond.Identities.varlink.

public import StrictJSON

extension Identity: ListedObject {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channels", channels)
    writer.member("createdAt", createdAt)
    writer.member("id", id)
    writer.member("name", name)
    writer.member("network", network)
    writer.member("publicKey", publicKey)
    writer.endObject()
  }

  public subscript(field: String) -> JSONValue? {
    switch field {
    case "id": .integer(id)
    case "name": .string(name)
    case "network": .string(network)
    case "publicKey": .string(publicKey)
    case "channels": .integer(Int64(channels))
    case "createdAt": .string(createdAt)
    default: nil
    }
  }
}
