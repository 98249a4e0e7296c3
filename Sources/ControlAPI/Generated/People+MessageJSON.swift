// Written by `make generate` from org.batond.People.varlink.

public import StrictJSON

extension PeopleListRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelId", channelId)
    writer.member("cursor", cursor)
    writer.member("limit", limit)
    writer.member("muted", muted)
    writer.member("text", text)
    writer.endObject()
  }
}

extension PeopleListReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("nextCursor", nextCursor)
    writer.member("people", people)
    writer.endObject()
  }
}

extension PeopleGetRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.endObject()
  }
}

extension PersonReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("person", person)
    writer.endObject()
  }
}

extension PeopleSetMutedRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("author", author)
    writer.member("muted", muted)
    writer.endObject()
  }
}
