public import Channels
internal import Coordinator
internal import Logging
public import Storage
internal import StrictJSON
internal import Synchronization
internal import Varlink

/// Has other daemons answer calls about what is theirs, and answers those that they have left. Daemons that share a store need no way to
/// each other but the store.
public final class CallForwarder: Sendable {
  public struct Limits: Hashable, Sendable {
    /// How often the store is looked at.
    public var poll = Duration.milliseconds(50)
    /// The same when it could not be read.
    public var pollInTrouble = Duration.milliseconds(500)
    /// How long a call may wait for somebody to take it: as long as slots may have no daemon, and some more.
    public var waitMax = Duration.seconds(20)
    /// How many calls of others are answered at once.
    public var atOnceMax = 128

    public init() {}
  }

  private struct Waiting {
    let continuation: CheckedContinuation<String, any Error>
    let until: ContinuousClock.Instant
  }

  private struct State {
    var waiting: [Int64: Waiting] = [:]
    /// Those that were cancelled before they waited.
    var cancelled: Set<Int64> = []
    var answering: [Int64: Task<Void, Never>] = [:]
  }

  private let exchange: any CallExchange
  private let slots: @Sendable () -> SlotSet
  private let limits: Limits
  private let state = Mutex(State())

  /// - Parameter slots: gives the slots of this daemon.
  public init(_ exchange: any CallExchange, slots: @escaping @Sendable () -> SlotSet, limits: Limits = Limits()) {
    self.exchange = exchange
    self.slots = slots
    self.limits = limits
  }

  // MARK: - Calls of this daemon's clients

  /// Has the daemon that has a slot answer a call.
  /// - Returns: the reply, as a message.
  /// - Throws: `BatonError.storageUnavailable` if nobody has taken it up, `LostCall` if nobody knows what became of it, `StoreError` if it
  ///   could not be left.
  func forward(_ call: ForwardedCall, to slot: Int) async throws -> String {
    let number = try await exchange.send(call, to: slot)
    let until = ContinuousClock.now + limits.waitMax
    defer { state.withLock { _ = $0.cancelled.remove(number) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(number) != nil { return true }
          state.waiting[number] = Waiting(continuation: continuation, until: until)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        let waiting = state.waiting.removeValue(forKey: number)
        if waiting == nil { state.cancelled.insert(number) }
        return waiting
      }
      waiting?.continuation.resume(throwing: CancellationError())
      forget(number)
    }
  }

  /// What is left behind goes with the session.
  private func forget(_ number: Int64) {
    let exchange = exchange
    Task { _ = try? await exchange.forget(number, ifFree: false) }
  }

  private func end(_ number: Int64, _ result: Result<String, any Error>) {
    guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: number) }) else { return }
    waiting.continuation.resume(with: result)
  }

  // MARK: - The work

  /// Works until it is cancelled.
  /// - Parameter answer: answers a call of another daemon's client; `nil` if that is not this daemon's to do, and nothing was done.
  func run(_ answer: @escaping @Sendable (ForwardedCall) async throws -> String?) async {
    while !Task.isCancelled {
      var pause = limits.poll
      do { try await work(answer) } catch { pause = limits.pollInTrouble }
      guard (try? await Task.sleep(for: pause)) != nil else { break }
    }
    let (waiting, answering) = state.withLock { state in
      defer { (state.waiting, state.answering) = ([:], [:]) }
      return (state.waiting, state.answering)
    }
    for one in waiting.values { one.continuation.resume(throwing: CancellationError()) }
    for task in answering.values { task.cancel() }
  }

  private func work(_ answer: @escaping @Sendable (ForwardedCall) async throws -> String?) async throws {
    let (waiting, answering) = state.withLock { ($0.waiting.mapValues(\.until), Set($0.answering.keys)) }
    let slots = slots()
    let news = try await exchange.look(slots, sent: Set(waiting.keys), taken: answering)
    for (number, reply) in news.replies {
      end(number, .success(reply))
      forget(number)
    }
    for number in news.lost {
      end(number, .failure(LostCall()))
      forget(number)
    }
    for number in news.abandoned { state.withLock { $0.answering[number] }?.cancel() }
    for (number, until) in waiting where ContinuousClock.now >= until && news.replies[number] == nil {
      guard try await exchange.forget(number, ifFree: true) else { continue }
      let reason = "no daemon has taken this up, and nothing was done; batonctl cluster says which daemons there are"
      end(number, .failure(BatonError.storageUnavailable(reason: reason)))
    }
    let room = limits.atOnceMax - answering.count
    guard news.hasCalls, room > 0 else { return }
    for (number, call) in try await exchange.take(slots, limit: room) { begin(number, call, answer) }
  }

  private func begin(
    _ number: Int64, _ call: ForwardedCall, _ answer: @escaping @Sendable (ForwardedCall) async throws -> String?
  ) {
    state.withLock { state in
      state.answering[number] = Task { [self] in
        // If it is cancelled, it is not known what was done, and it has no answer.
        if let reply = try? await .some(answer(call)) { await give(reply, to: number) }
        self.state.withLock { $0.answering[number] = nil }
      }
    }
  }

  private func give(_ reply: String?, to number: Int64) async {
    while !Task.isCancelled {
      do { return try await exchange.answer(number, reply) } catch { try? await Task.sleep(for: limits.pollInTrouble) }
    }
  }
}

/// A call that another daemon had taken when it ended. Whether it has done what was asked is not known.
struct LostCall: Error, CustomStringConvertible {
  let description = "the daemon that had taken this up ended before it answered; whether it was done is not known"
}

extension VarlinkError {
  /// The error as a reply that goes through the store.
  var message: String { JSONValue.object(["error": .string(name), "parameters": .object(parameters)]).text }
}
