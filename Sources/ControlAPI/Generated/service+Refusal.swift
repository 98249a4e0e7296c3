// Written by `make generate` from io.systemd.service.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `io.systemd.service` refused a call.
public enum ServiceRefusal: InterfaceRefusal {
  public static let interface = "io.systemd.service"

  /// The files contain errors, and nothing was changed. Correct them.
  case invalidConfiguration(reason: String)
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
    case "io.systemd.service.InvalidConfiguration":
      self = .invalidConfiguration(
        reason: error.parameters["reason"]?.string ?? "")
    case "io.systemd.service.Busy":
      self = .busy
    case "io.systemd.service.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "io.systemd.service.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "io.systemd.service.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .invalidConfiguration(let reason):
      VarlinkError(
        "io.systemd.service.InvalidConfiguration",
        carrying: ["reason": .string(reason)])
    case .busy: VarlinkError("io.systemd.service.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "io.systemd.service.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "io.systemd.service.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("io.systemd.service.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .invalidConfiguration(let reason): .invalidConfiguration(reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}
