internal import Channels
internal import RelayNetwork
internal import Synchronization

/// A task in the core that a caller waits for. It runs alongside the worker: to join a channel the core talks to its servers and relays,
/// and does nothing else on that connection.
final class CoreErrand: Sendable {
  /// The channel that was joined.
  struct Joined: Hashable, Sendable {
    let group: CoreGroup
    /// Whether the core's user runs it.
    let isOwn: Bool
  }

  enum Task: Hashable, Sendable {
    case join(CoreChannelLink)
    case leave(CoreWorker.Place)
  }

  /// `nil` in place of a channel means that it was left.
  typealias Outcome = Result<Joined?, NetworkFailure>

  private struct State {
    var waiting: CheckedContinuation<Outcome, Never>?
    var isCancelled = false
  }

  let task: Task
  private let state = Mutex(State())

  init(_ task: Task) { self.task = task }

  func wait(_ waiting: CheckedContinuation<Outcome, Never>) { state.withLock { $0.waiting = waiting } }

  /// No one waits any more. An errand that has begun is carried out anyway.
  func cancel() { state.withLock { $0.isCancelled = true } }

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Answers. Only the first answer counts.
  func end(_ outcome: Outcome) {
    state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }?.resume(returning: outcome)
  }

  /// Answers that it cannot be done now.
  func refuse(_ reason: String) { end(.failure(NetworkFailure(reason, isUnavailable: true))) }

  // MARK: - Doing it

  typealias Ask = @Sendable (CoreCommand) async -> Result<CoreReply, CoreFailure>

  /// How the errand ended, for the worker.
  enum End: Hashable, Sendable {
    case clear
    /// The core may have another active user than the errand's.
    case mayBeAnotherUser
    /// The core may still be doing it.
    case mayGoOn
  }

  /// Does it.
  func run(as user: CoreUser.ID, ask: Ask) async -> End {
    do throws(CoreFailure) {
      switch task {
      case .join(let link): end(try await Self.join(link, as: user, ask).map(Optional.some))
      case .leave(let place): end(try await Self.leave(place, as: user, ask).map { nil })
      }
      return .clear
    } catch {
      switch error {
      case .refused(let error) where error.mayMeanAnotherUser:
        refuse("the chat core reports: \(error.sentence)")
        return .mayBeAnotherUser
      case .refused(let error):
        end(.failure(NetworkFailure("the chat core reports: \(error.sentence)")))
        return .clear
      case .unreadable:
        end(.failure(NetworkFailure(error.description)))
        return .clear
      case .notSent:
        refuse(error.description)
        return .clear
      case .unknown:
        refuse(error.description)
        return .mayGoOn
      }
    }
  }

  private static func join(
    _ link: CoreChannelLink, as user: CoreUser.ID, isAgain: Bool = false, _ ask: Ask
  ) async throws(CoreFailure) -> Result<Joined, NetworkFailure> {
    let reply = try await ask(.plan(user, link)).get()
    guard case .plan(let both, let plan) = reply else { throw CoreWorker.unexpected(reply) }
    switch plan {
    case .ok(nil): return .failure(NetworkFailure("the link contains nothing about its channel"))
    case .ok(let data?):
      guard let both = CoreJoinLink(both) else {
        return .failure(NetworkFailure("the chat core returned the link in an unknown form"))
      }
      let reply = try await ask(.prepare(user, both, data)).get()
      guard case .prepared(let group) = reply else { throw CoreWorker.unexpected(reply) }
      return try await begin(group, isFresh: true, ask)
    case .own(let group): return .success(Joined(group: group, isOwn: true))
    case .joining(nil): return .failure(NetworkFailure("the chat core is about to join it. Try again in a moment"))
    case .joining(let group?), .known(let group):
      // A user who has left can join again, once the core has forgotten the channel.
      guard group.membership.status.known == .left, group.isJoinStarted != false, group.usesRelays else {
        return try await goOn(group, ask)
      }
      _ = try await ask(.deleteGroup(group.id)).get()
      return isAgain
        ? .failure(NetworkFailure("the chat core's user has left the channel"))
        : try await join(link, as: user, isAgain: true, ask)
    case .noRelays: return .failure(NetworkFailure("no relay serves the channel now"))
    case .tooOld: return .failure(NetworkFailure("the chat core is too old for the channel. Install a newer one"))
    case .failed(let error): return .failure(NetworkFailure("the link could not be looked up: \(error.sentence)"))
    case .other(let tag):
      return .failure(NetworkFailure("the link does not lead to a known kind of channel: \(tag)"))
    }
  }

  /// Continues with a channel that the core has. An earlier attempt may have been cut off anywhere.
  private static func goOn(_ group: CoreGroup, _ ask: Ask) async throws(CoreFailure) -> Result<Joined, NetworkFailure> {
    guard group.usesRelays else { return .failure(NetworkFailure("it is a group, and no channel")) }
    if group.membership.role.known == .owner { return .success(Joined(group: group, isOwn: true)) }
    if group.isJoinStarted == false { return try await begin(group, isFresh: false, ask) }
    switch group.membership.status.known {
    case .removed: return .failure(NetworkFailure("the chat core's user was removed from the channel"))
    case .deleted: return .failure(NetworkFailure("the channel was deleted"))
    case .rejected: return .failure(NetworkFailure("the channel does not let the chat core's user in"))
    default: return .success(Joined(group: group, isOwn: false))
    }
  }

  /// Joins a channel that is prepared.
  /// - Parameter isFresh: whether it was prepared just now. If so, it is deleted if no relay can be reached.
  private static func begin(
    _ group: CoreGroup, isFresh: Bool, _ ask: Ask
  ) async throws(CoreFailure) -> Result<Joined, NetworkFailure> {
    switch await ask(.join(group.id)) {
    case .success(.joinStarted(let joined)): return .success(Joined(group: joined, isOwn: false))
    case .success(let reply): throw CoreWorker.unexpected(reply)
    case .failure(.refused(let error)):
      if isFresh { _ = await ask(.deleteGroup(group.id, notify: false)) }
      throw .refused(error)
    case .failure(let failure): throw failure
    }
  }

  private static func leave(
    _ place: CoreWorker.Place, as user: CoreUser.ID, _ ask: Ask
  ) async throws(CoreFailure) -> Result<Void, NetworkFailure> {
    switch await ask(.info(place.group)) {
    // The number may be another channel's by now.
    case .success(.group(let group)) where !group.isCalled(place.name): return .success(())
    case .success(.group(let group)):
      guard group.membership.role.known != .owner else { return .success(()) }
      if group.membership.isThere, group.isJoinStarted != false {
        _ = try await ask(.leave(place.group)).get()
      }
      // The channel is left. If the core does not delete its data now, the next join by the same link does.
      _ = await ask(.deleteGroup(place.group))
      return .success(())
    case .failure(.refused(let error)) where error.isGroupMissing:
      // The core looks for channels of the active user only.
      guard case .activeUser(let active) = try await ask(.activeUser).get(), active.id == user else { throw .refused(error) }
      return .success(())
    case .success(let reply): throw CoreWorker.unexpected(reply)
    case .failure(let failure): throw failure
    }
  }
}
