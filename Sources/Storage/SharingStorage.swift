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
  /// Whether it gives its slots to others.
  public var isDraining: Bool
  /// Whether it is this daemon.
  public var isOwn: Bool

  public init(
    name: String, session: Int64, version: String, began: Timestamp, state: State, slots: Int, hasCatalog: Bool,
    isDraining: Bool, isOwn: Bool
  ) {
    self.name = name
    self.session = session
    self.version = version
    self.began = began
    self.state = state
    self.slots = slots
    self.hasCatalog = hasCatalog
    self.isDraining = isDraining
    self.isOwn = isOwn
  }
}

/// What a daemon asks about those that share its store. All methods throw `StoreError`.
public protocol SharingStorage: Sendable {
  /// All daemons, by name and session.
  func daemons() async throws -> [SharedStoreDaemon]
  /// Has a daemon give its slots to others, or take its share again.
  /// - Returns: whether there is one of this name.
  func drain(_ name: String, _ isDraining: Bool) async throws -> Bool
}
