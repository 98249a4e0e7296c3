// Written by `make generate` from org.batond.Messages.varlink.

public import StrictJSON

extension MessagesListRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("after", after)
    writer.member("answersTo", answersTo)
    writer.member("around", around)
    writer.member("attachments", attachments)
    writer.member("author", author)
    writer.member("before", before)
    writer.member("channelId", channelId)
    writer.member("deleted", deleted)
    writer.member("hidden", hidden)
    writer.member("limit", limit)
    writer.member("mention", mention)
    writer.member("own", own)
    writer.member("pinned", pinned)
    writer.endObject()
  }
}

extension MessagesListReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("conversation", conversation)
    writer.member("hasNewer", hasNewer)
    writer.member("hasOlder", hasOlder)
    writer.member("messages", messages)
    writer.member("revision", revision)
    writer.endObject()
  }
}

extension MessagesGetRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}

extension MessageReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("message", message)
    writer.endObject()
  }
}

extension MessagesSearchRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("limit", limit)
    writer.member("newestFirst", newestFirst)
    writer.member("offset", offset)
    writer.member("text", text)
    writer.endObject()
  }
}

extension MessagesSearchReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("hasMore", hasMore)
    writer.member("hits", hits)
    writer.endObject()
  }
}

extension MessagesInboxRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cursor", cursor)
    writer.member("hidden", hidden)
    writer.member("limit", limit)
    writer.member("unread", unread)
    writer.endObject()
  }
}

extension MessagesInboxReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("conversations", conversations)
    writer.member("nextCursor", nextCursor)
    writer.endObject()
  }
}

extension MessagesMarkReadRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("through", through)
    writer.endObject()
  }
}

extension ConversationReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("conversation", conversation)
    writer.endObject()
  }
}

extension MessagesMarkUnreadRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}

extension MessagesSetHiddenRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("hidden", hidden)
    writer.member("id", id)
    writer.endObject()
  }
}

extension MessagesSetPinnedRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("pinned", pinned)
    writer.endObject()
  }
}

extension MessagesSyncRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("timeout", timeout)
    writer.endObject()
  }
}

extension MessagesSyncReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("complete", complete)
    writer.member("conversation", conversation)
    writer.endObject()
  }
}

extension MessagesSearchRelaysRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("text", text)
    writer.member("timeout", timeout)
    writer.endObject()
  }
}

extension MessagesSearchRelaysReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("relays", relays)
    writer.endObject()
  }
}

extension MessagesWatchRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelIds", channelIds)
    writer.member("since", since)
    writer.endObject()
  }
}

extension MessagesWatchReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("conversation", conversation)
    writer.member("message", message)
    writer.member("revision", revision)
    writer.endObject()
  }
}
