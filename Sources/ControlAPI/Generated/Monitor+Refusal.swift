// Written by `make generate` from org.batond.Monitor.varlink.

internal import StrictJSON
public import Varlink

/// Why `org.batond.Monitor` refused a call.
public enum MonitorRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Monitor"

  /// The filter or cursor cannot be used.
  case invalidFilter(path: String, reason: String)
  /// The changes after this revision are not all kept any more: list again and go on from the list's revision.
  case revisionCompacted(oldest: Int)
  /// The subscriber did not read fast enough, twice in a row: list again, or go on from the revision that is said here.
  case tooSlow(revision: Int64)
  /// As many clients watch as may; see the option control.subscribersMax.
  case tooManySubscribers
  /// What was asked for cannot be read, because the database is damaged. Restore a backup; batonctl check lists what is damaged.
  case storageDamaged(reason: String)
  /// The database cannot be read at present.
  case storageUnavailable(reason: String)
  /// The daemon has an internal fault, which its journal describes. Whether a change that was asked for was made is not known.
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
}
