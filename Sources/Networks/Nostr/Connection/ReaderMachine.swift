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
  private var queue: [SessionOperation] = []
  /// What the REQ under way asks for.
  private var batch = ReadBatch()
  /// What a relay refused to show together with others: asked for one by one, because one may be private and the others not.
  private var alone: [SessionOperation] = []
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
    case .submitted(let item): return submitted(item)
    case .cancelled: return []  // reading does no harm
    case .watched(let isWatched): return watched(isWatched)
    case .opened(let roundTrip):
      let opened = keeper.opened()
      (rubbish, lastNotice, timeoutsInARow, latestBatch, isGathering) = (0, nil, 0, 0, false)
      return opened + up(roundTrip) + askNext()
    case .dialFailed(let failure):
      let failed = alone + queue
      (alone, queue) = ([], [])
      return failed.map { report($0.operation, failure.outcome) } + down(failure.trouble)
        + keeper.lost(isBusy: false, atLeast: failure.retryAfter)
    case .received(let message): return received(message)
    case .violated(let text):
      let trouble = Trouble(.protocol, text)
      return endBatch(.misbehaved(trouble)) + [.hangUp] + down(trouble) + keeper.lost(isBusy: !queue.isEmpty || !alone.isEmpty)
    case .closed(let code, let reason):
      guard keeper.state == .open else { return [] }
      let words = "the relay closed the connection" + (code.map { " (\($0)\(reason.isEmpty ? "" : " \(reason)"))" } ?? "")
      let trouble = Trouble(.unreachable, words)
      return endBatch(.troubled(trouble, retryAfter: nil)) + down(trouble)
        + keeper.lost(isBusy: !queue.isEmpty || !alone.isEmpty)
    case .timerFired(let timer): return fired(timer)
    case .authenticationSent, .published: return []  // readers stay anonymous
    }
  }

  private mutating func submitted(_ item: SessionOperation) -> [SessionAction] {
    guard queue.count < limits.queueMax else {
      let trouble = Trouble(.timeout, "too many operations wait for this relay")
      return [report(item.operation, .troubled(trouble, retryAfter: .seconds(30)))]
    }
    queue.append(item)
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
    guard alone.isEmpty else { return ask() }
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
    if alone.isEmpty {
      let count = min(queue.count, limits.readBatchMax)
      latestBatch = count
      var taken = 0
      // Relays serve so many events at once and no more.
      while taken < count, batch.eventCount < limits.readBatchMax {
        batch.add(queue[taken])
        taken += 1
      }
      queue.removeFirst(taken)
    } else {
      batch.add(alone.removeFirst())
    }
    subscriptionNumber += 1
    let name = "b\(subscriptionNumber)"
    subscription = name
    return [
      .cancelTimer(.idle), .cancelTimer(.gather), .send(ClientMessage.request(name, batch.filters)),
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
      guard name == subscription else { return [] }
      return batch.take(event).map(report)
    case .endOfStored(let name):
      guard name == subscription else { return [] }
      timeoutsInARow = 0
      return [.send(ClientMessage.close(name))] + endBatch(nil) + askNext()
    case .closed(let name, let text):
      guard name == subscription else { return [] }
      timeoutsInARow = 0
      let outcome = refusal(text)
      if case .refused = outcome, batch.open.count > 1 {
        alone += batch.open
        batch = ReadBatch()
        subscription = nil
        return [.cancelTimer(.answer)] + askNext()
      }
      return endBatch(outcome) + askNext()
    case .notice(let text):
      lastNotice = text
      return []
    case .ok, .challenge, .other: return []
    }
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
        return actions + [.hangUp] + down(trouble) + keeper.lost(isBusy: !queue.isEmpty || !alone.isEmpty)
      }
      return actions + askNext()
    case .reconnect:
      keeper.waited()
      return isWatched || !queue.isEmpty || !alone.isEmpty ? keeper.need() : []
    case .idle:
      guard keeper.state == .open, !isWatched, queue.isEmpty, alone.isEmpty, subscription == nil else { return [] }
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

  /// Ends the REQ under way; what it did not find gets `outcome`. nil: the relay has served all that it has.
  private mutating func endBatch(_ outcome: RelayOutcome?) -> [SessionAction] {
    guard subscription != nil else { return [] }
    subscription = nil
    let open = outcome.map { batch.fail($0) } ?? batch.finish()
    return [.cancelTimer(.answer)] + open.map(report)
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
