/// How many relays of channels are in which state. The `.varlink` file documents the fields.
public struct RelayCounts: Codable, Hashable, Sendable {
  public var active: Int
  public var underWay: Int
  public var inactive: Int
  public var failed: Int

  public init(active: Int, underWay: Int, inactive: Int, failed: Int) {
    self.active = active
    self.underWay = underWay
    self.inactive = inactive
    self.failed = failed
  }
}

/// How the daemon is, as in org.batond.Daemon. The `.varlink` file documents the fields.
public struct DaemonStatus: Codable, Hashable, Sendable {
  public var version: String
  public var pid: Int64
  public var startedAt: String
  public var networks: [String]
  public var revision: Int64
  public var channels: Int
  public var channelsUnderWay: Int
  public var channelRelays: RelayCounts
  public var quarantined: Int
  public var relays: Int
  public var relaysDown: Int
  public var operators: Int
  public var servers: Int
  public var serversDown: Int
  public var declarationsTrouble: String?
  public var subscribers: Int
  public var storageWorks: Bool
  public var storageTrouble: String?
  public var summary: String

  public init(
    version: String, pid: Int64, startedAt: String, networks: [String], revision: Int64, channels: Int, channelsUnderWay: Int,
    channelRelays: RelayCounts, quarantined: Int, relays: Int, relaysDown: Int, operators: Int, servers: Int, serversDown: Int,
    declarationsTrouble: String? = nil, subscribers: Int, storageWorks: Bool,
    storageTrouble: String? = nil, summary: String
  ) {
    self.version = version
    self.pid = pid
    self.startedAt = startedAt
    self.networks = networks
    self.revision = revision
    self.channels = channels
    self.channelsUnderWay = channelsUnderWay
    self.channelRelays = channelRelays
    self.quarantined = quarantined
    self.relays = relays
    self.relaysDown = relaysDown
    self.operators = operators
    self.servers = servers
    self.serversDown = serversDown
    self.declarationsTrouble = declarationsTrouble
    self.subscribers = subscribers
    self.storageWorks = storageWorks
    self.storageTrouble = storageTrouble
    self.summary = summary
  }
}

/// Something wrong in a file, as in org.batond.Daemon. The `.varlink` file documents the fields.
public struct Problem: Codable, Hashable, Sendable {
  public var file: String
  public var line: Int64?
  public var column: Int64?
  public var text: String

  public init(file: String, line: Int64? = nil, column: Int64? = nil, text: String) {
    self.file = file
    self.line = line
    self.column = column
    self.text = text
  }
}

/// What org.batond.Daemon.Reload found. The `.varlink` file documents the fields.
public struct ReloadReport: Codable, Hashable, Sendable {
  public var files: Int64
  public var operators: Int64
  public var servers: Int64
  public var relays: Int64

  public init(files: Int64, operators: Int64, servers: Int64, relays: Int64) {
    self.files = files
    self.operators = operators
    self.servers = servers
    self.relays = relays
  }
}
