internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Logging
internal import Meters
internal import NIOConcurrencyHelpers
internal import RelayNetwork
internal import Storage
internal import StrictJSON
internal import Varlink

/// The context that all control interfaces need.
struct ControlContext: Sendable {
  let coordinator: Coordinator
  let store: any ControlStorage
  let posts: any PostReading
  /// The messages of channels, or `nil` if no one reads them.
  var messages: (any MessageReading)?
  let activities: ChannelActivities
  let channelNames = ChannelNames()
  private let kept = Kept<Figures>()
  let access: Access
  let logger: Logger
  let version: String
  /// The start time on the coordinator's clock: a time of another clock cannot be subtracted from it.
  let startedAt: Timestamp
  /// Loads the files that declare operators again. Throws `BatonError.invalidFiles`.
  let reload: @Sendable () async throws -> ReloadReport
  /// Returns the error in these files, or `nil` if they are in force.
  let declarationsTrouble: @Sendable () -> String?
  let logLevel: LogLevelControl
  let listLimits: ListLimits
  /// The folder with the credentials that the service manager holds for the daemon, or `nil` if there are none.
  var credentials: String?
  /// Has other daemons answer calls about their objects, or `nil` if there are none.
  var forwarder: CallForwarder?
  /// Lists the daemons that share the store, or `nil` if it is not shared.
  var sharing: (any SharingStorage)?
  /// Returns the dangerous settings of a configuration that works.
  var configurationWarnings: @Sendable () -> [Finding] = { [] }
  /// Separate threads for long work and for the store, so that nothing else has to wait for them.
  let threads: ControlThreads
  /// Whether a copy or a check of the database is under way. There is one at a time.
  let care = NIOLockedValueBox(false)
  /// When a backup was last read to its end since the start.
  let lastBackup = NIOLockedValueBox<Timestamp?>(nil)

  /// The figures of all channels and relays, and their time. With many channels they may be some minutes old.
  func figures() async throws -> Kept<Figures>.Found {
    try await kept.value(at: { [coordinator] in coordinator.timeOfDay }) { [store] in try await Figures.found(in: store) }
  }

  /// Does something slow on separate threads. The store does this by itself.
  func slowly<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await threads.run(.much, body)
  }

  /// Does the same for work that runs one at a time.
  /// - Throws: `BatonError.busy` while such work is under way.
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

/// A description of the service that this daemon offers.
protocol ControlService: InterfaceService where Method: GuardedMethod, Refusal: ControlRefusal {
  /// Answers a method that needs neither storage nor waiting. Returns `nil` for all others.
  func answerAtOnce(_ method: Method) -> EncodedParameters?
  /// Whether the service notes in the journal itself who called a method that changes something.
  func notesCallers(of method: Method) -> Bool
}

extension ControlService {
  func answerAtOnce(_ method: Method) -> EncodedParameters? { nil }
  func notesCallers(of method: Method) -> Bool { false }
}

/// One interface: checks the permission, runs the method, turns refusals into the interface's errors.
struct ControlInterface<Service: ControlService>: VarlinkInterface {
  let definition: IDL.Interface
  let context: ControlContext
  let service: Service

  init(_ definition: IDL.Interface, _ context: ControlContext, _ service: Service) {
    self.definition = definition
    self.context = context
    self.service = service
  }

  func answerAtOnce(_ call: VarlinkCall, from peer: VarlinkPeer) throws -> EncodedParameters? {
    guard let method = Service.Method(rawValue: call.method), let reply = service.answerAtOnce(method) else { return nil }
    guard context.access.allows(peer, method.permission) else { throw VarlinkError.permissionDenied }
    return reply
  }

  func answer(_ call: VarlinkCall, from peer: VarlinkPeer, stream: VarlinkStream) async throws -> EncodedParameters {
    guard let method = Service.Method(rawValue: call.method) else {
      throw VarlinkError.methodNotImplemented(call.method)
    }
    let begin = ContinuousClock.now
    do {
      guard context.access.allows(peer, method.permission) else { throw VarlinkError.permissionDenied }
      let reply = try await answer(method, call, peer, stream)
      note(call, "ok", since: begin)
      return reply
    } catch let error as VarlinkError {
      note(call, Self.isFault(error) ? "error" : "refused", since: begin)
      throw error
    }
  }

  /// Counts a call that was answered.
  private func note(_ call: VarlinkCall, _ outcome: String, since begin: ContinuousClock.Instant) {
    let seconds = (ContinuousClock.now - begin).seconds
    context.coordinator.metrics.note { page in
      page.add(to: .calls, [definition.name, outcome])
      // Calls with several replies take as long as the client wants.
      if call.mode != .more { page.take(seconds, in: .callTime, [definition.name]) }
    }
  }

  /// Whether an error means that the daemon or its storage does not work.
  private static func isFault(_ error: VarlinkError) -> Bool {
    ["InternalError", "StorageDamaged", "StorageUnavailable"].contains { error.name.hasSuffix(".\($0)") }
  }

