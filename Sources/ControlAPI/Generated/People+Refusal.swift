// Written by `make generate` from org.batond.People.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.People` refused a call.
public enum PeopleRefusal: InterfaceRefusal {
  public static let interface = "org.batond.People"

  /// No one with this name has stored messages, is muted, or is a member of a channel. Correct the name.
  case noSuchPerson(author: String)
  /// No channel has this identifier.
  case noSuchChannel(id: Int64?, name: String?)
  /// The daemon reads no messages, or the channel was deleted. Without messages no one can be muted.
  case notFollowed(id: Int64?)
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
    case "org.batond.People.NoSuchPerson":
      self = .noSuchPerson(
        author: error.parameters["author"]?.string ?? "")
    case "org.batond.People.NoSuchChannel":
      self = .noSuchChannel(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.People.NotFollowed":
      self = .notFollowed(
        id: error.parameters["id"]?.integer)
    case "org.batond.People.Busy":
      self = .busy
    case "org.batond.People.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.People.OutcomeUnknown":
      self = .outcomeUnknown(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.People.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.People.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .noSuchPerson(let author):
      VarlinkError(
        "org.batond.People.NoSuchPerson",
        carrying: ["author": .string(author)])
    case .noSuchChannel(let id, let name):
      VarlinkError(
        "org.batond.People.NoSuchChannel",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .notFollowed(let id):
      VarlinkError(
        "org.batond.People.NotFollowed",
        carrying: ["id": id.map(JSONValue.integer)])
    case .busy: VarlinkError("org.batond.People.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.People.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .outcomeUnknown(let reason):
      VarlinkError(
        "org.batond.People.OutcomeUnknown",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.People.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.People.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchPerson(let author): .noSuchPerson(author: author)
    case .noSuchChannel(let id, let name): .noSuchChannel(id: id, name: name)
    case .notFollowed(let id): .notFollowed(id: id)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}
