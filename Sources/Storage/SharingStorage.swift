public import Channels

/// A daemon that shares a store with others.
public struct SharedStoreDaemon: Hashable, Sendable {
  public enum State: String, Sendable {
    /// Its session is renewed in time.
    case alive
    /// It is not; others will take over.
    case silent
    /// It has ended in order, and may begin again.
    case stopped
  }

  public var name: String
  /// The number of its session.
  public var session: Int64
  public var version: String
  /// When the session began, by the clock of the database.
  public var began: Timestamp
  public var state: State
  /// How many slots it has.
  public var slots: Int
  public var hasCatalog: Bool
  /// Whether it has the channels of a chat core.
  public var hasCore: Bool
  /// A digest of its files that declare operators; `nil` if it has not loaded any yet.
  public var declarations: String?
  /// Whether it gives its slots to others.
  public var isDraining: Bool
  /// Whether it is this daemon.
  public var isOwn: Bool

  public init(
    name: String, session: Int64, version: String, began: Timestamp, state: State, slots: Int, hasCatalog: Bool,
    hasCore: Bool, declarations: String?, isDraining: Bool, isOwn: Bool
  ) {
    self.name = name
    self.session = session
    self.version = version
    self.began = began
    self.state = state
    self.slots = slots
    self.hasCatalog = hasCatalog
    self.hasCore = hasCore
    self.declarations = declarations
    self.isDraining = isDraining
    self.isOwn = isOwn
  }
}

/// A chat core, whose channels belong to one daemon for ever.
public struct SharedCore: Hashable, Sendable {
  /// The name of the daemon.
  public var daemon: String
  /// Whether the daemon acts for them. Otherwise they wait for it.
  public var isThere: Bool
  /// How many channels there are, deleted ones left out.
  public var channels: Int

  public init(daemon: String, isThere: Bool, channels: Int) {
    self.daemon = daemon
    self.isThere = isThere
    self.channels = channels
  }
}

/// What a daemon asks about those that share its store. All methods throw `StoreError`.
public protocol SharingStorage: Sendable {
  /// All daemons, by name and session.
  func daemons() async throws -> [SharedStoreDaemon]
  /// All chat cores, by the names of their daemons.
  func cores() async throws -> [SharedCore]
  /// Notes a digest of this daemon's files that declare operators, for the others.
  func note(declarations: String) async throws
  /// Has a daemon give its slots to others, or take its share again.
  /// - Returns: whether there is one of this name.
  func drain(_ name: String, _ isDraining: Bool) async throws -> Bool
}
