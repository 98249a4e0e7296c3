// Written by `make generate` from org.batond.Messages.varlink.

public import StrictJSON

extension MessageAttachment: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("altText", altText)
    writer.member("mimeType", mimeType)
    writer.member("sizeBytes", sizeBytes)
    writer.member("url", url)
    writer.endObject()
  }
}

extension MessageReaction: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("count", count)
    writer.member("own", own)
    writer.member("reaction", reaction)
    writer.endObject()
  }
}

extension OwnPost: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("phase", phase)
    writer.member("relayCount", relayCount)
    writer.member("shownCount", shownCount)
    writer.member("summary", summary)
    writer.endObject()
  }
}

extension Message: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("attachments", attachments)
    writer.member("author", author)
    writer.member("authorName", authorName)
    writer.member("channelId", channelId)
    writer.member("channelName", channelName)
    writer.member("createdAt", createdAt)
    writer.member("deletedAt", deletedAt)
    writer.member("editedAt", editedAt)
    writer.member("hidden", hidden)
    writer.member("id", id)
    writer.member("mention", mention)
    writer.member("network", network)
    writer.member("networkId", networkId)
    writer.member("own", own)
    writer.member("pinned", pinned)
    writer.member("place", place)
    writer.member("post", post)
    writer.member("reactions", reactions)
    writer.member("receivedAt", receivedAt)
    writer.member("relayIds", relayIds)
    writer.member("replyTo", replyTo)
    writer.member("replyToNetworkId", replyToNetworkId)
    writer.member("revision", revision)
    writer.member("text", text)
    writer.member("time", time)
    writer.endObject()
  }
}

extension Freshness: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cause", cause)
    writer.member("detail", detail)
    writer.member("relayId", relayId)
    writer.member("syncedAt", syncedAt)
    writer.endObject()
  }
}

extension Conversation: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("channelName", channelName)
    writer.member("hidden", hidden)
    writer.member("lastMessage", lastMessage)
    writer.member("lastMessageAt", lastMessageAt)
    writer.member("lastMessageId", lastMessageId)
    writer.member("memberCount", memberCount)
    writer.member("muted", muted)
    writer.member("owned", owned)
    writer.member("pinned", pinned)
    writer.member("readThrough", readThrough)
    writer.member("relays", relays)
    writer.member("revision", revision)
    writer.member("truncatedAt", truncatedAt)
    writer.member("unread", unread)
    writer.member("unreadMentions", unreadMentions)
    writer.endObject()
  }
}

extension ExcerptPiece: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("hit", hit)
    writer.member("text", text)
    writer.endObject()
  }
}

extension SearchHit: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("excerpt", excerpt)
    writer.member("message", message)
    writer.endObject()
  }
}

extension SearchedRelay: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("cause", cause)
    writer.member("detail", detail)
    writer.member("outcome", outcome)
    writer.member("relayId", relayId)
    writer.member("relayName", relayName)
    writer.endObject()
  }
}
