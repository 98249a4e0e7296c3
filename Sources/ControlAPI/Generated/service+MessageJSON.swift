// Written by `make generate` from io.systemd.service.varlink.

public import StrictJSON

extension ServiceGetLogLevelReply: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("level", level)
    writer.endObject()
  }
}

extension ServiceSetLogLevelRequest: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("level", level)
    writer.endObject()
  }
}
