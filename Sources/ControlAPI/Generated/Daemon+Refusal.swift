// Written by `make generate` from org.batond.Daemon.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.Daemon` refused a call.
public enum DaemonRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Daemon"

  /// The files contain errors, and nothing was changed. Correct them.
  case invalidConfiguration(problems: [Problem])
  /// No daemon with this name shares the store.
  case noSuchDaemon(name: String)
  /// The daemon does not share its store.
  case notShared
  /// The store is shared. Copy it with PostgreSQL's own tools.
  case storeIsShared
  /// Too many connections are open. The daemon sends this in reply to the first call, and closes the connection.
  case tooManyConnections(of: String, max: Int)
  /// Too many requests are waiting. Try again.
  case busy
  /// The database is damaged, and the requested data is unreadable. Restore a backup. batonctl check lists the damage.
  case storageDamaged(reason: String)
  /// The daemon cannot read or write the database. Nothing was changed.
  case storageUnavailable(reason: String)
  /// Internal error in the daemon. Its journal has the details. The change may or may not have been made.
  case internalError
  /// An error that this version does not know, or one of Varlink's own.
  case other(VarlinkError)

  /// - Parameter error: as the daemon sent it.
  public init(_ error: VarlinkError) {
    switch error.name {
    case "org.batond.Daemon.InvalidConfiguration":
      self = .invalidConfiguration(
        problems: (try? [Problem](json: error.parameters["problems"] ?? .null)) ?? [])
    case "org.batond.Daemon.NoSuchDaemon":
      self = .noSuchDaemon(
        name: error.parameters["name"]?.string ?? "")
    case "org.batond.Daemon.NotShared":
      self = .notShared
    case "org.batond.Daemon.StoreIsShared":
      self = .storeIsShared
    case "org.batond.Daemon.TooManyConnections":
      self = .tooManyConnections(
        of: error.parameters["of"]?.string ?? "",
        max: Int(error.parameters["max"]?.integer ?? 0))
    case "org.batond.Daemon.Busy":
      self = .busy
    case "org.batond.Daemon.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Daemon.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Daemon.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .invalidConfiguration(let problems):
      VarlinkError(
        "org.batond.Daemon.InvalidConfiguration",
        carrying: ["problems": try? problems.json])
    case .noSuchDaemon(let name):
      VarlinkError(
        "org.batond.Daemon.NoSuchDaemon",
        carrying: ["name": .string(name)])
    case .notShared: VarlinkError("org.batond.Daemon.NotShared")
    case .storeIsShared: VarlinkError("org.batond.Daemon.StoreIsShared")
    case .tooManyConnections(let of, let max):
      VarlinkError(
        "org.batond.Daemon.TooManyConnections",
        carrying: [
          "of": .string(of),
          "max": .integer(Int64(max)),
        ])
    case .busy: VarlinkError("org.batond.Daemon.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Daemon.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Daemon.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Daemon.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .invalidConfiguration(let problems): .invalidConfiguration(problems: problems)
    case .noSuchDaemon(let name): .noSuchDaemon(name: name)
    case .notShared: .notShared
    case .storeIsShared: .storeIsShared
    case .tooManyConnections(let of, let max): .tooManyConnections(of: of, max: max)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}
