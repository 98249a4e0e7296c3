// Written by `make generate` from org.batond.Daemon.varlink.

/// Numbers of relays of channels, by status.
public struct RelayCounts: Codable, Hashable, Sendable {
  /// Active: readers can read the channel there.
  public var active: Int
  /// New, invited or accepted: on the way.
  public var underWay: Int
  /// Active before, but not now.
  public var inactive: Int
  /// Given up.
  public var failed: Int

  public init(
    active: Int,
    underWay: Int,
    inactive: Int,
    failed: Int
  ) {
    self.active = active
    self.underWay = underWay
    self.inactive = inactive
    self.failed = failed
  }
}

/// A network that is unusable as a whole. Its relays may still serve readers.
public struct UnusableNetwork: Codable, Hashable, Sendable {
  /// The network.
  public var network: String
  /// The reason, as a stable word.
  public var fault: String
  /// The reason and, if known, the remedy, as text for people.
  public var detail: String

  public init(
    network: String,
    fault: String,
    detail: String
  ) {
    self.network = network
    self.fault = fault
    self.detail = detail
  }
}

/// A reply of org.batond.Daemon.Status.
public struct DaemonStatus: Codable, Hashable, Sendable {
  /// Its version.
  public var version: String
  /// Process identifier.
  public var pid: Int64
  /// Time of its start, RFC 3339 in UTC.
  public var startedAt: String
  /// Networks that it serves.
  public var networks: [String]
  /// Networks among them that are unusable now.
  public var unusableNetworks: [UnusableNetwork]
  /// The latest revision.
  public var revision: Int64
  /// Number of channels, without deleted ones.
  public var channels: Int
  /// Number of channels with unfinished work.
  public var channelsUnderWay: Int
  /// Relays of all channels.
  public var channelRelays: RelayCounts
  /// Number of unreadable channels, which the daemon skips.
  public var quarantined: Int
  /// Number of relays, without deleted ones.
  public var relays: Int
  /// Number of enabled relays that are unreachable.
  public var relaysDown: Int
  /// Number of operators, without deleted ones.
  public var operators: Int
  /// Number of servers, without deleted ones.
  public var servers: Int
  /// Number of enabled servers that are unreachable, or are not the server in their address.
  public var serversDown: Int
  /// The fault in the files that declare operators. Absent if they are in force.
  public var declarationsTrouble: String?
  /// Number of clients that watch.
  public var subscribers: Int
  /// Whether changes can be stored.
  public var storageWorks: Bool
  /// The reason if they cannot.
  public var storageTrouble: String?
  /// Number of damaged stored objects found since the start. batonctl check lists them.
  public var damaged: Int
  /// The first damage found.
  public var damage: String?
  /// Number of sessions of daemons in the store, including this one. Absent if the store is not shared.
  public var daemons: Int?
  /// Number of silent sessions, which were not renewed in time.
  public var daemonsSilent: Int?
  /// Number of daemons with other files that declare operators, see Cluster.
  public var daemonsWithOtherFiles: Int?
  /// Number of channels on SimpleX that wait for the daemon with their core.
  public var channelsWaitingForCores: Int?
  /// One line for people.
  public var summary: String

  public init(
    version: String,
    pid: Int64,
    startedAt: String,
    networks: [String],
    unusableNetworks: [UnusableNetwork],
    revision: Int64,
    channels: Int,
    channelsUnderWay: Int,
    channelRelays: RelayCounts,
    quarantined: Int,
    relays: Int,
    relaysDown: Int,
    operators: Int,
    servers: Int,
    serversDown: Int,
    declarationsTrouble: String? = nil,
    subscribers: Int,
    storageWorks: Bool,
    storageTrouble: String? = nil,
    damaged: Int,
    damage: String? = nil,
    daemons: Int? = nil,
    daemonsSilent: Int? = nil,
    daemonsWithOtherFiles: Int? = nil,
    channelsWaitingForCores: Int? = nil,
    summary: String
  ) {
    self.version = version
    self.pid = pid
    self.startedAt = startedAt
    self.networks = networks
    self.unusableNetworks = unusableNetworks
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
    self.damaged = damaged
    self.damage = damage
    self.daemons = daemons
    self.daemonsSilent = daemonsSilent
    self.daemonsWithOtherFiles = daemonsWithOtherFiles
    self.channelsWaitingForCores = channelsWaitingForCores
    self.summary = summary
  }
}

