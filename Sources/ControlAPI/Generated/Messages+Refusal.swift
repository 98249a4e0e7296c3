// Written by `make generate` from org.batond.Messages.varlink.

internal import StrictJSON
public import Varlink

/// Why `org.batond.Messages` refused a call.
public enum MessagesRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Messages"

  /// There is no message with this identifier.
  case noSuchMessage(id: Int64)
  /// There is no channel with this identifier.
  case noSuchChannel(id: Int64?, name: String?)
  /// The messages of the channel are not read: the daemon reads none, the channel was deleted, or org.batond.Channels.SetFollowing has
  /// turned that off.
  case notFollowed(id: Int64)
  /// The message cannot be hidden, or pinned.
  case invalidMessage(id: Int64, reason: String)
  /// The words cannot be searched.
  case invalidSearch(reason: String)
  /// The network cannot do what was asked for.
  case notSupported(network: String, reason: String)
  /// The daemon does not serve this protocol, or cannot at present.
  case networkUnavailable(network: String, reason: String)
  /// Too many requests wait; try again.
  case busy
  /// What was asked for cannot be read, because the database is damaged. Restore a backup; batonctl check lists what is damaged.
  case storageDamaged(reason: String)
  /// Another daemon that shares the database was to answer, and it is not known whether it made the change. Look before asking again.
  case outcomeUnknown(reason: String)
  /// The database cannot be read or written; nothing was changed.
  case storageUnavailable(reason: String)
  /// The daemon has an internal fault, which its journal describes. Whether a change that was asked for was made is not known.
  case internalError
  /// An error that this version does not know, or one of Varlink's own.
  case other(VarlinkError)

  /// - Parameter error: as the daemon sent it.
  public init(_ error: VarlinkError) {
    switch error.name {
    case "org.batond.Messages.NoSuchMessage":
      self = .noSuchMessage(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Messages.NoSuchChannel":
      self = .noSuchChannel(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Messages.NotFollowed":
      self = .notFollowed(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Messages.InvalidMessage":
      self = .invalidMessage(
        id: error.parameters["id"]?.integer ?? 0,
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Messages.InvalidSearch":
      self = .invalidSearch(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Messages.NotSupported":
      self = .notSupported(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Messages.NetworkUnavailable":
      self = .networkUnavailable(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Messages.Busy":
      self = .busy
    case "org.batond.Messages.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Messages.OutcomeUnknown":
      self = .outcomeUnknown(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Messages.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Messages.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .noSuchMessage(let id):
      VarlinkError(
        "org.batond.Messages.NoSuchMessage",
        carrying: ["id": .integer(id)])
    case .noSuchChannel(let id, let name):
      VarlinkError(
        "org.batond.Messages.NoSuchChannel",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .notFollowed(let id):
      VarlinkError(
        "org.batond.Messages.NotFollowed",
        carrying: ["id": .integer(id)])
    case .invalidMessage(let id, let reason):
      VarlinkError(
        "org.batond.Messages.InvalidMessage",
        carrying: [
          "id": .integer(id),
          "reason": .string(reason),
        ])
    case .invalidSearch(let reason):
      VarlinkError(
        "org.batond.Messages.InvalidSearch",
        carrying: ["reason": .string(reason)])
    case .notSupported(let network, let reason):
      VarlinkError(
        "org.batond.Messages.NotSupported",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .networkUnavailable(let network, let reason):
      VarlinkError(
        "org.batond.Messages.NetworkUnavailable",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .busy: VarlinkError("org.batond.Messages.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Messages.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .outcomeUnknown(let reason):
      VarlinkError(
        "org.batond.Messages.OutcomeUnknown",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Messages.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Messages.InternalError")
    case .other(let error): error
    }
  }
}
