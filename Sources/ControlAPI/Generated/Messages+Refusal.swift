// Written by `make generate` from org.batond.Messages.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.Messages` refused a call.
public enum MessagesRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Messages"

  /// No message has this identifier.
  case noSuchMessage(id: Int64)
  /// No channel has this identifier.
  case noSuchChannel(id: Int64?, name: String?)
  /// The daemon does not read the messages of the channel: it reads none at all, the channel was deleted, or org.batond.Channels.SetFollowing
  /// turned reading off.
  case notFollowed(id: Int64)
  /// The message cannot be hidden or pinned.
  case invalidMessage(id: Int64, reason: String)
  /// Invalid search words.
  case invalidSearch(reason: String)
  /// The network does not support this request.
  case notSupported(network: String, reason: String)
  /// The daemon does not serve this protocol, or cannot serve it now.
  case networkUnavailable(network: String, reason: String)
  /// Too many requests are waiting. Try again.
  case busy
  /// The database is damaged, and the requested data is unreadable. Restore a backup. batonctl check lists the damage.
  case storageDamaged(reason: String)
  /// Another daemon that shares the database was asked to answer, and the outcome is unknown. Check before you retry.
  case outcomeUnknown(reason: String)
  /// The daemon cannot read or write the database. Nothing was changed.
  case storageUnavailable(reason: String)
  /// Internal error in the daemon. Its journal has the details. The change may or may not have been made.
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

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchMessage(let id): .noSuchMessage(id: id)
    case .noSuchChannel(let id, let name): .noSuchChannel(id: id, name: name)
    case .notFollowed(let id): .notFollowed(id: id)
    case .invalidMessage(let id, let reason): .invalidMessage(id: id, reason: reason)
    case .invalidSearch(let reason): .invalidSearch(reason: reason)
    case .notSupported(let network, let reason): .notSupported(network: network, reason: reason)
    case .networkUnavailable(let network, let reason): .networkUnavailable(network: network, reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}
