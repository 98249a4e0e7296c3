// Written by `make generate` from org.batond.Servers.varlink.

internal import StrictJSON
public import Varlink

/// Why `org.batond.Servers` refused a call.
public enum ServersRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Servers"

  /// There is no server with this identifier, address or host, or with both.
  case noSuchServer(id: Int64?, name: String?)
  /// Several servers have this host.
  case ambiguousName(name: String, serverIds: [Int64])
  /// There is no operator with this identifier or name.
  case noSuchOperator(id: Int64?, name: String?)
  /// The address is none.
  case invalidAddress(address: String, reason: String, position: Int?)
  /// A server with this address exists.
  case duplicateAddress(id: Int64)
  /// The daemon does not serve this protocol, or cannot at present.
  case networkUnavailable(network: String, reason: String)
  /// The update was based on an older revision than the server has now.
  case staleRevision(current: Server?)
  /// A file declares the server: this field can only be changed there.
  case declaredByFile(field: String, file: String)
  /// The change would add errors to the whole; nothing was changed. With 'force' it is made all the same.
  case validationFailed(findings: [Finding])
  /// The filter, sort or cursor cannot be used.
  case invalidFilter(path: String, reason: String)
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
}
