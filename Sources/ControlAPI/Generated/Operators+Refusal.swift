// Written by `make generate` from org.batond.Operators.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.Operators` refused a call.
public enum OperatorsRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Operators"

  /// No operator has this identifier or name, or has both.
  case noSuchOperator(id: Int64?, name: String?)
  /// Another operator has this name. Choose another.
  case duplicateName(name: String)
  /// The name is not allowed. Choose another.
  case invalidDisplayName(reason: String)
  /// The text is not a domain. Correct it.
  case invalidDomain(domain: String, reason: String)
  /// Servers or relays belong to the operator. Remove them first, or use 'force'.
  case operatorInUse(servers: Int, relays: Int)
  /// The operator has changed since the revision of the update. Check it, and try again.
  case staleRevision(current: Operator?)
  /// A file declares the operator. Change this field there.
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
    case "org.batond.Operators.NoSuchOperator":
      self = .noSuchOperator(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Operators.DuplicateName":
      self = .duplicateName(
        name: error.parameters["name"]?.string ?? "")
    case "org.batond.Operators.InvalidDisplayName":
      self = .invalidDisplayName(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Operators.InvalidDomain":
      self = .invalidDomain(
        domain: error.parameters["domain"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Operators.OperatorInUse":
      self = .operatorInUse(
        servers: Int(error.parameters["servers"]?.integer ?? 0),
        relays: Int(error.parameters["relays"]?.integer ?? 0))
    case "org.batond.Operators.StaleRevision":
      self = .staleRevision(
        current: try? Operator(json: error.parameters["current"] ?? .null))
    case "org.batond.Operators.DeclaredByFile":
      self = .declaredByFile(
        field: error.parameters["field"]?.string ?? "",
        file: error.parameters["file"]?.string ?? "")
    case "org.batond.Operators.ValidationFailed":
      self = .validationFailed(
        findings: (try? [Finding](json: error.parameters["findings"] ?? .null)) ?? [])
    case "org.batond.Operators.InvalidFilter":
      self = .invalidFilter(
        path: error.parameters["path"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Operators.Busy":
      self = .busy
    case "org.batond.Operators.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Operators.OutcomeUnknown":
      self = .outcomeUnknown(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Operators.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Operators.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .noSuchOperator(let id, let name):
      VarlinkError(
        "org.batond.Operators.NoSuchOperator",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .duplicateName(let name):
      VarlinkError(
        "org.batond.Operators.DuplicateName",
        carrying: ["name": .string(name)])
    case .invalidDisplayName(let reason):
      VarlinkError(
        "org.batond.Operators.InvalidDisplayName",
        carrying: ["reason": .string(reason)])
    case .invalidDomain(let domain, let reason):
      VarlinkError(
        "org.batond.Operators.InvalidDomain",
        carrying: [
          "domain": .string(domain),
          "reason": .string(reason),
        ])
    case .operatorInUse(let servers, let relays):
      VarlinkError(
        "org.batond.Operators.OperatorInUse",
        carrying: [
          "servers": .integer(Int64(servers)),
          "relays": .integer(Int64(relays)),
        ])
    case .staleRevision(let current):
      VarlinkError(
        "org.batond.Operators.StaleRevision",
        carrying: ["current": current.flatMap { try? $0.json }])
    case .declaredByFile(let field, let file):
      VarlinkError(
        "org.batond.Operators.DeclaredByFile",
        carrying: [
          "field": .string(field),
          "file": .string(file),
        ])
    case .validationFailed(let findings):
      VarlinkError(
        "org.batond.Operators.ValidationFailed",
        carrying: ["findings": try? findings.json])
    case .invalidFilter(let path, let reason):
      VarlinkError(
        "org.batond.Operators.InvalidFilter",
        carrying: [
          "path": .string(path),
          "reason": .string(reason),
        ])
    case .busy: VarlinkError("org.batond.Operators.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Operators.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .outcomeUnknown(let reason):
      VarlinkError(
        "org.batond.Operators.OutcomeUnknown",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Operators.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Operators.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchOperator(let id, let name): .noSuchOperator(id: id, name: name)
    case .duplicateName(let name): .duplicateName(name: name)
    case .invalidDisplayName(let reason): .invalidDisplayName(reason: reason)
    case .invalidDomain(let domain, let reason): .invalidDomain(domain: domain, reason: reason)
    case .operatorInUse(let servers, let relays): .operatorInUse(servers: servers, relays: relays)
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
