// Written by `make generate` from org.batond.Identities.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.Identities` refused a call.
public enum IdentitiesRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Identities"

  /// No identity has this identifier or name, or has both.
  case noSuchIdentity(id: Int64?, name: String?)
  /// Identities on several networks have this name. Use an identifier.
  case ambiguousName(name: String, identityIds: [Int64])
  /// The filter, sort or cursor is invalid.
  case invalidFilter(path: String, reason: String)
  /// Another identity has this name or key. Choose another.
  case duplicateName(name: String)
  /// The name is not allowed. Choose another.
  case invalidDisplayName(reason: String)
  /// The credential is missing or not a secret key.
  case invalidCredential(credential: String, reason: String)
  /// Channels belong to the identity, or are followed for it: delete or unfollow them first. Or it is main, which cannot be removed.
  case identityInUse(channels: Int)
  /// The daemon does not serve this protocol, or cannot serve it now, or the protocol has one identity only.
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
    case "org.batond.Identities.NoSuchIdentity":
      self = .noSuchIdentity(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Identities.AmbiguousName":
      self = .ambiguousName(
        name: error.parameters["name"]?.string ?? "",
        identityIds: (try? [Int64](json: error.parameters["identityIds"] ?? .null)) ?? [])
    case "org.batond.Identities.InvalidFilter":
      self = .invalidFilter(
        path: error.parameters["path"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Identities.DuplicateName":
      self = .duplicateName(
        name: error.parameters["name"]?.string ?? "")
    case "org.batond.Identities.InvalidDisplayName":
      self = .invalidDisplayName(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Identities.InvalidCredential":
      self = .invalidCredential(
        credential: error.parameters["credential"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Identities.IdentityInUse":
      self = .identityInUse(
        channels: Int(error.parameters["channels"]?.integer ?? 0))
    case "org.batond.Identities.NetworkUnavailable":
      self = .networkUnavailable(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Identities.Busy":
      self = .busy
    case "org.batond.Identities.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Identities.OutcomeUnknown":
      self = .outcomeUnknown(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Identities.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Identities.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .noSuchIdentity(let id, let name):
      VarlinkError(
        "org.batond.Identities.NoSuchIdentity",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .ambiguousName(let name, let identityIds):
      VarlinkError(
        "org.batond.Identities.AmbiguousName",
        carrying: [
          "name": .string(name),
          "identityIds": try? identityIds.json,
        ])
    case .invalidFilter(let path, let reason):
      VarlinkError(
        "org.batond.Identities.InvalidFilter",
        carrying: [
          "path": .string(path),
          "reason": .string(reason),
        ])
    case .duplicateName(let name):
      VarlinkError(
        "org.batond.Identities.DuplicateName",
        carrying: ["name": .string(name)])
    case .invalidDisplayName(let reason):
      VarlinkError(
        "org.batond.Identities.InvalidDisplayName",
        carrying: ["reason": .string(reason)])
    case .invalidCredential(let credential, let reason):
      VarlinkError(
        "org.batond.Identities.InvalidCredential",
        carrying: [
          "credential": .string(credential),
          "reason": .string(reason),
        ])
    case .identityInUse(let channels):
      VarlinkError(
        "org.batond.Identities.IdentityInUse",
        carrying: ["channels": .integer(Int64(channels))])
    case .networkUnavailable(let network, let reason):
      VarlinkError(
        "org.batond.Identities.NetworkUnavailable",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .busy: VarlinkError("org.batond.Identities.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Identities.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .outcomeUnknown(let reason):
      VarlinkError(
        "org.batond.Identities.OutcomeUnknown",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Identities.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Identities.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchIdentity(let id, let name): .noSuchIdentity(id: id, name: name)
    case .ambiguousName(let name, let identityIds): .ambiguousName(name: name, identityIds: identityIds)
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
    case .duplicateName(let name): .duplicateIdentity(name: name)
    case .invalidDisplayName(let reason): .invalidDisplayName(reason: reason)
    case .invalidCredential(let credential, let reason): .invalidCredential(credential: credential, reason: reason)
    case .identityInUse(let channels): .identityInUse(channels: channels)
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
