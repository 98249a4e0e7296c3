// Written by `make generate` from org.batond.Posts.varlink.

public import StrictJSON

extension Emoji: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("shortcode", shortcode)
    writer.member("url", url)
    writer.endObject()
  }
}

extension Attachment: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("altText", altText)
    writer.member("blurhash", blurhash)
    writer.member("fallbacks", fallbacks)
    writer.member("height", height)
    writer.member("mimeType", mimeType)
    writer.member("sha256", sha256)
    writer.member("sizeBytes", sizeBytes)
    writer.member("url", url)
    writer.member("width", width)
    writer.endObject()
  }
}

extension AboutMessage: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("act", act)
    writer.member("author", author)
    writer.member("networkId", networkId)
    writer.endObject()
  }
}

extension PostRelay: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("attempt", attempt)
    writer.member("cause", cause)
    writer.member("departed", departed)
    writer.member("detail", detail)
    writer.member("nextAttemptAt", nextAttemptAt)
    writer.member("relayId", relayId)
    writer.member("relayName", relayName)
    writer.member("shown", shown)
    writer.member("since", since)
    writer.member("status", status)
    writer.endObject()
  }
}

extension Post: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("about", about)
    writer.member("author", author)
    writer.member("channelId", channelId)
    writer.member("channelName", channelName)
    writer.member("createdAt", createdAt)
    writer.member("deletedAt", deletedAt)
    writer.member("forgottenAt", forgottenAt)
    writer.member("id", id)
    writer.member("link", link)
    writer.member("network", network)
    writer.member("networkId", networkId)
    writer.member("notes", notes)
    writer.member("phase", phase)
    writer.member("publishAt", publishAt)
    writer.member("reactionTo", reactionTo)
    writer.member("relayCount", relayCount)
    writer.member("relays", relays)
    writer.member("replacedBy", replacedBy)
    writer.member("replaces", replaces)
    writer.member("replyTo", replyTo)
    writer.member("revision", revision)
    writer.member("scheduleTrouble", scheduleTrouble)
    writer.member("shownCount", shownCount)
    writer.member("summary", summary)
    writer.member("text", text)
    writer.endObject()
  }
}

extension Retention: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("keepCount", keepCount)
    writer.member("keepDays", keepDays)
    writer.endObject()
  }
}

extension PostAction: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("canDelete", canDelete)
    writer.member("canEdit", canEdit)
    writer.member("deleteNote", deleteNote)
    writer.member("editNote", editNote)
    writer.member("relayId", relayId)
    writer.member("until", until)
    writer.endObject()
  }
}

extension PostTransition: JSONWritable {
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

extension ExportedPost: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("deletion", deletion)
    writer.member("document", document)
    writer.member("id", id)
    writer.member("omission", omission)
    writer.endObject()
  }
}