  private func answer(
    _ method: Service.Method, _ call: VarlinkCall, _ peer: VarlinkPeer, _ stream: VarlinkStream
  ) async throws -> EncodedParameters {
    do {
      do {
        let reply = try await Caller.$peer.withValue(peer) {
          try await perform(method, call, peer.uid, peer.pid, stream)
        }
        return EncodedParameters(reply)
      } catch BatonError.elsewhere(let channel) {
        guard let forwarder = context.forwarder else { throw BatonError.busy }
        return try await forward(call, to: channel.map(SlotSet.number(of:)) ?? SlotSet.catalog, for: peer, forwarder)
      }
    } catch is CancellationError {
      // The client is gone, or the daemon stops.
      throw CancellationError()
    } catch {
      throw refusal(for: error, call, peer)
    }
  }

  func perform(
    _ method: Service.Method, _ call: VarlinkCall, _ user: UInt32, _ process: Int32, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    // Of a client of another daemon only the method is known.
    let mayRead = Caller.peer.map { context.access.allows($0, .read) } ?? (method.permission == .change)
    return try await Caller.$user.withValue(user) {
      try await Caller.$process.withValue(process) {
        let reply = try await Caller.$mayRead.withValue(mayRead) { try await service.answer(method, call, stream) }
        if method.permission.isForChanges, !service.notesCallers(of: method) {
          context.logger.notice("\(call.method)\(Self.object(of: reply)) by \(Caller.words)")
        }
        return reply
      }
    }
  }

  /// The object of a change, for the log.
  private static func object(of reply: any JSONWritable) -> String {
    let (kind, id, name): (String, Int64, String?)
    switch reply {
    case let reply as ChannelReply: (kind, id, name) = ("channel", reply.channel.id, reply.channel.profile.displayName)
    case let reply as PostReply: (kind, id, name) = ("post", reply.post.id, nil)
    case let reply as RetentionReply: (kind, id, name) = ("channel", reply.retention.channelId, nil)
    case let reply as MessagesSyncReply: (kind, id, name) = ("channel", reply.conversation.channelId, nil)
    case let reply as RelayReply: (kind, id, name) = ("relay", reply.relay.id, reply.relay.name)
    case let reply as ServerReply: (kind, id, name) = ("server", reply.server.id, nil)
    case let reply as OperatorReply: (kind, id, name) = ("operator", reply.operator.id, reply.operator.name)
    case let reply as IdentityReply: (kind, id, name) = ("identity", reply.identity.id, reply.identity.name)
    default: return ""
    }
    return " of \(kind) \(id)" + (name.map { " '\(Trouble(.cancelled, $0).detail)'" } ?? "")
  }

  /// The error that the client gets: an error that the interface declares, or one of Varlink's own. Anything else is a fault of the daemon
  /// and an entry in the journal.
  func refusal(for error: any Error, _ call: VarlinkCall, _ peer: VarlinkPeer) -> VarlinkError {
    if let refusal = refusal(for: error) { return refusal.error }
    context.logger.fault("\(error)", in: call.method, calledBy: peer)
    return Service.Refusal.internalError.error
  }

  private func refusal(for error: any Error) -> Service.Refusal? {
    switch error {
    case let refusal as Service.Refusal: return refusal
    case let error as BatonError: return Service.Refusal(error, context.coordinator)
    case let error as StoreError:
      let reason = error.description
      return error.code == .corrupt ? .storageDamaged(reason: reason) : .storageUnavailable(reason: reason)
    case let error as VarlinkError:
      // An error with its own name is thrown in the form that the interface declares.
      guard error.name.hasPrefix("org.varlink.service.") else { return nil }
      return .other(error)
    default: return nil
    }
  }
}

extension Logger {
  /// Reports that a call failed for a fault of the daemon, as an entry with its own message id.
  func fault(_ error: String, in method: String, calledBy peer: VarlinkPeer) {
    event(
      .internalFault, .error,
      "\(method), called by uid \(peer.uid), failed because of a fault in the daemon: \(Trouble(.protocol, error).detail)",
      ["BATON_METHOD": "\(method)"])
  }
}

/// A request that names one object: by id, by name, or by both, which must then belong together.
protocol NamingRequest {
  var id: Int64? { get }
  var name: String? { get }
}

extension NamingRequest {
  /// The name as a refusal may repeat it: a person may have entered an address with a password in its place.
  var echoedName: String? { name.map { $0.contains("@") || $0.contains("://") ? PasswordEcho.hiding($0) : $0 } }

  /// The object in `objects` that is meant, or `nil` if there is none.
  /// - Throws: `InvalidParameter` when neither was given.
  func only<Object>(of objects: [Object], id: (Object) -> Int64, name: (Object) -> String?) throws -> Object? {
    guard self.id != nil || self.name != nil else { throw VarlinkError.invalidParameter("id") }
    return objects.first { object in
      (self.id.map { $0 == id(object) } ?? true) && (self.name.map { $0 == name(object) } ?? true)
    }
  }
}

extension OperatorsGetRequest: NamingRequest {}
extension ServersGetRequest: NamingRequest {}
extension RelaysGetRequest: NamingRequest {}
extension IdentitiesGetRequest: NamingRequest {}
