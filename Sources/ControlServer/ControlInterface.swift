internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Logging
internal import NIOConcurrencyHelpers
internal import RelayNetwork
internal import Storage
internal import StrictJSON
internal import Varlink

/// What all control interfaces need.
struct ControlContext: Sendable {
  let coordinator: Coordinator
  let store: any ControlStorage
  let access: Access
  let logger: Logger
  let version: String
  /// On the coordinator's clock: no other one can be subtracted from it.
  let startedAt: Timestamp
  /// Loads the files that declare operators again; throws `BatonError.invalidFiles`.
  let reload: @Sendable () async throws -> ReloadReport
  /// What is wrong with these files at present; nil when they are in force.
  let declarationsTrouble: @Sendable () -> String?
  let logLevel: LogLevelControl
  let listLimits: ListLimits
  /// The folder with what the service manager holds for the daemon; nil: nothing.
  var credentials: String?
  /// Where what may take long is done, and where the store is asked: not on the threads that everything else needs.
  let threads: ControlThreads
  /// Whether a copy of the database, or a check of it, is being made: one at a time.
  let care = NIOLockedValueBox(false)

  /// Does something that takes long, apart from everything else. The store sees to that itself.
  func slowly<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await threads.run(.much, body)
  }

  /// The same for what is done once at a time.
  /// - Throws: `BatonError.busy` while it is done already.
  func alone<T>(_ body: () async throws -> T) async throws -> T {
    let isFree = care.withLockedValue { isBusy in
      defer { isBusy = true }
      return !isBusy
    }
    guard isFree else { throw BatonError.busy }
    defer { care.withLockedValue { $0 = false } }
    return try await body()
  }
}

/// One interface: checks the permission, runs the method, turns refusals into the interface's errors.
struct ControlInterface: VarlinkInterface {
  typealias Method = @Sendable (_ call: VarlinkCall, _ stream: VarlinkStream) async throws -> [String: JSONValue]

  let definition: IDL.Interface
  let context: ControlContext
  let methods: [String: Method]
  /// Methods that need neither storage nor waiting.
  var immediate: [String: @Sendable () -> [String: JSONValue]] = [:]

  func answerAtOnce(_ call: VarlinkCall, from peer: VarlinkPeer) throws -> [String: JSONValue]? {
    guard let method = immediate[call.name], let permission = Access.permissions[call.method] else { return nil }
    guard context.access.allows(peer, permission) else { throw VarlinkError.permissionDenied }
    return method()
  }

  /// What a change was made to, for the log.
  private static func object(of reply: [String: JSONValue]) -> String {
    for kind in ["channel", "relay", "server", "operator", "identity"] {
      guard let object = reply[kind], let id = object["id"]?.integer else { continue }
      let name = object["name"]?.string ?? object["profile"]?["displayName"]?.string
      return " of \(kind) \(id)" + (name.map { " '\(Trouble(.cancelled, $0).detail)'" } ?? "")
    }
    return ""
  }

  func answer(_ call: VarlinkCall, from peer: VarlinkPeer, stream: VarlinkStream) async throws -> [String: JSONValue] {
    guard let permission = Access.permissions[call.method], let method = methods[call.name] else {
      throw VarlinkError("org.varlink.service.MethodNotImplemented", ["method": .string(call.method)])
    }
    guard context.access.allows(peer, permission) else { throw VarlinkError.permissionDenied }
    do {
      let reply = try await Caller.$user.withValue(peer.uid) { try await method(call, stream) }
      if permission == .change {
        context.logger.notice("\(call.method)\(Self.object(of: reply)) by uid \(peer.uid), pid \(peer.pid)")
      }
      return reply
    } catch is CancellationError {
      // The client is gone, or the daemon stops.
      throw CancellationError()
    } catch {
      throw refusal(for: error, call, peer)
    }
  }

  /// What the client is told of an error: one that the interface declares, or one of Varlink's own. Anything else is a fault of the daemon,
  /// and an entry in the journal.
  private func refusal(for error: any Error, _ call: VarlinkCall, _ peer: VarlinkPeer) -> VarlinkError {
    if let refusal = refusal(for: error), isDeclared(refusal) { return refusal }
    context.logger.event(
      .internalFault, .error,
      "\(call.method), called by uid \(peer.uid), failed for a fault of the daemon: \(Trouble(.protocol, "\(error)").detail)",
      ["BATON_METHOD": "\(call.method)"])
    return VarlinkError("\(definition.name).InternalError")
  }

  private func refusal(for error: any Error) -> VarlinkError? {
    switch error {
    case let error as VarlinkError: return error
    case let error as BatonError: return try? error.varlink(definition.name, context.coordinator)
    case let error as StoreError:
      let name = error.code == .corrupt ? "StorageDamaged" : "StorageUnavailable"
      return VarlinkError("\(definition.name).\(name)", ["reason": .string(error.description)])
    case let error as JSONShapeError: return .invalidParameter(error.path.first ?? "parameters")
    default: return nil
    }
  }

  private func isDeclared(_ error: VarlinkError) -> Bool {
    error.name.hasPrefix("org.varlink.service.")
      || definition.errors.contains { "\(definition.name).\($0.name)" == error.name }
  }
}

