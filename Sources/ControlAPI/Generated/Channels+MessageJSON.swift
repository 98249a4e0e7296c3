// Written by `make generate` from org.batond.Channels.varlink.

public import StrictJSON

extension ChannelReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channel", channel)
    writer.endObject()
  }
}

extension ChannelsGetRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("name", name)
    writer.endObject()
  }
}

extension ChannelsListReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channels", channels)
    writer.member("nextCursor", nextCursor)
    writer.member("revision", revision)
    writer.member("unreadable", unreadable)
    writer.endObject()
  }
}

extension ChannelsLinkRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}

extension ChannelsLinkReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("activeRelays", activeRelays)
    writer.member("link", link)
    writer.member("usable", usable)
    writer.member("wantedRelays", wantedRelays)
    writer.endObject()
  }
}

extension ChannelsRetryRelayRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("relayId", relayId)
    writer.endObject()
  }
}

extension ChannelsAddRelaysRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("pick", pick)
    writer.member("relayIds", relayIds)
    writer.endObject()
  }
}

extension ChannelsRemoveRelayRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("relayId", relayId)
    writer.endObject()
  }
}

extension ChannelsVerifyRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}

extension ChannelsDeleteRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.endObject()
  }
}

extension ChannelsFollowRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("displayName", displayName)
    writer.member("identity", identity)
    writer.member("join", join)
    writer.member("link", link)
    writer.member("relayIds", relayIds)
    writer.endObject()
  }
}

extension ChannelsUnfollowRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("keepMembership", keepMembership)
    writer.endObject()
  }
}

extension ChannelsSetMutedRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("muted", muted)
    writer.endObject()
  }
}

extension ChannelsSetPinnedRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("pinned", pinned)
    writer.endObject()
  }
}

extension ChannelsSetFollowingRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("count", count)
    writer.member("days", days)
    writer.member("followed", followed)
    writer.member("id", id)
    writer.member("keep", keep)
    writer.endObject()
  }
}

extension ChannelsSetFrozenRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("frozen", frozen)
    writer.member("id", id)
    writer.endObject()
  }
}

extension ChannelsSetHiddenRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("clearHistory", clearHistory)
    writer.member("hidden", hidden)
    writer.member("id", id)
    writer.endObject()
  }
}

extension ChannelsTruncateRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("posts", posts)
    writer.endObject()
  }
}

extension ChannelsTruncateReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channel", channel)
    writer.member("deletedPosts", deletedPosts)
    writer.member("failedPostId", failedPostId)
    writer.member("failure", failure)
    writer.endObject()
  }
}

extension ChannelsTransitionsRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("limit", limit)
    writer.endObject()
  }
}

extension ChannelsTransitionsReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("transitions", transitions)
    writer.endObject()
  }
}

extension ChannelsCountsReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("countedAt", countedAt)
    writer.member("counts", counts)
    writer.member("revision", revision)
    writer.endObject()
  }
}
