// Written by `make generate` from org.batond.Servers.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.Servers` refused a call.
public enum ServersRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Servers"

  /// No server has this identifier, address or host, or has both.
  case noSuchServer(id: Int64?, name: String?)
  /// Several servers have this host. Use an identifier.
  case ambiguousName(name: String, serverIds: [Int64])
  /// No operator has this identifier or name.
  case noSuchOperator(id: Int64?, name: String?)
  /// The text is not a valid address. Correct it.
  case invalidAddress(address: String, reason: String, position: Int?)
  /// Another server has this address. Use that server.
  case duplicateAddress(id: Int64)
  /// The daemon does not serve this protocol, or cannot serve it now.
  case networkUnavailable(network: String, reason: String)
  /// The server has changed since the revision of the update. Check it, and try again.
  case staleRevision(current: Server?)
  /// A file declares the server. Change this field there.
  case declaredByFile(field: String, file: String)
  /// The change would add errors, and was not made. Use 'force' to make it anyway.
  case validationFailed(findings: [Finding])
  /// The filter, sort or cursor is invalid.
  case invalidFilter(path: String, reason: String)
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
    case "org.batond.Servers.NoSuchServer":
      self = .noSuchServer(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Servers.AmbiguousName":
      self = .ambiguousName(
        name: error.parameters["name"]?.string ?? "",
        serverIds: (try? [Int64](json: error.parameters["serverIds"] ?? .null)) ?? [])
    case "org.batond.Servers.NoSuchOperator":
      self = .noSuchOperator(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Servers.InvalidAddress":
      self = .invalidAddress(
        address: error.parameters["address"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "",
        position: error.parameters["position"]?.integer.map { Int($0) })
    case "org.batond.Servers.DuplicateAddress":
      self = .duplicateAddress(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Servers.NetworkUnavailable":
      self = .networkUnavailable(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Servers.StaleRevision":
      self = .staleRevision(
        current: try? Server(json: error.parameters["current"] ?? .null))
    case "org.batond.Servers.DeclaredByFile":
      self = .declaredByFile(
        field: error.parameters["field"]?.string ?? "",
        file: error.parameters["file"]?.string ?? "")
    case "org.batond.Servers.ValidationFailed":
      self = .validationFailed(
        findings: (try? [Finding](json: error.parameters["findings"] ?? .null)) ?? [])
    case "org.batond.Servers.InvalidFilter":
      self = .invalidFilter(
        path: error.parameters["path"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Servers.Busy":
      self = .busy
    case "org.batond.Servers.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Servers.OutcomeUnknown":
      self = .outcomeUnknown(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Servers.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Servers.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .noSuchServer(let id, let name):
      VarlinkError(
        "org.batond.Servers.NoSuchServer",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .ambiguousName(let name, let serverIds):
      VarlinkError(
        "org.batond.Servers.AmbiguousName",
        carrying: [
          "name": .string(name),
          "serverIds": try? serverIds.json,
        ])
    case .noSuchOperator(let id, let name):
      VarlinkError(
        "org.batond.Servers.NoSuchOperator",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .invalidAddress(let address, let reason, let position):
      VarlinkError(
        "org.batond.Servers.InvalidAddress",
        carrying: [
          "address": .string(address),
          "reason": .string(reason),
          "position": position.map { JSONValue.integer(Int64($0)) },
        ])
    case .duplicateAddress(let id):
      VarlinkError(
        "org.batond.Servers.DuplicateAddress",
        carrying: ["id": .integer(id)])
    case .networkUnavailable(let network, let reason):
      VarlinkError(
        "org.batond.Servers.NetworkUnavailable",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .staleRevision(let current):
      VarlinkError(
        "org.batond.Servers.StaleRevision",
        carrying: ["current": current.flatMap { try? $0.json }])
    case .declaredByFile(let field, let file):
      VarlinkError(
        "org.batond.Servers.DeclaredByFile",
        carrying: [
          "field": .string(field),
          "file": .string(file),
        ])
    case .validationFailed(let findings):
      VarlinkError(
        "org.batond.Servers.ValidationFailed",
        carrying: ["findings": try? findings.json])
    case .invalidFilter(let path, let reason):
      VarlinkError(
        "org.batond.Servers.InvalidFilter",
        carrying: [
          "path": .string(path),
          "reason": .string(reason),
        ])
    case .busy: VarlinkError("org.batond.Servers.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Servers.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .outcomeUnknown(let reason):
      VarlinkError(
        "org.batond.Servers.OutcomeUnknown",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Servers.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Servers.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchServer(let id, let name): .noSuchServer(id: id, name: name)
    case .ambiguousName(let name, let serverIds): .ambiguousName(name: name, serverIds: serverIds)
    case .noSuchOperator(let id, let name): .noSuchOperator(id: id, name: name)
    case .invalidAddress(let address, let reason, let position):
      .invalidAddress(address: address, reason: reason, position: position)
    case .duplicateAddress(let id): .duplicateServer(id: id)
    case .networkUnavailable(let network, let reason): .networkUnavailable(network: network, reason: reason)
    case .staleRevision(let current): .staleRevision(current: current)
    case .declaredByFile(let field, let file): .declaredByFile(field: field, file: file)
    case .validationFailed(let findings): .validationFailed(findings: findings)
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}
