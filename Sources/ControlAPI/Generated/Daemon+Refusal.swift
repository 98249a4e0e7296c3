// Written by `make generate` from org.batond.Daemon.varlink.

internal import StrictJSON
public import Varlink

/// Why `org.batond.Daemon` refused a call.
public enum DaemonRefusal: Error, Hashable, Sendable {
  /// The files are wrong; everything stays as it was.
  case invalidConfiguration(problems: [Problem])
  /// Too many requests wait; try again.
  case busy
  /// The database cannot be written; nothing was changed.
  case storageUnavailable(reason: String)
  /// An error that this version does not know, or one of Varlink's own.
  case other(VarlinkError)

  /// - Parameter error: as the daemon sent it.
  public init(_ error: VarlinkError) {
    switch error.name {
    case "org.batond.Daemon.InvalidConfiguration":
      self = .invalidConfiguration(
        problems: (try? [Problem](json: error.parameters["problems"] ?? .null)) ?? [])
    case "org.batond.Daemon.Busy":
      self = .busy
    case "org.batond.Daemon.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    default: self = .other(error)
    }
  }
}
