public import Channels

/// A daemon that shares a store with others.
public struct SharedStoreDaemon: Hashable, Sendable {
  public enum State: String, Sendable, CaseIterable {
    /// Its session is renewed in time.
    case alive
    /// It is not renewed. Other daemons will take over.
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
  /// A digest of its files that declare operators, or `nil` if it has not loaded any yet.
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

/// A chat core, whose channels belong to one daemon forever.
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

/// The database of a store that several daemons share.
public struct SharedDatabase: Hashable, Sendable {
  /// How far its clock and this machine's may differ before people are warned, in milliseconds.
  public static let clockWarning: Int64 = 2_000
  /// The consequence of commits that wait for no standby, for people.
  public static let standbyWords =
    "commits do not wait for a standby: if the database's machine is lost, so are the latest changes, or all changes without a standby"

  /// How many milliseconds its clock is later than this machine's, at least. Negative if it is earlier.
  public var clockAhead: Int64
  /// Whether commits wait for a standby.
  public var hasSynchronousStandby: Bool

  public init(clockAhead: Int64, hasSynchronousStandby: Bool) {
    self.clockAhead = clockAhead
    self.hasSynchronousStandby = hasSynchronousStandby
  }

  /// How its clock differs, for people.
  public var clockWords: String {
    "the clock of the database is \(Double(abs(clockAhead)) / 1000) s \(clockAhead > 0 ? "ahead of" : "behind") this machine's"
  }
}

/// A daemon's questions about the daemons that share its store. All methods throw `StoreError`.
public protocol SharingStorage: Sendable {
  /// All daemons, by name and session.
  func daemons() async throws -> [SharedStoreDaemon]
  /// All chat cores, by the names of their daemons.
  func cores() async throws -> [SharedCore]
  /// The database in its current state.
  func database() async throws -> SharedDatabase
  /// Notes a digest of this daemon's files that declare operators, for the others.
  func note(declarations: String) async throws
  /// Has a daemon give its slots to others, or take its share again.
  /// - Returns: whether a daemon of this name exists.
  /// - Throws: `CallInDoubt` if it is not known whether it was done.
  func drain(_ name: String, _ isDraining: Bool) async throws -> Bool
}