/// A daemon that shares a store.
public struct SharingDaemon: Codable, Hashable, Sendable {
  /// Its name (cluster.name). An ended run may be listed next to the new one.
  public var name: String
  /// Number of its session, higher than any earlier one.
  public var session: Int
  /// Its version.
  public var version: String
  /// Start of its session, RFC 3339 in UTC, by the clock of the database.
  public var since: String
  /// Its state.
  public var state: String
  /// Number of its slots, of the 1024 into which channels are divided.
  public var slots: Int
  /// Whether it looks after operators, servers, relays and identities.
  public var catalog: Bool
  /// Whether it acts for the channels of a chat core (simplex.core or simplex.program), which never belong to another daemon.
  public var core: Bool
  /// Whether its files that declare operators differ from the files of the daemon that looks after operators.
  public var otherFiles: Bool
  /// Whether it hands over its channels and accepts none. It keeps channels of its chat core.
  public var draining: Bool
  /// Whether it is the daemon that answers.
  public var own: Bool

  public init(
    name: String,
    session: Int,
    version: String,
    since: String,
    state: String,
    slots: Int,
    catalog: Bool,
    core: Bool,
    otherFiles: Bool,
    draining: Bool,
    own: Bool
  ) {
    self.name = name
    self.session = session
    self.version = version
    self.since = since
    self.state = state
    self.slots = slots
    self.catalog = catalog
    self.core = core
    self.otherFiles = otherFiles
    self.draining = draining
    self.own = own
  }
}

/// The channels of a chat core.
public struct SharedCore: Codable, Hashable, Sendable {
  /// Name of the daemon with this core.
  public var daemon: String
  /// Whether this daemon acts for them. Otherwise they wait for it.
  public var present: Bool
  /// Number of channels, without deleted ones.
  public var channels: Int

  public init(
    daemon: String,
    present: Bool,
    channels: Int
  ) {
    self.daemon = daemon
    self.present = present
    self.channels = channels
  }
}

/// A fault in a file.
public struct Problem: Codable, Hashable, Sendable {
  /// Path of the file.
  public var file: String
  /// Line, from 1. Absent if the whole file is meant.
  public var line: Int?
  /// Column, from 1.
  public var column: Int?
  /// The fault.
  public var text: String

  public init(
    file: String,
    line: Int? = nil,
    column: Int? = nil,
    text: String
  ) {
    self.file = file
    self.line = line
    self.column = column
    self.text = text
  }
}

/// One label of a metric.
public struct MetricLabel: Codable, Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Its value.
  public var value: String

  public init(
    name: String,
    value: String
  ) {
    self.name = name
    self.value = value
  }
}

/// Number of values of a histogram up to a bound.
public struct MetricBucket: Codable, Hashable, Sendable {
  /// The bound. Absent in the last bucket, which has all values.
  public var atMost: Double?
  /// Number of values up to the bound.
  public var count: Int

  public init(
    atMost: Double? = nil,
    count: Int
  ) {
    self.atMost = atMost
    self.count = count
  }
}

/// One metric. docs/metrics.md lists all.
public struct Metric: Codable, Hashable, Sendable {
  /// Its name as in Prometheus, with the unit at the end.
  public var name: String
  /// Its kind.
  public var kind: String
  /// The values of its labels, separated by spaces. Absent without labels.
  public var label: String?
  /// Its labels.
  public var labels: [MetricLabel]
  /// The value. For a histogram, the sum of all values.
  public var value: Double
  /// The buckets of a histogram, in rising order. Absent for other kinds.
  public var buckets: [MetricBucket]?
  /// Its description, as text for people.
  public var description: String

  public init(
    name: String,
    kind: String,
    label: String? = nil,
    labels: [MetricLabel],
    value: Double,
    buckets: [MetricBucket]? = nil,
    description: String
  ) {
    self.name = name
    self.kind = kind
    self.label = label
    self.labels = labels
    self.value = value
    self.buckets = buckets
    self.description = description
  }
}

/// A reply of org.batond.Daemon.Reload.
public struct ReloadReport: Codable, Hashable, Sendable {
  /// Number of files read.
  public var files: Int
  /// Number of operators that they declare.
  public var operators: Int
  /// Number of servers that they declare.
  public var servers: Int
  /// Number of relays that they declare.
  public var relays: Int
  /// Options of batond.yaml with a new value.
  public var options: [String]
  /// Options that get a new value only after a restart.
  public var needRestart: [String]

  public init(
    files: Int,
    operators: Int,
    servers: Int,
    relays: Int,
    options: [String],
    needRestart: [String]
  ) {
    self.files = files
    self.operators = operators
    self.servers = servers
    self.relays = relays
    self.options = options
    self.needRestart = needRestart
  }
}
