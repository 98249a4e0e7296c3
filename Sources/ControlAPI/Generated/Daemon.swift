// Written by `make generate` from org.batond.Daemon.varlink.

/// How many relays of channels are in which state.
public struct RelayCounts: Codable, Hashable, Sendable {
  /// Active: the channel can be read there.
  public var active: Int
  /// New, invited or accepted: on the way.
  public var underWay: Int
  /// Active once, not at present.
  public var inactive: Int
  /// Given up, see the cause.
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

/// A network that cannot be used as a whole. Its relays may serve readers all the same.
public struct UnusableNetwork: Codable, Hashable, Sendable {
  /// The network.
  public var network: String
  /// Why, as a stable word.
  public var fault: String
  /// Why, for people, and what to do where that is known.
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
  /// The daemon's version.
  public var version: String
  /// Process identifier.
  public var pid: Int64
  /// When it started, RFC 3339 in UTC.
  public var startedAt: String
  /// Networks that it serves.
  public var networks: [String]
  /// Those of them that cannot be used at present.
  public var unusableNetworks: [UnusableNetwork]
  /// The latest revision.
  public var revision: Int64
  /// Channels, deleted ones left out.
  public var channels: Int
  /// Channels with something left to do.
  public var channelsUnderWay: Int
  /// Relays of all channels.
  public var channelRelays: RelayCounts
  /// Channels whose rows cannot be read; they are left alone.
  public var quarantined: Int
  /// Relays that are known, deleted ones left out.
  public var relays: Int
  /// Enabled relays that cannot be reached.
  public var relaysDown: Int
  /// Operators that are known, deleted ones left out.
  public var operators: Int
  /// Servers that are known, deleted ones left out.
  public var servers: Int
  /// Enabled servers that cannot be reached or are not who their address says.
  public var serversDown: Int
  /// What is wrong with the files that declare operators; absent when they are in force.
  public var declarationsTrouble: String?
  /// Clients that watch.
  public var subscribers: Int
  /// Whether changes can be stored.
  public var storageWorks: Bool
  /// Why not.
  public var storageTrouble: String?
  /// How many things that are stored were found damaged since the start; batonctl check lists them.
  public var damaged: Int
  /// What was found damaged first.
  public var damage: String?
  /// How many sessions of daemons the store has, that of this one included; absent where it has a store of its own.
  public var daemons: Int?
  /// How many of them are silent: the database has not renewed them in time.
  public var daemonsSilent: Int?
  /// How many of them have other files that declare operators than the one that looks after operators.
  public var daemonsWithOtherFiles: Int?
  /// How many channels on SimpleX wait for a daemon whose chat core has them, and which is not there.
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

/// A daemon that shares a store with others.
public struct SharingDaemon: Codable, Hashable, Sendable {
  /// Its name (cluster.name). A run that has ended may be listed beside the new one.
  public var name: String
  /// Its session. Each run gets a new number, higher than all earlier ones.
  public var session: Int
  /// Its version.
  public var version: String
  /// Since when it has its session, RFC 3339 in UTC, by the clock of the database.
  public var since: String
  /// How it is.
  public var state: String
  /// How many of the 1024 slots, into which channels are divided, it has.
  public var slots: Int
  /// Whether it looks after operators, servers, relays and identities.
  public var catalog: Bool
  /// Whether it acts for the channels of a chat core (simplex.core or simplex.program). They never belong to another daemon.
  public var core: Bool
  /// Whether its files that declare operators differ from those of the daemon that looks after operators.
  public var otherFiles: Bool
  /// Whether it hands over its channels to others, and takes none. Those of its chat core stay.
  public var draining: Bool
  /// Whether it is the daemon that was asked.
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

/// The channels that a chat core has.
public struct SharedCore: Codable, Hashable, Sendable {
  /// The name of the daemon with this core.
  public var daemon: String
  /// Whether this daemon acts for them. Otherwise they wait for it.
  public var present: Bool
  /// How many channels there are, deleted ones left out.
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

/// Something wrong in a file.
public struct Problem: Codable, Hashable, Sendable {
  /// Path of the file.
  public var file: String
  /// Line, from 1; absent when the whole file is meant.
  public var line: Int?
  /// Column, from 1.
  public var column: Int?
  /// What is wrong.
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

/// One label of a figure.
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

/// How many values of a histogram there are up to a bound.
public struct MetricBucket: Codable, Hashable, Sendable {
  /// The bound; absent for the last one, which has all values.
  public var atMost: Double?
  /// How many values are not above it.
  public var count: Int

  public init(
    atMost: Double? = nil,
    count: Int
  ) {
    self.atMost = atMost
    self.count = count
  }
}

/// One figure. docs/metrics.md lists them all.
public struct Metric: Codable, Hashable, Sendable {
  /// Its name, with the unit at its end, as Prometheus has it.
  public var name: String
  /// Of which kind it is.
  public var kind: String
  /// The values of its labels, separated by spaces; absent when it has none.
  public var label: String?
  /// What part of the whole it is about.
  public var labels: [MetricLabel]
  /// The figure; the sum of all values of a histogram.
  public var value: Double
  /// The buckets of a histogram, rising; absent for all others.
  public var buckets: [MetricBucket]?
  /// What it is, for people.
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
  /// Files that were read.
  public var files: Int
  /// Operators that they declare.
  public var operators: Int
  /// Servers that they declare.
  public var servers: Int
  /// Relays that they declare.
  public var relays: Int
  /// Options of batond.yaml that have another value from now on.
  public var options: [String]
  /// Options that will have another value after a restart; they are not applied by a reload.
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
