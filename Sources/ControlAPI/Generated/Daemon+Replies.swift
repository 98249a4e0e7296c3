// Written by `make generate` from org.batond.Daemon.varlink.

/// A reply of org.batond.Daemon.Permissions.
public struct DaemonPermissionsReply: Codable, Hashable, Sendable {
  /// Number of the user.
  public var uid: Int
  /// Whether it may find channels and follow posts.
  public var readPosts: Bool
  /// Whether it may read everything else.
  public var read: Bool
  /// Whether it may publish, import, release, edit, delete, retry, cancel and pin posts, react, and authorize uploads.
  public var publish: Bool
  /// Whether it may change everything else.
  public var change: Bool

  public init(
    uid: Int,
    readPosts: Bool,
    read: Bool,
    publish: Bool,
    change: Bool
  ) {
    self.uid = uid
    self.readPosts = readPosts
    self.read = read
    self.publish = publish
    self.change = change
  }
}

/// A reply of org.batond.Daemon.Cluster.
public struct DaemonClusterReply: Codable, Hashable, Sendable {
  /// Whether the daemon shares its store.
  public var shared: Bool
  /// The daemons by name, empty if the store is not shared.
  public var daemons: [SharingDaemon]
  /// The chat cores by the names of their daemons, empty if the store is not shared.
  public var cores: [SharedCore]

  public init(
    shared: Bool,
    daemons: [SharingDaemon],
    cores: [SharedCore]
  ) {
    self.shared = shared
    self.daemons = daemons
    self.cores = cores
  }
}

/// A reply of org.batond.Daemon.Metrics.
public struct DaemonMetricsReply: Codable, Hashable, Sendable {
  /// The metrics, grouped by name.
  public var metrics: [Metric]

  public init(
    metrics: [Metric]
  ) {
    self.metrics = metrics
  }
}

/// A reply of org.batond.Daemon.Check.
public struct DaemonCheckReply: Codable, Hashable, Sendable {
  /// Number of channels checked.
  public var channels: Int
  /// The damage, as text for people, at most 100 lines.
  public var problems: [String]

  public init(
    channels: Int,
    problems: [String]
  ) {
    self.channels = channels
    self.problems = problems
  }
}

/// A reply of org.batond.Daemon.Backup.
public struct DaemonBackupReply: Codable, Hashable, Sendable {
  /// The next bytes, in base64.
  public var data: String
  /// Size of the whole copy in bytes.
  public var size: Int

  public init(
    data: String,
    size: Int
  ) {
    self.data = data
    self.size = size
  }
}
