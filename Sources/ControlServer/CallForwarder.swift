public import Channels
internal import Coordinator
internal import Secrets
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
    public var atOnceMax = 1_024
    /// How long what a call has led to is followed, for clients that want to see it.
    public var followMax = Duration.seconds(20)
    /// How long a daemon that stops waits for calls that it answers.
    public var stopMax = Duration.seconds(2)

    public init() {}
  }

  /// A call as its client has made it.
  struct Call: Hashable, Sendable {
    var method: String
    /// A JSON object.
    var parameters: String
    var hasMore: Bool
    var user: UInt32
  }

  private struct Waiting {
    let continuation: CheckedContinuation<String, any Error>
    let slot: Int
    /// When it is looked whether anybody has taken it.
    var until: ContinuousClock.Instant
  }

  private struct State {
    var waiting: [Int64: Waiting] = [:]
    /// Those that were cancelled before they waited.
    var cancelled: Set<Int64> = []
    var answering: [Int64: Task<Void, Never>] = [:]
    /// Calls that were taken and are another daemon's by now: they are put back before more are taken.
    var toPutBack: Set<Int64> = []
    /// Calls that have no answer, because nobody knows what was done. They stay taken.
    var unanswered: Set<Int64> = []
    /// Whether no more calls of others are taken.
    var isStopping = false
    /// Whether calls may be taken at this moment.
    var isWorking = false
  }

  private let exchange: any CallExchange
  private let secrets: SecretBox
  private let slots: @Sendable () -> SlotSet
  private let limits: Limits
  private let state = Mutex(State())

  /// - Parameters:
  ///   - secrets: seals what goes through the store, with the key that all daemons have.
  ///   - slots: gives the slots of this daemon.
  public init(
    _ exchange: any CallExchange, secrets: SecretBox, slots: @escaping @Sendable () -> SlotSet, limits: Limits = Limits()
  ) {
    self.exchange = exchange
    self.secrets = secrets
    self.slots = slots
    self.limits = limits
  }

  // MARK: - Calls of this daemon's clients

  /// Has the daemon that has a slot answer a call.
  /// - Returns: the reply, as a message.
  /// - Throws: `BatonError.storageUnavailable` if nobody has taken it up, `outcomeUnknown` if nobody knows what became of it, `StoreError` if it
  ///   could not be left.
  func forward(_ call: Call, to slot: Int) async throws -> String {
    let number: Int64
    do {
      number = try await exchange.send(sealed(call), to: slot)
    } catch let doubt as CallInDoubt {
      throw BatonError.outcomeUnknown(reason: "it may have been left for the daemon that it is for: \(doubt)")
    }
    let until = ContinuousClock.now + limits.waitMax
    defer { state.withLock { _ = $0.cancelled.remove(number) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(number) != nil { return true }
          state.waiting[number] = Waiting(continuation: continuation, slot: slot, until: until)
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

  private static let callLabel = "call"
  private static let replyLabel = "reply"

  private func sealed(_ call: Call) -> ForwardedCall {
    ForwardedCall(
      method: call.method, parameters: secrets.seal(Secret(call.parameters.utf8), label: Self.callLabel),
      hasMore: call.hasMore, user: call.user)
  }

  private func opened(_ call: ForwardedCall) throws -> Call {
    Call(
      method: call.method, parameters: try opened(call.parameters, Self.callLabel), hasMore: call.hasMore, user: call.user)
  }

  private func opened(_ sealed: [UInt8], _ label: String) throws -> String {
    try secrets.open(sealed, label: label).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
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
  func run(_ answer: @escaping @Sendable (Call) async throws -> String?) async {
    while !Task.isCancelled {
      var pause = limits.poll
      state.withLock { $0.isWorking = true }
      do { try await work(answer) } catch { pause = limits.pollInTrouble }
      state.withLock { $0.isWorking = false }
      guard (try? await Task.sleep(for: pause)) != nil else { break }
    }
    let (waiting, answering) = state.withLock { state in
      defer { (state.waiting, state.answering) = ([:], [:]) }
      return (state.waiting, state.answering)
    }
    for one in waiting.values { one.continuation.resume(throwing: CancellationError()) }
    for task in answering.values { task.cancel() }
  }

  /// Takes no more calls of others, and returns when those that were taken are answered, or a little later.
  func stop() async {
    takeNoMore()
    let end = ContinuousClock.now + limits.stopMax
    while ContinuousClock.now < end, state.withLock({ $0.isWorking || !$0.answering.isEmpty || !$0.toPutBack.isEmpty }) {
      guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
    }
  }

  func takeNoMore() { state.withLock { $0.isStopping = true } }

  var followMax: Duration { limits.followMax }

  private func work(_ answer: @escaping @Sendable (Call) async throws -> String?) async throws {
    for number in state.withLock({ $0.toPutBack }).sorted() {
      try await exchange.answer(number, nil)
      state.withLock { _ = $0.toPutBack.remove(number) }
    }
    let (waiting, answering) = state.withLock {
      ($0.waiting.mapValues { ($0.until, $0.slot) }, Set($0.answering.keys).union($0.unanswered).union($0.toPutBack))
    }
    let slots = slots()
    let news = try await exchange.look(slots, sent: Set(waiting.keys), taken: answering)
    for (number, reply) in news.replies {
      end(
        number,
        Result { try opened(reply, Self.replyLabel) }.mapError {
          BatonError.outcomeUnknown(reason: "the reply cannot be read: \($0)")
        })
      forget(number)
    }
    for number in news.lost {
      end(
        number,
        .failure(BatonError.outcomeUnknown(reason: "the daemon that had taken this up ended before it answered")))
      forget(number)
    }
    for number in news.missing {
      end(
        number, .failure(BatonError.outcomeUnknown(reason: "what was left for another daemon is gone, and there is no answer")))
    }
    for number in news.forgotten { try await exchange.answer(number, nil) }
    for number in news.abandoned {
      let task = state.withLock { state in
        state.unanswered.remove(number)
        return state.answering[number]
      }
      task?.cancel()
    }
    for (number, (until, slot)) in waiting {
      guard ContinuousClock.now >= until, news.replies[number] == nil, !news.missing.contains(number) else {
        continue
      }
      let holder = SlotSet.pinnable.contains(slot) ? try await exchange.holder(of: slot) : nil
      guard try await exchange.forget(number, ifFree: true) else {
        // It is taken; but whoever has taken it may put it back.
        state.withLock { $0.waiting[number]?.until = ContinuousClock.now + .seconds(1) }
        continue
      }
      let reason =
        (holder.map { "the channel belongs to the daemon '\($0)', which has not answered" }
          ?? "no daemon has taken this up")
        + ", and nothing was done; batonctl cluster says which daemons there are"
      end(number, .failure(BatonError.storageUnavailable(reason: reason)))
    }
    let room = limits.atOnceMax - answering.count
    guard news.hasCalls, room > 0, state.withLock({ !$0.isStopping }) else { return }
    for (number, call) in try await exchange.take(slots, limit: room) { begin(number, call, answer) }
  }

  private func begin(
    _ number: Int64, _ call: ForwardedCall, _ answer: @escaping @Sendable (Call) async throws -> String?
  ) {
    state.withLock { state in
      guard !state.isStopping else {
        state.toPutBack.insert(number)
        return
      }
      state.answering[number] = Task { [self] in
        let hasAnswer = await carryOut(number, call, answer)
        self.state.withLock { state in
          state.answering[number] = nil
          if !hasAnswer { state.unanswered.insert(number) }
        }
      }
    }
  }

  /// - Returns: whether it has an answer now, or is put back. If it is cancelled, nobody knows what was done, and it has none.
  private func carryOut(
    _ number: Int64, _ call: ForwardedCall, _ answer: @escaping @Sendable (Call) async throws -> String?
  ) async -> Bool {
    let reply: String?
    do {
      guard let opened = try? opened(call) else {
        let interface = call.method.split(separator: ".").dropLast().joined(separator: ".")
        return await give(VarlinkError("\(interface).InternalError").message, to: number)
      }
      reply = try await answer(opened)
    } catch {
      return false
    }
    guard let reply else {
      // In its turn, so that it is not taken again before this is over.
      state.withLock { _ = $0.toPutBack.insert(number) }
      return true
    }
    return await give(reply, to: number)
  }

  private func give(_ reply: String, to number: Int64) async -> Bool {
    let sealed = secrets.seal(Secret(reply.utf8), label: Self.replyLabel)
    while !Task.isCancelled {
      do {
        try await exchange.answer(number, sealed)
        return true
      } catch {
        try? await Task.sleep(for: limits.pollInTrouble)
      }
    }
    return false
  }
}

extension VarlinkError {
  /// The error as a reply that goes through the store.
  var message: String { JSONValue.object(["error": .string(name), "parameters": .object(parameters)]).text }
}
