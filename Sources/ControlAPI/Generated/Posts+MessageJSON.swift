// Written by `make generate` from org.batond.Posts.varlink.

public import StrictJSON

extension PostsPublishRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("at", at)
    writer.member("attachments", attachments)
    writer.member("channelId", channelId)
    writer.member("contentWarning", contentWarning)
    writer.member("draft", draft)
    writer.member("emoji", emoji)
    writer.member("hashtags", hashtags)
    writer.member("idempotencyKey", idempotencyKey)
    writer.member("mentions", mentions)
    writer.member("quotes", quotes)
    writer.member("replyTo", replyTo)
    writer.member("replyToMessage", replyToMessage)
    writer.member("text", text)
    writer.member("tolerance", tolerance)
    writer.endObject()
  }
}

extension PostsPublishReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("isNew", isNew)
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsReleaseRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("at", at)
    writer.member("id", id)
    writer.member("tolerance", tolerance)
    writer.endObject()
  }
}

extension PostReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsEditRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("attachments", attachments)
    writer.member("contentWarning", contentWarning)
    writer.member("emoji", emoji)
    writer.member("hashtags", hashtags)
    writer.member("id", id)
    writer.member("idempotencyKey", idempotencyKey)
    writer.member("mentions", mentions)
    writer.member("text", text)
    writer.endObject()
  }
}

extension PostsEditReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("isNew", isNew)
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsGetRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}

extension PostsGetReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("actions", actions)
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsListRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("after", after)
    writer.member("around", around)
    writer.member("before", before)
    writer.member("cause", cause)
    writer.member("channelId", channelId)
    writer.member("deleted", deleted)
    writer.member("drafts", drafts)
    writer.member("limit", limit)
    writer.member("reactionTo", reactionTo)
    writer.member("reactions", reactions)
    writer.member("relayId", relayId)
    writer.member("status", status)
    writer.endObject()
  }
}

extension PostsListReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("hasNewer", hasNewer)
    writer.member("hasOlder", hasOlder)
    writer.member("posts", posts)
    writer.member("revision", revision)
    writer.member("unreadable", unreadable)
    writer.endObject()
  }
}

extension PostsWatchRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelIds", channelIds)
    writer.member("since", since)
    writer.endObject()
  }
}

extension PostsWatchReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("post", post)
    writer.member("revision", revision)
    writer.endObject()
  }
}

extension PostsTransitionsRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("limit", limit)
    writer.endObject()
  }
}

extension PostsTransitionsReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("transitions", transitions)
    writer.endObject()
  }
}

extension PostsDeleteRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("reason", reason)
    writer.endObject()
  }
}

extension PostsRetryRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("relayId", relayId)
    writer.endObject()
  }
}

extension PostsCancelRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}

extension PostsReactRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("emoji", emoji)
    writer.member("id", id)
    writer.member("idempotencyKey", idempotencyKey)
    writer.member("messageId", messageId)
    writer.member("reaction", reaction)
    writer.endObject()
  }
}

extension PostsReactReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("isNew", isNew)
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsRemoveRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("messageId", messageId)
    writer.member("reason", reason)
    writer.endObject()
  }
}

extension PostsRemoveReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("isNew", isNew)
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsReportRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("category", category)
    writer.member("idempotencyKey", idempotencyKey)
    writer.member("messageId", messageId)
    writer.member("text", text)
    writer.endObject()
  }
}

extension PostsReportReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("isNew", isNew)
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsPinRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}

extension PostsPinReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("isNew", isNew)
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsUnpinRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}

extension PostsExportRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("after", after)
    writer.member("channelId", channelId)
    writer.endObject()
  }
}

extension PostsExportReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsAdoptRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("document", document)
    writer.endObject()
  }
}

extension PostsAdoptReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("isNew", isNew)
    writer.member("post", post)
    writer.endObject()
  }
}

extension PostsSetRetentionRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("keepCount", keepCount)
    writer.member("keepDays", keepDays)
    writer.endObject()
  }
}

extension RetentionReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("retention", retention)
    writer.endObject()
  }
}

extension PostsGetRetentionRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.endObject()
  }
}

extension PostsAuthorizeUploadRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("sha256", sha256)
    writer.member("sizeBytes", sizeBytes)
    writer.endObject()
  }
}

extension PostsAuthorizeUploadReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("authorization", authorization)
    writer.member("expiresAt", expiresAt)
    writer.member("servers", servers)
    writer.endObject()
  }
}
