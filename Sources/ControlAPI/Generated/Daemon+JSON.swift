// Written by `make generate` from org.batond.Daemon.varlink.

public import StrictJSON

extension RelayCounts: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("active", active)
    writer.member("failed", failed)
    writer.member("inactive", inactive)
    writer.member("underWay", underWay)
    writer.endObject()
  }
}

extension UnusableNetwork: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("detail", detail)
    writer.member("fault", fault)
    writer.member("network", network)
    writer.endObject()
  }
}

extension DaemonStatus: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channelRelays", channelRelays)
    writer.member("channels", channels)
    writer.member("channelsUnderWay", channelsUnderWay)
    writer.member("channelsWaitingForCores", channelsWaitingForCores)
    writer.member("daemons", daemons)
    writer.member("daemonsSilent", daemonsSilent)
    writer.member("daemonsWithOtherFiles", daemonsWithOtherFiles)
    writer.member("damage", damage)
    writer.member("damaged", damaged)
    writer.member("declarationsTrouble", declarationsTrouble)
    writer.member("networks", networks)
    writer.member("operators", operators)
    writer.member("pid", pid)
    writer.member("quarantined", quarantined)
    writer.member("relays", relays)
    writer.member("relaysDown", relaysDown)
    writer.member("revision", revision)
    writer.member("servers", servers)
    writer.member("serversDown", serversDown)
    writer.member("startedAt", startedAt)
    writer.member("storageTrouble", storageTrouble)
    writer.member("storageWorks", storageWorks)
    writer.member("subscribers", subscribers)
    writer.member("summary", summary)
    writer.member("unusableNetworks", unusableNetworks)
    writer.member("version", version)
    writer.endObject()
  }
}

extension SharingDaemon: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("catalog", catalog)
    writer.member("core", core)
    writer.member("draining", draining)
    writer.member("name", name)
    writer.member("otherFiles", otherFiles)
    writer.member("own", own)
    writer.member("session", session)
    writer.member("since", since)
    writer.member("slots", slots)
    writer.member("state", state)
    writer.member("version", version)
    writer.endObject()
  }
}

extension SharedCore: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channels", channels)
    writer.member("daemon", daemon)
    writer.member("present", present)
    writer.endObject()
  }
}

extension Problem: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("column", column)
    writer.member("file", file)
    writer.member("line", line)
    writer.member("text", text)
    writer.endObject()
  }
}

extension MetricLabel: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", name)
    writer.member("value", value)
    writer.endObject()
  }
}

extension MetricBucket: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("atMost", atMost)
    writer.member("count", count)
    writer.endObject()
  }
}

extension Metric: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("buckets", buckets)
    writer.member("description", description)
    writer.member("kind", kind)
    writer.member("label", label)
    writer.member("labels", labels)
    writer.member("name", name)
    writer.member("value", value)
    writer.endObject()
  }
}

extension ReloadReport: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("files", files)
    writer.member("needRestart", needRestart)
    writer.member("operators", operators)
    writer.member("options", options)
    writer.member("relays", relays)
    writer.member("servers", servers)
    writer.endObject()
  }
}