extension BatonError {
  /// The error as `interface` declares it.
  func varlink(_ interface: String, _ coordinator: Coordinator) throws -> VarlinkError {
    func error(_ name: String, _ parameters: [String: JSONValue] = [:]) -> VarlinkError {
      VarlinkError("\(interface).\(name)", parameters)
    }
    switch self {
    case .noSuchOperator(let id): return error("NoSuchOperator", ["id": .integer(id.rawValue)])
    case .noSuchServer(let id): return error("NoSuchServer", ["id": .integer(id.rawValue)])
    case .noSuchRelay(let id): return error("NoSuchRelay", ["id": .integer(id.rawValue)])
    case .noSuchChannel(let id): return error("NoSuchChannel", ["id": .integer(id.rawValue)])
    case .noSuchIdentity(let name): return error("NoSuchIdentity", ["name": .string(name)])
    case .noEnabledRelays(let network): return error("NoEnabledRelays", ["network": .string(network.rawValue)])
    case .noGroupRelays(let network, let untested):
      return error("NoGroupRelays", ["network": .string(network.rawValue), "untested": .integer(Int64(untested))])
    case .tooManyRelays(let wanted, let max):
      return error("TooManyRelays", ["wanted": .integer(Int64(wanted)), "max": .integer(Int64(max))])
    case .notInChannel(let id):
      let name = coordinator.relays.first { $0.id == id }?.name ?? "relay \(id.rawValue)"
      return error("NotInChannel", ["relayId": .integer(id.rawValue), "relayName": .string(name)])
    case .idempotencyKeyReused(let id, let isDeleted):
      return error("IdempotencyKeyReused", ["id": .integer(id.rawValue), "deleted": .bool(isDeleted)])
    case .notEnoughRelays(let wanted, let available):
      return error("NotEnoughRelays", ["wanted": .integer(Int64(wanted)), "available": .integer(Int64(available))])
    case .invalidDisplayName(let reason): return error("InvalidDisplayName", ["reason": .string(reason)])
    case .invalidProfile(let field, let reason):
      return error("InvalidProfile", ["field": .string(field), "reason": .string(reason)])
    case .invalidImage(let reason): return error("InvalidImage", ["reason": .string(reason)])
    case .invalidAddress(let address, let reason, let position):
      var parameters: [String: JSONValue] = ["address": .string(address), "reason": .string(reason)]
      if let position { parameters["position"] = .integer(Int64(position)) }
      return error("InvalidAddress", parameters)
    case .duplicateAddress(let id): return error("DuplicateAddress", ["id": .integer(id)])
    case .invalidDomain(let domain, let reason):
      return error("InvalidDomain", ["domain": .string(domain), "reason": .string(reason)])
    case .staleRevision(let current): return error("StaleRevision", ["current": try current.json(coordinator)])
    case .declaredByFile(let field, let file):
      return error("DeclaredByFile", ["field": .string(field), "file": .string(file)])
    case .operatorInUse(let servers, let relays):
      return error("OperatorInUse", ["servers": .integer(Int64(servers)), "relays": .integer(Int64(relays))])
    case .wouldBreak(let findings): return error("ValidationFailed", ["findings": try findings.map(Finding.init).json])
    case .invalidFiles(let flaws) where interface == Interfaces.systemd.name:
      return error("InvalidConfiguration", ["reason": .string(flaws.map(\.description).joined(separator: "; "))])
    case .invalidFiles(let flaws): return error("InvalidConfiguration", ["problems": try flaws.map(Problem.init).json])
    case .duplicateName(let name): return error("DuplicateName", ["name": .string(name)])
    case .alreadyInChannel(let id, let status):
      return error("AlreadyInChannel", ["relayId": .integer(id.rawValue), "status": .string(status.rawValue)])
    case .identityInUse(let channels): return error("IdentityInUse", ["channels": .integer(Int64(channels))])
    case .invalidKey(let reason): return error("InvalidCredential", ["credential": "", "reason": .string(reason)])
    case .groupNeedsOneRelay: return error("GroupNeedsOneRelay")
    case .noGroupSupport(let id, let reason):
      return error("NoGroupSupport", ["relayId": .integer(id.rawValue), "reason": .string(reason)])
    case .staleChannel(let current): return error("StaleRevision", ["current": try Channel(current).json])
    case .lastRelay(let id): return error("LastRelay", ["id": .integer(id.rawValue)])
    case .networkMismatch(let id): return error("NetworkMismatch", ["relayId": .integer(id.rawValue)])
    case .relayInUse(let channels): return error("RelayInUse", ["channels": .integer(Int64(channels))])
    case .busy, .choiceChanged: return error("Busy")
    case .storageUnavailable(let reason): return error("StorageUnavailable", ["reason": .string(reason)])
    case .networkUnavailable(let network, let reason):
      return error("NetworkUnavailable", ["network": .string(network.rawValue), "reason": .string(reason)])
    }
  }
}

/// How a client has named one object: by id, by name, or by both, which must then belong together.
struct Naming: Decodable {
  let id: Int64?
  let name: String?

  /// The one of `objects` that is meant; nil when there is none.
  /// - Throws: `InvalidParameter` when neither was said.
  func only<Object>(of objects: [Object], id: (Object) -> Int64, name: (Object) -> String?) throws -> Object? {
    guard self.id != nil || self.name != nil else { throw VarlinkError.invalidParameter("id") }
    return objects.first { object in
      (self.id.map { $0 == id(object) } ?? true) && (self.name.map { $0 == name(object) } ?? true)
    }
  }

  /// The error for what is not there.
  func none(_ error: String) -> VarlinkError {
    var parameters: [String: JSONValue] = [:]
    parameters["id"] = id.map(JSONValue.integer)
    parameters["name"] = name.map(JSONValue.string)
    return VarlinkError(error, parameters)
  }
}

extension VarlinkCall {
  /// The parameters as a typed value.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // A null parameter means the same as an absent one.
    try T(json: .object(parameters.filter { $0.value != .null }))
  }
}

extension Encodable {
  /// The value as the members of a reply.
  var members: [String: JSONValue] {
    get throws { try json.object ?? [:] }
  }
}
