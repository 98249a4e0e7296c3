// Refusals that are about the daemon, its connections and its database.
extension RefusalSentence {
  /// Too many requests that wait.
  public static let busy = Self("the daemon is overloaded", "Try again later")

  /// A daemon that does not share the store.
  public static func noSuchDaemon(name: String) -> Self {
    Self("no daemon named '\(name)' shares this database", "See batonctl cluster")
  }

  /// A store that is one daemon's own.
  public static let notShared = Self("this daemon does not share its database", "See its option store")

  /// A copy of a store that others look after.
  public static let storeIsShared = Self(
    "the daemon keeps its data in PostgreSQL",
    "Back it up with pg_dump or pg_basebackup, and keep a copy of identity.key elsewhere")

  /// A network that is unusable. The reason is the whole sentence.
  public static func networkUnavailable(network: String, reason: String) -> Self { Self(reason) }

  /// An invalid filter, order or cursor.
  /// - Parameter path: the part of the request.
  public static func invalidFilter(path: String, reason: String) -> Self { Self("invalid \(path): \(reason)") }

  /// An object that cannot be read because the database is damaged.
  public static func storageDamaged(reason: String) -> Self {
    Self(
      "the daemon's database is damaged: \(reason)", "batonctl check lists all damage. Restore a backup", after: ". ")
  }

  /// A database that cannot be read or written.
  public static func storageUnavailable(reason: String) -> Self {
    Self(
      "cannot use the database: \(reason)",
      inFull: "the daemon cannot use its database, and nothing was changed: \(reason)")
  }

  /// A change that may or may not have been made.
  public static func outcomeUnknown(reason: String) -> Self {
    Self("the outcome is unknown: \(reason)", "Check whether it took effect before you try again")
  }

  /// A fault of the daemon.
  public static let internalError = Self(
    "internal error in batond", "See journalctl -u batond, and check whether the change took effect", after: ". ")

  /// One more connection than may be open.
  /// - Parameter of: whose connections there are too many of: user, strangers, or all.
  public static func tooManyConnections(of: String, max: Int) -> Self {
    switch of {
    case "user":
      Self(
        "you already have \(counted(max, "connection")) to the daemon",
        "Close some, or raise its option control.connectionsPerUser")
    case "strangers": Self("the daemon already has \(counted(max, "connection")) of users without rights", "Try again later")
    default: Self("the daemon already has \(counted(max, "connection"))", "See its option control.connectionsMax")
    }
  }

  /// A revision from which changes are no longer kept.
  /// - Parameter oldest: the first revision that is still kept.
  public static func revisionCompacted(oldest: Int) -> Self {
    Self("changes before revision \(oldest) are no longer kept", "List again")
  }

  /// One more client that wants to watch.
  public static let tooManySubscribers = Self(
    "too many clients are watching", "See the daemon's option control.subscribersMax")

  /// A client that does not read its changes fast enough.
  /// - Parameter revision: up to which everything was sent.
  public static func tooSlow(revision: Int64) -> Self {
    Self("the client fell behind and missed changes", "Continue with --since \(revision)")
  }

  /// A method that the caller may not call.
  public static let permissionDenied = Self(
    "permission denied: this needs root or the group baton",
    "Join it with usermod -aG baton USER and log in again. The options control.readGroup and control.publishGroup let others read or publish"
  )

  /// A parameter that is unknown, missing or of the wrong type.
  public static func invalidParameter(_ parameter: String) -> Self {
    Self("invalid parameter '\(parameter)'")
  }
}
