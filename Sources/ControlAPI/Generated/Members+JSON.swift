// Written by `make generate` from org.batond.Members.varlink.

public import StrictJSON

extension Member: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("askedAt", askedAt)
    writer.member("askedText", askedText)
    writer.member("author", author)
    writer.member("banned", banned)
    writer.member("channelId", channelId)
    writer.member("lastMessageAt", lastMessageAt)
    writer.member("lastMessageId", lastMessageId)
    writer.member("muted", muted)
    writer.member("name", name)
    writer.member("own", own)
    writer.member("revision", revision)
    writer.member("roles", roles)
    writer.member("standing", standing)
    writer.endObject()
  }
}

extension MemberChange: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.member("cause", cause)
    writer.member("channelId", channelId)
    writer.member("detail", detail)
    writer.member("phase", phase)
    writer.member("postId", postId)
    writer.member("roles", roles)
    writer.member("settled", settled)
    writer.member("summary", summary)
    writer.member("wish", wish)
    writer.endObject()
  }
}
