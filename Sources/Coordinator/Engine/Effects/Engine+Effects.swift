internal import Channels
internal import RelayNetwork
internal import Storage

extension TransitionRow {
  /// Whether the channel got the relay, or left it.
  var changesMembership: Bool { transition.from == .new || transition.to == .removed }

  /// Whether the relay has lost the channel.
  fileprivate var hasLost: Bool { transition.from == .active && transition.to == .inactive && transition.cause == .missing }
}

// The effects of a decision, once its commit is over. Nothing else in the engine acts outside.
extension Engine {
  /// Carries out the effects of a decision, in the order that `Effects` defines.
  /// - Parameter reply: answers the requests of the decision.
  func carryOut(_ effects: Effects, reply: () -> Void = {}) {
    tellDirectory(effects)
    switch effects.publication {
    case .changes(let before, let revision)?: hub.publish(effects.changes, after: before, revision: revision)
    case .missed(let revision)?: hub.skip(to: revision)
    case nil: break
    }
    meter.take(effects.changes, created: effects.created, decider.base.catalog.relays)
    tellPosts(effects)
    tellReaders(effects)
    write(effects)
    for input in effects.inputs { post(input) }
    perform(effects)
    reply()
  }

  /// Tells the task for posts which channels got relays or left some, and which relays have lost a channel.
  private func tellPosts(_ effects: Effects) {
    if case .missed? = effects.publication {
      for channel in directory.read({ $0.channelsWithPosts }).sorted() { tellPosts(.membershipChanged(channel), channel) }
    }
    for change in effects.changes {
      guard case .channelRelay(_, let row) = change.object else { continue }
      if row.changesMembership { tellPosts(.membershipChanged(row.channel), row.channel) }
      if row.hasLost { tellPosts(.doubted(row.channel, row.relay), row.channel) }
    }
  }

  /// Tells the task for messages about changed channels and relays. A repeated check is cheap.
  private func tellReaders(_ effects: Effects) {
    if case .missed? = effects.publication { tellMessages(.everythingChanged) }
    for change in effects.changes {
      switch change.object {
      case .channel(let channel): tellMessages(.channelChanged(channel.row.id))
      case .channelRelay(_, let row):
        if row.changesMembership { tellMessages(.channelChanged(row.channel)) }
      // A used relay keeps its address, but may be removed or come back.
      case .catalog(.relay(let row), .relay(let before)?) where row.isDeleted != before.isDeleted:
        tellMessages(.everythingChanged)
      case .catalog: break
      }
    }
  }

  private func tellDirectory(_ effects: Effects) {
    if let carried = effects.carried { directory.write { $0.loads.begin(with: carried) } }
    directory.carry(effects.loads)
    if let identities = effects.identities { directory.write { $0.identities = identities } }
    tellState()
  }

  private func write(_ effects: Effects) {
    let now = clock.now
    journal.sumUp(at: now)
    journal.write(effects.journal)
    journal.write(effects.changes, created: effects.created, at: now)
    decider.alarms.set(.digest, at: journal.due)
  }

  private func perform(_ effects: Effects) {
    for step in effects.keys {
      switch step {
      case .unlock(let id, let network, let key): directory.networks[network]?.unlock(id, key: key)
      case .lock(let id, let network): directory.networks[network]?.lock(id)
      }
    }
    for step in effects.tests {
      switch step {
      case .start(let peer, let address, let examination):
        prober?.start(peer, at: address, isFull: examination.isFull, steps(of: examination))
      case .cancel(let peer): prober?.cancel(peer)
      case .ended(let peer): prober?.ended(peer)
      }
    }
    for step in effects.cancellations {
      directory.networks[step.network]?.cancel(step.channel, at: step.relay)
      meter.cancels(step.channel, at: step.relay)
    }
    if effects.isWatchChanged { updateWatch() }
    let now = clock.now
    for step in effects.operations where mayAct() {
      meter.asks(step.operation, on: step.network, at: now)
      directory.networks[step.network]?.perform(step.operation)
    }
  }

  /// The steps of a test, which runs once they are requested.
  private func steps(of examination: Effects.Examination) -> @Sendable () -> AsyncStream<ProbeStep> {
    switch examination {
    case .relay(let kind, let address, let identity, let depth):
      let network = directory.networks[kind]
      return { network?.test(address: address, identity: identity, depth: depth) ?? AsyncStream { $0.finish() } }
    case .server(let address):
      let servers = directory.servers
      return { servers?.test(address) ?? AsyncStream { $0.finish() } }
    }
  }

  /// Publishes the data that requests read. Channels that have nothing left to do are let go before they are counted.
  func tellState() {
    let catalog = decider.base.catalog
    let trouble = decider.recovery.trouble
    let live = decider.base.live.channels.count
    let states = decider.networkStates
    let isTold = decider.base.isCatalogTold
    decider.base.isCatalogTold = true
    directory.write {
      $0.networkStates = states
      // The pools for creations are arranged again for a new catalog.
      if !isTold { $0.catalog = catalog }
      $0.storageTrouble = trouble
      $0.liveChannels = live
    }
  }

  func give(_ answer: Answer, _ failure: CommitFailure?) {
    let refusal = failure.map(BatonError.init(storing:))
    switch answer.asker {
    case .channel(let reply): reply.send(result(of: answer, refusal) { decider.channel(in: $0) })
    case .object(let reply): reply.send(result(of: answer, refusal) { decider.object(in: $0) })
    case .identity(let reply):
      reply.send(result(of: answer, refusal) { if case .identity(let row) = $0 { .success(row) } else { nil } })
    case .nothing(let reply):
      // The input did not request a change.
      let failure = failure.map { BatonError.storageUnavailable(reason: $0.description) }
      reply.send(result(of: answer, failure) { _ in .success(()) })
    }
  }

  private func result<Value>(
    of answer: Answer, _ failure: BatonError?, _ value: (Answer.Outcome) -> Result<Value, BatonError>?
  ) -> Result<Value, BatonError> {
    if let failure, answer.outcome != .doneAnyway { return .failure(failure) }
    if case .refused(let error) = answer.outcome { return .failure(decider.current(error)) }
    return value(answer.outcome) ?? .failure(.busy)
  }

  func tellOpen(_ count: Int) { directory.write { $0.inputsOpen = count } }

  private func updateWatch() {
    for (kind, network) in directory.networks {
      let mine = decider.watched.all.compactMap { decider.base.catalog.relays[$0] }.filter { $0.network == kind }
      network.watch(Dictionary(uniqueKeysWithValues: mine.map { ($0.id, $0.address) }))
    }
  }
}
