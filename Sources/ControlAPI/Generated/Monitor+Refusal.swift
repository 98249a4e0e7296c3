// Written by `make generate` from org.batond.Monitor.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.Monitor` refused a call.
public enum MonitorRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Monitor"

  /// The filter or cursor is invalid.
  case invalidFilter(path: String, reason: String)
  /// Not all changes after this revision are still kept. List again, and continue from the list's revision.
  case revisionCompacted(oldest: Int)
  /// The subscriber read too slowly, twice in a row. List again, or continue from this revision.
  case tooSlow(revision: Int64)
  /// Too many clients are watching. End another watch, or raise the option control.subscribersMax.
  case tooManySubscribers
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
    case "org.batond.Monitor.InvalidFilter":
      self = .invalidFilter(
        path: error.parameters["path"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Monitor.RevisionCompacted":
      self = .revisionCompacted(
        oldest: Int(error.parameters["oldest"]?.integer ?? 0))
    case "org.batond.Monitor.TooSlow":
      self = .tooSlow(
        revision: error.parameters["revision"]?.integer ?? 0)
    case "org.batond.Monitor.TooManySubscribers":
      self = .tooManySubscribers
    case "org.batond.Monitor.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Monitor.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Monitor.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .invalidFilter(let path, let reason):
      VarlinkError(
        "org.batond.Monitor.InvalidFilter",
        carrying: [
          "path": .string(path),
          "reason": .string(reason),
        ])
    case .revisionCompacted(let oldest):
      VarlinkError(
        "org.batond.Monitor.RevisionCompacted",
        carrying: ["oldest": .integer(Int64(oldest))])
    case .tooSlow(let revision):
      VarlinkError(
        "org.batond.Monitor.TooSlow",
        carrying: ["revision": .integer(revision)])
    case .tooManySubscribers: VarlinkError("org.batond.Monitor.TooManySubscribers")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Monitor.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Monitor.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Monitor.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
    case .revisionCompacted(let oldest): .revisionCompacted(oldest: oldest)
    case .tooSlow(let revision): .tooSlow(revision: revision)
    case .tooManySubscribers: .tooManySubscribers
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}
