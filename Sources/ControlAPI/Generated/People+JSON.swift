// Written by `make generate` from org.batond.People.varlink.

public import StrictJSON

extension Person: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.member("channelIds", channelIds)
    writer.member("domainName", domainName)
    writer.member("lastMessageAt", lastMessageAt)
    writer.member("lastMessageId", lastMessageId)
    writer.member("messages", messages)
    writer.member("muted", muted)
    writer.member("mutedAt", mutedAt)
    writer.member("name", name)
    writer.member("network", network)
    writer.endObject()
  }
}
