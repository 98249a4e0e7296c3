internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// Reads channels back from one relay as an anonymous reader would, and watches whether the relay can be reached.
struct ReaderMachine: SessionMachine {
  private let relay: RelayID
  private let limits: NostrLimits
  private var keeper: ConnectionKeeper
  private var isWatched = false
  /// nil: not said yet.
  private var reportedUp: Bool?
  private var queue: [RelayOperation] = []
  /// The operations of the REQ under way, by the id of their event.
  private var batch: [String: [RelayOperation]] = [:]
  private var subscription: String?
  private var subscriptionNumber = 0
  /// How many channels the latest REQ asked for: with several, the next one waits for company.
  private var latestBatch = 0
  private var isGathering = false
  private var rubbish = 0
  private var timeoutsInARow = 0
  private var lastNotice: String?

  init(relay: RelayID, limits: NostrLimits, salt: UInt64) {
    self.relay = relay
    self.limits = limits
    keeper = ConnectionKeeper(limits: limits, salt: salt)
  }

  mutating func handle(_ event: SessionEvent) -> [SessionAction] {
    switch event {
    case .submitted(let item): return submitted(item.operation)
    case .cancelled: return []  // reading does no harm
    case .watched(let isWatched): return watched(isWatched)
    case .opened(let roundTrip):
      let opened = keeper.opened()
      (rubbish, lastNotice, timeoutsInARow, latestBatch, isGathering) = (0, nil, 0, 0, false)
      return opened + up(roundTrip) + askNext()
    case .dialFailed(let failure):
      let failed = queue
      queue = []
      return failed.map { report($0, failure.outcome) } + down(failure.trouble)
        + keeper.lost(isBusy: false, atLeast: failure.retryAfter)
    case .received(let message): return received(message)
    case .violated(let text):
      let trouble = Trouble(.protocol, text)
      return endBatch(.misbehaved(trouble)) + [.hangUp] + down(trouble) + keeper.lost(isBusy: !queue.isEmpty)
    case .closed(let code, let reason):
      guard keeper.state == .open else { return [] }
      let words = "the relay closed the connection" + (code.map { " (\($0)\(reason.isEmpty ? "" : " \(reason)"))" } ?? "")
      let trouble = Trouble(.unreachable, words)
      return endBatch(.troubled(trouble, retryAfter: nil)) + down(trouble) + keeper.lost(isBusy: !queue.isEmpty)
    case .timerFired(let timer): return fired(timer)
    case .authenticationSent: return []  // readers stay anonymous
    }
  }

  private mutating func submitted(_ operation: RelayOperation) -> [SessionAction] {
    guard queue.count < limits.queueMax else {
      return [
        report(operation, .troubled(Trouble(.timeout, "too many operations wait for this relay"), retryAfter: .seconds(30)))
      ]
    }
    queue.append(operation)
    return keeper.state == .open ? askNext() : keeper.need()
  }

  private mutating func watched(_ isWatched: Bool) -> [SessionAction] {
    guard isWatched != self.isWatched else { return [] }
    self.isWatched = isWatched
    reportedUp = nil
    guard isWatched else {
      return keeper.state == .open && queue.isEmpty && subscription == nil ? [.setTimer(.idle, after: limits.idleTimeout)] : []
    }
    return [.cancelTimer(.idle)] + (keeper.state == .open ? up(.zero) : keeper.need())
  }

  private mutating func askNext() -> [SessionAction] {
    guard keeper.state == .open, subscription == nil else { return [] }
    guard !queue.isEmpty else { return isWatched ? [] : [.setTimer(.idle, after: limits.idleTimeout)] }
    if latestBatch > 1, queue.count < limits.readBatchMax {
      guard !isGathering else { return [] }
      isGathering = true
      return [.cancelTimer(.idle), .setTimer(.gather, after: limits.gatherTime)]
    }
    return ask()
  }

  /// Sends one REQ for what waits, as much as fits.
  private mutating func ask() -> [SessionAction] {
    isGathering = false
    let count = min(queue.count, limits.readBatchMax)
    latestBatch = count
    for operation in queue.prefix(count) { batch[operation.content.networkID, default: []].append(operation) }
    queue.removeFirst(count)
    subscriptionNumber += 1
    let name = "b\(subscriptionNumber)"
    subscription = name
    let ids = batch.keys.sorted().map(JSONValue.string)
    return [
      .cancelTimer(.idle), .cancelTimer(.gather), .send(ClientMessage.request(name, ["ids": .array(ids)])),
      .setTimer(.answer, after: limits.readTimeout),
    ]
  }

