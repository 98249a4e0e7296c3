public import Channels
public import Coordinator
internal import Secrets
public import Storage
internal import StrictJSON
internal import Synchronization
internal import Varlink

/// Has other daemons answer calls about their objects, and answers the calls that they have left for this daemon. Daemons that share a
/// store need no connection to each other.
public final class CallForwarder: Sendable {
  public struct Limits: Hashable, Sendable {
    /// How often the store is polled.
    public var poll = Duration.milliseconds(50)
    /// The same when it could not be read.
    public var pollInTrouble = Duration.milliseconds(500)
    /// How long a call may wait until a daemon takes it: as long as slots may have no daemon, and some more.
    public var waitMax = Duration.seconds(20)
    /// How many calls of other daemons are answered simultaneously.
    public var atOnceMax = 1_024
    /// How long the effects of a call are followed, for clients that want to see them.
    public var followMax = Duration.seconds(20)
    /// How long a daemon that stops waits for calls that it answers.
    public var stopMax = Duration.seconds(2)
    /// How far the time in a call may be from the clock of the daemon that takes it: how long a call waits, and how much clocks may differ.
    public var ageMax = Duration.seconds(300)

    public init() {}
  }

  /// A call as its client has made it.
  struct Call: Hashable, Sendable {
    var method: String
    /// A JSON object.
    var parameters: String
    var hasMore: Bool
    var user: UInt32
    /// The daemon whose client has made it, in words, or empty for this daemon's.
    var origin = ""
  }

  private struct Waiting {
    /// The id of the call.
    let id: String
    let continuation: CheckedContinuation<String, any Error>
    let slot: Int
    /// The time at which to check whether a daemon has taken it.
    var until: ContinuousClock.Instant
  }

  private struct State {
    var waiting: [Int64: Waiting] = [:]
    /// Calls that were cancelled before they waited.
    var cancelled: Set<Int64> = []
    var answering: [Int64: Task<Void, Never>] = [:]
    /// The calls that were accepted, with the time in them, for as long as it may be repeated.
    var accepted: [String: Timestamp] = [:]
    /// With how many of them it is looked which may be forgotten.
    var acceptedMax = 1_024
    /// Calls that this daemon took and that now belong to another daemon: they are put back before more are taken.
    var toPutBack: Set<Int64> = []
    /// Calls without an answer, because no one knows whether they were carried out. They are not put back.
    var unanswered: Set<Int64> = []
    /// Whether this daemon has stopped taking other daemons' calls.
    var isStopping = false
    /// Whether calls may be taken at this moment.
    var isWorking = false
  }

  private let exchange: any CallExchange
  private let secrets: SecretBox
  private let name: String
  private let session: Int64
  private let clock: any CoordinatorClock
  private let report: @Sendable (String) -> Void
  private let slots: @Sendable () -> SlotSet
  private let limits: Limits
  private let state = Mutex(State())

  /// - Parameters:
  ///   - secrets: seals the calls and replies in the store, with the key that all daemons have.
  ///   - name: the name of this daemon.
  ///   - session: the session of this daemon.
  ///   - slots: gives the slots of this daemon.
  ///   - report: gets a sentence about each call that is not accepted.
  public init(
    _ exchange: any CallExchange, secrets: SecretBox, name: String = "", session: Int64 = 0,
    clock: any CoordinatorClock = SystemClock(), slots: @escaping @Sendable () -> SlotSet, limits: Limits = Limits(),
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.exchange = exchange
    self.secrets = secrets
    (self.name, self.session, self.clock, self.report) = (name, session, clock, report)
    self.slots = slots
    self.limits = limits
  }

  // MARK: - Calls of this daemon's clients

