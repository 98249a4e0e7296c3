// Written by `make generate` from org.batond.Members.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.Members` refused a call.
public enum MembersRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Members"

  /// No channel has this identifier.
  case noSuchChannel(id: Int64?, name: String?)
  /// The daemon has no member or request with this name for the channel.
  case noSuchMember(channelId: Int64, author: String)
  /// The change of the members is not possible.
  case invalidMember(field: String, reason: String)
  /// The daemon does not read the messages of the channel, so it does not have its members: it reads none at all, or the channel was deleted.
  case notFollowed(id: Int64?)
  /// Someone else runs the channel, and Baton only reads it, see org.batond.Channels.Follow.
  case notOwned(id: Int64)
  /// The network, or the kind of channel, does not support this request.
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
    case "org.batond.Members.NoSuchChannel":
      self = .noSuchChannel(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Members.NoSuchMember":
      self = .noSuchMember(
        channelId: error.parameters["channelId"]?.integer ?? 0,
        author: error.parameters["author"]?.string ?? "")
    case "org.batond.Members.InvalidMember":
      self = .invalidMember(
        field: error.parameters["field"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Members.NotFollowed":
      self = .notFollowed(
        id: error.parameters["id"]?.integer)
    case "org.batond.Members.NotOwned":
      self = .notOwned(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Members.NotSupported":
      self = .notSupported(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Members.NetworkUnavailable":
      self = .networkUnavailable(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Members.Busy":
      self = .busy
    case "org.batond.Members.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Members.OutcomeUnknown":
      self = .outcomeUnknown(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Members.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Members.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .noSuchChannel(let id, let name):
      VarlinkError(
        "org.batond.Members.NoSuchChannel",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .noSuchMember(let channelId, let author):
      VarlinkError(
        "org.batond.Members.NoSuchMember",
        carrying: [
          "channelId": .integer(channelId),
          "author": .string(author),
        ])
    case .invalidMember(let field, let reason):
      VarlinkError(
        "org.batond.Members.InvalidMember",
        carrying: [
          "field": .string(field),
          "reason": .string(reason),
        ])
    case .notFollowed(let id):
      VarlinkError(
        "org.batond.Members.NotFollowed",
        carrying: ["id": id.map(JSONValue.integer)])
    case .notOwned(let id):
      VarlinkError(
        "org.batond.Members.NotOwned",
        carrying: ["id": .integer(id)])
    case .notSupported(let network, let reason):
      VarlinkError(
        "org.batond.Members.NotSupported",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .networkUnavailable(let network, let reason):
      VarlinkError(
        "org.batond.Members.NetworkUnavailable",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .busy: VarlinkError("org.batond.Members.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Members.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .outcomeUnknown(let reason):
      VarlinkError(
        "org.batond.Members.OutcomeUnknown",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Members.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Members.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchChannel(let id, let name): .noSuchChannel(id: id, name: name)
    case .noSuchMember(let channelId, let author): .noSuchMember(channelId: channelId, author: author)
    case .invalidMember(let field, let reason): .invalidMember(field: field, reason: reason)
    case .notFollowed(let id): .notFollowed(id: id)
    case .notOwned(let id): .notOwned(id: id)
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
