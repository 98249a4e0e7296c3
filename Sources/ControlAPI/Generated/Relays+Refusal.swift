// Written by `make generate` from org.batond.Relays.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.Relays` refused a call.
public enum RelaysRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Relays"

  /// No relay has this identifier or name, or has both.
  case noSuchRelay(id: Int64?, name: String?)
  /// No operator has this identifier or name.
  case noSuchOperator(id: Int64?, name: String?)
  /// The text is not a valid address. Correct it.
  case invalidAddress(address: String, reason: String, position: Int?)
  /// Another relay has this address. Use that relay.
  case duplicateAddress(id: Int64)
  /// Another relay has this name. Choose another.
  case duplicateName(name: String)
  /// The name is not allowed. Choose another.
  case invalidDisplayName(reason: String)
  /// The text is not a domain. Correct it.
  case invalidDomain(domain: String, reason: String)
  /// Channels use the relay, so its address cannot change, and it can be removed only with 'force'.
  case relayInUse(channels: Int)
  /// The daemon does not serve this protocol, or cannot serve it now.
  case networkUnavailable(network: String, reason: String)
  /// The relay has changed since the revision of the update. Check it, and try again.
  case staleRevision(current: Relay?)
  /// A file declares the relay. Change this field there.
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
    case "org.batond.Relays.NoSuchRelay":
      self = .noSuchRelay(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Relays.NoSuchOperator":
      self = .noSuchOperator(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Relays.InvalidAddress":
      self = .invalidAddress(
        address: error.parameters["address"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "",
        position: error.parameters["position"]?.integer.map { Int($0) })
    case "org.batond.Relays.DuplicateAddress":
      self = .duplicateAddress(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Relays.DuplicateName":
      self = .duplicateName(
        name: error.parameters["name"]?.string ?? "")
    case "org.batond.Relays.InvalidDisplayName":
      self = .invalidDisplayName(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Relays.InvalidDomain":
      self = .invalidDomain(
        domain: error.parameters["domain"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Relays.RelayInUse":
      self = .relayInUse(
        channels: Int(error.parameters["channels"]?.integer ?? 0))
    case "org.batond.Relays.NetworkUnavailable":
      self = .networkUnavailable(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Relays.StaleRevision":
      self = .staleRevision(
        current: try? Relay(json: error.parameters["current"] ?? .null))
    case "org.batond.Relays.DeclaredByFile":
      self = .declaredByFile(
        field: error.parameters["field"]?.string ?? "",
        file: error.parameters["file"]?.string ?? "")
    case "org.batond.Relays.ValidationFailed":
      self = .validationFailed(
        findings: (try? [Finding](json: error.parameters["findings"] ?? .null)) ?? [])
    case "org.batond.Relays.InvalidFilter":
      self = .invalidFilter(
        path: error.parameters["path"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Relays.Busy":
      self = .busy
    case "org.batond.Relays.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Relays.OutcomeUnknown":
      self = .outcomeUnknown(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Relays.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Relays.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .noSuchRelay(let id, let name):
      VarlinkError(
        "org.batond.Relays.NoSuchRelay",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .noSuchOperator(let id, let name):
      VarlinkError(
        "org.batond.Relays.NoSuchOperator",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .invalidAddress(let address, let reason, let position):
      VarlinkError(
        "org.batond.Relays.InvalidAddress",
        carrying: [
          "address": .string(address),
          "reason": .string(reason),
          "position": position.map { JSONValue.integer(Int64($0)) },
        ])
    case .duplicateAddress(let id):
      VarlinkError(
        "org.batond.Relays.DuplicateAddress",
        carrying: ["id": .integer(id)])
    case .duplicateName(let name):
      VarlinkError(
        "org.batond.Relays.DuplicateName",
        carrying: ["name": .string(name)])
    case .invalidDisplayName(let reason):
      VarlinkError(
        "org.batond.Relays.InvalidDisplayName",
        carrying: ["reason": .string(reason)])
    case .invalidDomain(let domain, let reason):
      VarlinkError(
        "org.batond.Relays.InvalidDomain",
        carrying: [
          "domain": .string(domain),
          "reason": .string(reason),
        ])
    case .relayInUse(let channels):
      VarlinkError(
        "org.batond.Relays.RelayInUse",
        carrying: ["channels": .integer(Int64(channels))])
    case .networkUnavailable(let network, let reason):
      VarlinkError(
        "org.batond.Relays.NetworkUnavailable",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .staleRevision(let current):
      VarlinkError(
        "org.batond.Relays.StaleRevision",
        carrying: ["current": current.flatMap { try? $0.json }])
    case .declaredByFile(let field, let file):
      VarlinkError(
        "org.batond.Relays.DeclaredByFile",
        carrying: [
          "field": .string(field),
          "file": .string(file),
        ])
    case .validationFailed(let findings):
      VarlinkError(
        "org.batond.Relays.ValidationFailed",
        carrying: ["findings": try? findings.json])
    case .invalidFilter(let path, let reason):
      VarlinkError(
        "org.batond.Relays.InvalidFilter",
        carrying: [
          "path": .string(path),
          "reason": .string(reason),
        ])
    case .busy: VarlinkError("org.batond.Relays.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Relays.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .outcomeUnknown(let reason):
      VarlinkError(
        "org.batond.Relays.OutcomeUnknown",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Relays.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Relays.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchRelay(let id, let name): .noSuchRelay(id: id, name: name)
    case .noSuchOperator(let id, let name): .noSuchOperator(id: id, name: name)
    case .invalidAddress(let address, let reason, let position):
      .invalidAddress(address: address, reason: reason, position: position)
    case .duplicateAddress(let id): .duplicateRelay(id: id)
    case .duplicateName(let name): .duplicateName(name: name)
    case .invalidDisplayName(let reason): .invalidDisplayName(reason: reason)
    case .invalidDomain(let domain, let reason): .invalidDomain(domain: domain, reason: reason)
    case .relayInUse(let channels): .relayInUse(channels: channels)
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