  /// Has the daemon that has a slot answer a call.
  /// - Parameter note: gets the id under which the call is left.
  /// - Returns: the reply, as a message.
  /// - Throws: `BatonError.storageUnavailable` if no daemon has taken it, `outcomeUnknown` if no one knows whether it was carried out,
  ///   `StoreError` if it could not be left.
  func forward(_ call: Call, to slot: Int, note: (String) -> Void = { _ in }) async throws -> String {
    // Each call is accepted once.
    let id = String(UInt64.random(in: 0 ... .max), radix: 16) + String(UInt64.random(in: 0 ... .max), radix: 16)
    note(id)
    let number: Int64
    do {
      number = try await exchange.send(sealed(call, id, for: slot), to: slot)
    } catch let doubt as CallInDoubt {
      throw BatonError.outcomeUnknown(reason: "it may have been left for the daemon that it is for: \(doubt)")
    }
    let until = ContinuousClock.now + limits.waitMax
    defer { state.withLock { _ = $0.cancelled.remove(number) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(number) != nil { return true }
          state.waiting[number] = Waiting(id: id, continuation: continuation, slot: slot, until: until)
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

  /// Why a call is not accepted.
  private struct Unacceptable: Error {
    let reason: String
    /// Its id, if its sender may get the reply that nothing was done. Otherwise the sender cannot read the answer, and reports an unknown
    /// outcome.
    var id = ""
  }

  /// The label of versions that sealed the parameters only was "call".
  private static let callLabel = "whole call"
  private static func replyLabel(_ id: String) -> String { "reply to \(id)" }

  /// Everything about a call is sealed. Otherwise, the owner of the tables could turn it into another call.
  private func sealed(_ call: Call, _ id: String, for slot: Int) -> ForwardedCall {
    let content: JSONValue = [
      "method": .string(call.method), "parameters": .string(call.parameters), "more": .bool(call.hasMore),
      "user": .integer(Int64(call.user)), "slot": .integer(Int64(slot)), "daemon": .string(name),
      "session": .integer(session), "id": .string(id), "time": .integer(clock.now.milliseconds),
    ]
    return ForwardedCall(
      method: call.method, parameters: secrets.seal(Secret(content.text.utf8), label: Self.callLabel),
      hasMore: call.hasMore, user: call.user)
  }

  /// - Returns: `nil` if the slot that it is for is another daemon's by now.
  private func accepted(_ sealed: ForwardedCall) throws(Unacceptable) -> (call: Call, id: String)? {
    guard let text = try? opened(sealed.parameters, Self.callLabel), let content = try? JSONParser.parse(text),
      let method = content["method"]?.string, let parameters = content["parameters"]?.string,
      let hasMore = content["more"]?.bool, let user = content["user"]?.integer.flatMap({ UInt32(exactly: $0) }),
      let slot = content["slot"]?.integer, let daemon = content["daemon"]?.string,
      let session = content["session"]?.integer, let id = content["id"]?.string, let time = content["time"]?.integer,
      method == sealed.method, hasMore == sealed.hasMore, user == sealed.user
    else { throw Unacceptable(reason: "no daemon sealed it in this form") }
    guard slots().numbers.contains(Int(slot)) else { return nil }
    let (now, sentAt) = (clock.now, Timestamp(milliseconds: time))
    guard sentAt <= now + limits.ageMax, now <= sentAt + limits.ageMax else {
      throw Unacceptable(reason: "its time or the clock of its daemon is wrong", id: id)
    }
    let isNew = state.withLock { state in
      if state.accepted.count >= state.acceptedMax {
        // Older calls are refused for their time.
        state.accepted = state.accepted.filter { now <= $0.value + limits.ageMax }
        state.acceptedMax = max(1_024, 2 * state.accepted.count)
      }
      return state.accepted.updateValue(sentAt, forKey: id) == nil
    }
    guard isNew else { throw Unacceptable(reason: "it was accepted before") }
    let origin = "the daemon '\(daemon)', session \(session), call \(id)"
    return (Call(method: method, parameters: parameters, hasMore: hasMore, user: user, origin: origin), id)
  }

  private func opened(_ sealed: [UInt8], _ label: String) throws -> String {
    try secrets.open(sealed, label: label).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// A call that is left behind goes with the session.
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
  /// - Parameter answer: answers a call of another daemon's client, or `nil` if that is not this daemon's to do, and nothing was done.
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

  /// Stops taking other daemons' calls, and returns when the ones under way are answered, or a little later.
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
      ($0.waiting.mapValues { ($0.until, $0.slot, $0.id) }, Set($0.answering.keys).union($0.unanswered).union($0.toPutBack))
    }
    let slots = slots()
    let news = try await exchange.look(slots, sent: Set(waiting.keys), taken: answering)
    for (number, reply) in news.replies {
      guard let id = waiting[number]?.2 else { continue }
      end(
        number,
        Result { try opened(reply, Self.replyLabel(id)) }.mapError {
          BatonError.outcomeUnknown(reason: "the reply is unreadable: \($0)")
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
        number, .failure(BatonError.outcomeUnknown(reason: "the request for another daemon is gone, without an answer")))
    }
    for number in news.forgotten { try await exchange.answer(number, nil) }
    for number in news.abandoned {
      let task = state.withLock { state in
        state.unanswered.remove(number)
        return state.answering[number]
      }
      task?.cancel()
    }
    for (number, (until, slot, _)) in waiting {
      guard ContinuousClock.now >= until, news.replies[number] == nil, !news.missing.contains(number) else {
        continue
      }
      let holder = SlotSet.pinnable.contains(slot) ? try await exchange.holder(of: slot) : nil
      guard try await exchange.forget(number, ifFree: true) else {
        // A daemon has taken it, but may put it back.
        state.withLock { $0.waiting[number]?.until = ContinuousClock.now + .seconds(1) }
        continue
      }
      let reason =
        (holder.map { "the channel belongs to the daemon '\($0)', which has not answered" }
          ?? "no daemon has taken this up")
        + ", and nothing was done. See batonctl cluster"
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

  /// - Returns: whether it has an answer now, or is put back. A cancelled call has no answer, because no one knows what was done.
  private func carryOut(
    _ number: Int64, _ call: ForwardedCall, _ answer: @escaping @Sendable (Call) async throws -> String?
  ) async -> Bool {
    let opened: (call: Call, id: String)?
    do throws(Unacceptable) { opened = try accepted(call) } catch {
      report("refused a call of \(Trouble(.protocol, call.method).detail) from another daemon: \(error.reason)")
      let interface = call.method.split(separator: ".").dropLast().joined(separator: ".")
      return await give(VarlinkError("\(interface).InternalError").message, toCall: error.id, number)
    }
    let reply: String?
    do { reply = if let opened { try await answer(opened.call) } else { nil } } catch { return false }
    guard let opened, let reply else {
      // Nothing was done.
      if let opened { state.withLock { _ = $0.accepted.removeValue(forKey: opened.id) } }
      // The next round puts it back, so that it is not taken again before this one is over.
      state.withLock { _ = $0.toPutBack.insert(number) }
      return true
    }
    return await give(reply, toCall: opened.id, number)
  }

  private func give(_ reply: String, toCall id: String, _ number: Int64) async -> Bool {
    let sealed = secrets.seal(Secret(reply.utf8), label: Self.replyLabel(id))
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
