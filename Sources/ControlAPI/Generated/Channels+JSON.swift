// Written by `make generate` from org.batond.Channels.varlink.

public import StrictJSON

extension Profile: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("description", description)
    writer.member("displayName", displayName)
    writer.member("fullName", fullName)
    writer.member("image", image)
    writer.member("preferences", preferences)
    writer.endObject()
  }
}

extension ChannelRelay: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("attempt", attempt)
    writer.member("cause", cause)
    writer.member("detail", detail)
    writer.member("edition", edition)
    writer.member("nextAttemptAt", nextAttemptAt)
    writer.member("operatorId", operatorId)
    writer.member("relayId", relayId)
    writer.member("relayLink", relayLink)
    writer.member("relayName", relayName)
    writer.member("since", since)
    writer.member("status", status)
    writer.endObject()
  }
}

extension Channel: ListedObject {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("access", access)
    writer.member("createdAt", createdAt)
    writer.member("custom", custom)
    writer.member("edition", edition)
    writer.member("followCount", followCount)
    writer.member("followDays", followDays)
    writer.member("followKeep", followKeep)
    writer.member("followed", followed)
    writer.member("frozen", frozen)
    writer.member("frozenEnforced", frozenEnforced)
    writer.member("heal", heal)
    writer.member("hidden", hidden)
    writer.member("id", id)
    writer.member("identity", identity)
    writer.member("key", key)
    writer.member("kind", kind)
    writer.member("lastMessage", lastMessage)
    writer.member("lastMessageAt", lastMessageAt)
    writer.member("lastPost", lastPost)
    writer.member("lastPostAt", lastPostAt)
    writer.member("link", link)
    writer.member("linkUsable", linkUsable)
    writer.member("memberCount", memberCount)
    writer.member("muted", muted)
    writer.member("network", network)
    writer.member("owned", owned)
    writer.member("phase", phase)
    writer.member("pinned", pinned)
    writer.member("profile", profile)
    writer.member("readRelayIds", readRelayIds)
    writer.member("relays", relays)
    writer.member("revision", revision)
    writer.member("summary", summary)
    writer.member("truncatedAt", truncatedAt)
    writer.member("unread", unread)
    writer.member("unreadMentions", unreadMentions)
    writer.member("updatedAt", updatedAt)
    writer.member("wantedRelays", wantedRelays)
    writer.endObject()
  }

  public subscript(field: String) -> JSONValue? {
    switch field {
    case "id": .integer(id)
    case "kind": .string(kind)
    case "network": .string(network)
    case "owned": .bool(owned)
    case "identity": .string(identity)
    case "key": key.map(JSONValue.string)
    case "profile": try? profile.json
    case "phase": .string(phase)
    case "summary": .string(summary)
    case "edition": .integer(Int64(edition))
    case "link": link.map(JSONValue.string)
    case "linkUsable": .bool(linkUsable)
    case "relays": try? relays.json
    case "readRelayIds": try? readRelayIds.json
    case "access": try? access.json
    case "wantedRelays": .integer(Int64(wantedRelays))
    case "heal": .bool(heal)
    case "custom": custom
    case "createdAt": .string(createdAt)
    case "updatedAt": .string(updatedAt)
    case "lastPostAt": lastPostAt.map(JSONValue.string)
    case "lastPost": lastPost.map(JSONValue.string)
    case "lastMessageAt": lastMessageAt.map(JSONValue.string)
    case "lastMessage": lastMessage.map(JSONValue.string)
    case "unread": .integer(Int64(unread))
    case "unreadMentions": .integer(Int64(unreadMentions))
    case "memberCount": memberCount.map { JSONValue.integer(Int64($0)) }
    case "hidden": .bool(hidden)
    case "muted": .bool(muted)
    case "pinned": .bool(pinned)
    case "frozen": .bool(frozen)
    case "frozenEnforced": .bool(frozenEnforced)
    case "followed": .bool(followed)
    case "followDays": followDays.map { JSONValue.integer(Int64($0)) }
    case "followCount": followCount.map { JSONValue.integer(Int64($0)) }
    case "followKeep": followKeep.map { JSONValue.integer(Int64($0)) }
    case "truncatedAt": truncatedAt.map(JSONValue.string)
    case "revision": .integer(revision)
    default: nil
    }
  }
}

extension Transition: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("attempt", attempt)
    writer.member("cause", cause)
    writer.member("detail", detail)
    writer.member("from", from)
    writer.member("relayId", relayId)
    writer.member("relayName", relayName)
    writer.member("revision", revision)
    writer.member("time", time)
    writer.member("to", to)
    writer.endObject()
  }
}

extension CreateChannel: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("access", access)
    writer.member("custom", custom)
    writer.member("heal", heal)
    writer.member("idempotencyKey", idempotencyKey)
    writer.member("identity", identity)
    writer.member("key", key)
    writer.member("kind", kind)
    writer.member("members", members)
    writer.member("network", network)
    writer.member("pick", pick)
    writer.member("profile", profile)
    writer.member("relayIds", relayIds)
    writer.endObject()
  }
}

extension ListRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cursor", cursor)
    writer.member("filter", filter)
    writer.member("limit", limit)
    writer.member("sort", sort)
    writer.endObject()
  }
}

extension UpdateChannel: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("custom", custom)
    writer.member("description", description)
    writer.member("displayName", displayName)
    writer.member("fullName", fullName)
    writer.member("heal", heal)
    writer.member("id", id)
    writer.member("image", image)
    writer.member("preferences", preferences)
    writer.member("revision", revision)
    writer.endObject()
  }
}

extension ChannelCount: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channels", channels)
    writer.member("network", network)
    writer.member("phase", phase)
    writer.endObject()
  }
}
