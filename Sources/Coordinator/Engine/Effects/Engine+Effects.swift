internal import Channels
internal import RelayNetwork
internal import Storage

// What follows from a batch, once its commit is over. Nothing else in the engine acts.
extension Engine {
  /// Does what a batch led to, in the order that `Effects` states.
  /// - Parameter reply: answers the requests of the batch.
  func carryOut(_ effects: Effects, reply: () -> Void = {}) {
    tellDirectory(effects)
    switch effects.publication {
    case .changes(let revision)?: hub.publish(effects.changes, revision: revision)
    case .missed(let revision)?: hub.skip(to: revision)
    case nil: break
    }
    write(effects)
    for input in effects.inputs { post(input) }
    perform(effects)
    reply()
  }

  private func tellDirectory(_ effects: Effects) {
    directory.carry(effects.loads)
    if let identities = effects.identities { directory.write { $0.identities = identities } }
    publishDirectory()
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
      case .start(let peer, let address, let isFull, let steps): prober?.start(peer, at: address, isFull: isFull, steps)
      case .cancel(let peer): prober?.cancel(peer)
      case .ended(let peer): prober?.ended(peer)
      }
    }
    for step in effects.cancellations { directory.networks[step.network]?.cancel(step.channel, at: step.relay) }
    if effects.isWatchChanged { updateWatch() }
    for (network, operation) in effects.operations { directory.networks[network]?.perform(operation) }
  }

  private func publishDirectory() {
    let catalog = decider.catalog
    let trouble = decider.recovery.trouble
    let states = decider.networkStates
    let isTold = decider.isCatalogTold
    decider.isCatalogTold = true
    directory.write {
      $0.networkStates = states
      // The pools for creations are arranged again for another catalog.
      if !isTold { $0.catalog = catalog }
      $0.storageTrouble = trouble
    }
  }

  /// Tells requests how many channels have something left to do. Those that have nothing left are let go before.
  func tellLiveChannels() {
    let count = decider.live.count
    directory.write { $0.liveChannels = count }
  }

  /// Makes sure that `timersDue` comes in when the next alarm is due. It is the last effect of a batch.
  func scheduleWake() {
    guard let next = decider.alarms.next() else {
      waker?.cancel()
      wakeAt = nil
      return
    }
    guard wakeAt != next else { return }
    wakeAt = next
    waker?.cancel()
    waker = Task { [clock, post] in
      guard (try? await clock.sleep(until: next)) != nil else { return }
      post(.timersDue)
    }
  }

  private func updateWatch() {
    for (kind, network) in directory.networks {
      let mine = decider.watched.all.compactMap { decider.relays[$0] }.filter { $0.network == kind }
      network.watch(Dictionary(uniqueKeysWithValues: mine.map { ($0.id, $0.address) }))
    }
  }
}