  private mutating func received(_ message: RelayMessage?) -> [SessionAction] {
    switch message {
    case nil:
      rubbish += 1
      guard rubbish >= limits.rubbishMax else { return [] }
      return handle(.violated("the relay sends messages that are not Nostr"))
    case .event(let name, let event):
      guard name == subscription, let operations = batch.removeValue(forKey: event.id) else { return [] }
      return operations.map { report($0, judge(event, $0)) }
    case .endOfStored(let name):
      guard name == subscription else { return [] }
      timeoutsInARow = 0
      return [.send(ClientMessage.close(name))] + endBatch(.missing) + askNext()
    case .closed(let name, let text):
      guard name == subscription else { return [] }
      timeoutsInARow = 0
      return endBatch(refusal(text)) + askNext()
    case .notice(let text):
      lastNotice = text
      return []
    case .ok, .challenge, .other: return []
    }
  }

  /// Whether what the relay serves is the channel, signed by its owner.
  private func judge(_ event: NostrEvent, _ operation: RelayOperation) -> RelayOutcome {
    do throws(NostrEvent.Flaw) {
      try event.verify()
    } catch {
      return .misbehaved(Trouble(.wrongIdentity, "what the relay serves as the channel is not it: \(error.rawValue)"))
    }
    guard event.publicKey == operation.content.author, event.kind == PublicChannel.creationKind else {
      return .misbehaved(Trouble(.wrongIdentity, "what the relay serves as the channel is signed by somebody else"))
    }
    return .verified
  }

  private func refusal(_ text: String) -> RelayOutcome {
    switch RelayAnswer(accepted: false, text: text, mayAuthenticate: false) {
    case .success: .missing
    case .authenticate: .refused(Trouble(.authRequired, text))
    case .permanent: .refused(Trouble(.rejected, text))
    case .transient(let isRateLimit):
      .troubled(Trouble(isRateLimit ? .rateLimited : .storage, text), retryAfter: isRateLimit ? .seconds(30) : .seconds(5))
    case .unknown: .troubled(Trouble(.rejected, text.isEmpty ? "the relay ended the request" : text), retryAfter: .seconds(30))
    }
  }

  private mutating func fired(_ timer: SessionTimer) -> [SessionAction] {
    switch timer {
    case .answer:
      guard let name = subscription else { return [] }
      timeoutsInARow += 1
      let words = lastNotice.map { "; the relay said: \($0)" } ?? ""
      let trouble = Trouble(.timeout, "no answer to a request within \(limits.readTimeout.wholeMilliseconds) ms\(words)")
      let actions = [.send(ClientMessage.close(name))] + endBatch(.troubled(trouble, retryAfter: nil))
      guard timeoutsInARow < 2 else {
        return actions + [.hangUp] + down(trouble) + keeper.lost(isBusy: !queue.isEmpty)
      }
      return actions + askNext()
    case .reconnect:
      keeper.waited()
      return isWatched || !queue.isEmpty ? keeper.need() : []
    case .idle:
      guard keeper.state == .open, !isWatched, queue.isEmpty, subscription == nil else { return [] }
      keeper.closedOnPurpose()
      return [.hangUp]
    case .stable:
      keeper.lasted()
      return []
    case .gather:
      isGathering = false
      guard keeper.state == .open, subscription == nil, !queue.isEmpty else { return [] }
      return ask()
    case .authentication: return []
    }
  }

  /// Ends the REQ under way; what it did not find gets `outcome`.
  private mutating func endBatch(_ outcome: RelayOutcome) -> [SessionAction] {
    guard subscription != nil else { return [] }
    let open = batch.values.flatMap { $0 }.sorted { ($0.channel, $0.number) < ($1.channel, $1.number) }
    batch = [:]
    subscription = nil
    return [.cancelTimer(.answer)] + open.map { report($0, outcome) }
  }

  private mutating func up(_ roundTrip: Duration) -> [SessionAction] {
    guard isWatched, reportedUp != true else { return [] }
    reportedUp = true
    return [.report(.relayUp(relay, roundTrip: roundTrip))]
  }

  private mutating func down(_ trouble: Trouble) -> [SessionAction] {
    guard isWatched, reportedUp != false else { return [] }
    reportedUp = false
    return [.report(.relayDown(relay, trouble))]
  }

  private func report(_ operation: RelayOperation, _ outcome: RelayOutcome) -> SessionAction {
    .report(.outcome(channel: operation.channel, relay: operation.relay, number: operation.number, outcome))
  }
}
