// Written by `make generate` from org.batond.Daemon.varlink.

/// A reply of org.batond.Daemon.Permissions.
public struct DaemonPermissionsReply: Codable, Hashable, Sendable {
  /// The user, by number.
  public var uid: Int
  /// Whether to read what it takes to find a channel and to follow a post.
  public var readPosts: Bool
  /// Whether to read everything else.
  public var read: Bool
  /// Whether to publish posts, and to change what becomes of them.
  public var publish: Bool
  /// Whether to change everything else.
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
  /// Whether the daemon shares its store with others.
  public var shared: Bool
  /// The daemons by name; none if it is alone.
  public var daemons: [SharingDaemon]
  /// The chat cores by the names of their daemons; none if the daemon is alone.
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
  /// The figures, those with one name together.
  public var metrics: [Metric]

  public init(
    metrics: [Metric]
  ) {
    self.metrics = metrics
  }
}

/// A reply of org.batond.Daemon.Check.
public struct DaemonCheckReply: Codable, Hashable, Sendable {
  /// Channels that were looked at.
  public var channels: Int
  /// What is wrong, for people; at most 100 lines.
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
  /// Bytes of the whole copy.
  public var size: Int

  public init(
    data: String,
    size: Int
  ) {
    self.data = data
    self.size = size
  }
}
