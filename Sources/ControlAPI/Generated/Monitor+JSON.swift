// Written by `make generate` from org.batond.Monitor.varlink.

public import StrictJSON

extension WatchRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelIds", channelIds)
    writer.member("kinds", kinds)
    writer.member("relayIds", relayIds)
    writer.member("since", since)
    writer.endObject()
  }
}

extension ChangeMessage: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("after", after)
    writer.member("before", before)
    writer.member("kind", kind)
    writer.member("merged", merged)
    writer.member("revision", revision)
    writer.member("time", time)
    writer.member("transition", transition)
    writer.endObject()
  }
}
