// Written by `make generate` from org.batond.Members.varlink.

public import StrictJSON

extension MembersListRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("cursor", cursor)
    writer.member("limit", limit)
    writer.member("order", order)
    writer.member("role", role)
    writer.member("standing", standing)
    writer.member("text", text)
    writer.endObject()
  }
}

extension MembersListReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("count", count)
    writer.member("listed", listed)
    writer.member("members", members)
    writer.member("nextCursor", nextCursor)
    writer.member("readAt", readAt)
    writer.member("revision", revision)
    writer.endObject()
  }
}

extension MembersWatchRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelIds", channelIds)
    writer.member("since", since)
    writer.endObject()
  }
}

extension MembersWatchReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("member", member)
    writer.member("revision", revision)
    writer.endObject()
  }
}

extension MembersAddRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.member("channelId", channelId)
    writer.member("roles", roles)
    writer.endObject()
  }
}

extension MembersAddReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("change", change)
    writer.member("isNew", isNew)
    writer.endObject()
  }
}

extension MembersSetRoleRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.member("channelId", channelId)
    writer.member("role", role)
    writer.endObject()
  }
}

extension MembersSetRoleReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("change", change)
    writer.member("isNew", isNew)
    writer.endObject()
  }
}

extension MembersRemoveRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.member("channelId", channelId)
    writer.member("reason", reason)
    writer.endObject()
  }
}

extension MembersRemoveReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("change", change)
    writer.member("isNew", isNew)
    writer.endObject()
  }
}

extension MembersDeclineRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.member("channelId", channelId)
    writer.endObject()
  }
}

extension MemberReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("member", member)
    writer.endObject()
  }
}

extension MembersBanRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.member("channelId", channelId)
    writer.endObject()
  }
}

extension MembersBanReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("change", change)
    writer.member("isNew", isNew)
    writer.endObject()
  }
}

extension MembersUnbanRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.member("channelId", channelId)
    writer.endObject()
  }
}

extension MembersUnbanReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("change", change)
    writer.member("isNew", isNew)
    writer.endObject()
  }
}
