internal import Channels
internal import Storage

// What was decided becomes durable, or is taken back.
extension Engine {
  /// Begins to commit what was decided, unless a commit is under way. What nobody waits for is stored after that.
  func depart() async {
    repeat {
      begin()
      await doChores()
    } while flight == nil && !decider.open.isEmpty
    tellOpenInputs()
    scheduleWake()
  }

  /// Begins a commit. What stores nothing is done at once.
  private func begin() {
    while flight == nil, !decider.open.isEmpty {
      if let fenced { return takeBack(fenced) }
      if decider.doubt != nil {
        return takeBack(.unavailable(decider.recovery.trouble ?? "it is not known what is stored"))
      }
      let request = decider.close()
      if request.isEmpty {
        let revision = decider.base.counters.revision
        finish(CommitReceipt(base: revision, revision: revision))
      } else {
        flight = fly(request)
      }
    }
  }

  /// Waits for the commit that is under way, does what follows from it, and begins the next one.
  func land() async {
    guard let flight else { return }
    let outcome = await flight.outcome
    self.flight = nil
    switch outcome {
    case .success(let receipt):
      finish(receipt)
    case .failure(let failure):
      takeBack(failure)
    }
    await depart()
  }

  /// Waits until all that was decided is durable, or known not to be.
  func rest() async {
    while flight != nil || chore != nil || !decider.open.isEmpty {
      if flight != nil {
        await land()
      } else if decider.open.isEmpty {
        await endChore()
        await depart()
      } else {
        await depart()
      }
    }
  }

  private func finish(_ receipt: CommitReceipt) {
    let (decision, effects) = decider.landed(receipt, at: clock.now)
    carryOut(effects) { for answer in decision.answers { give(answer) } }
    decider.letGo(decision, changes: effects.changes.count)
    tellLiveChannels()
  }

  private func takeBack(_ failure: CommitFailure) {
    let (effects, answers) = decider.failed(failure, at: clock.now)
    let refusal = BatonError.storageUnavailable(reason: failure.description)
    if case .fenced = failure {
      // Whoever owns the channels now acts for them.
      fenced = failure
      for answer in answers { give(answer, refusal) }
      for input in effects.inputs { input.refuse(refusal) }
      return
    }
    carryOut(effects) { for answer in answers { give(answer, refusal) } }
    tellLiveChannels()
  }

  /// Stores what nobody waits for. It is a commit of its own, so a failure here refuses no request, but it is logged.
  private func doChores() async {
    if let chore, chore.flight.isOver { await endChore() }
    guard chore == nil, decider.doubt == nil, fenced == nil else { return }
    let due = decider.chores.take()
    guard !due.isEmpty else { return }
    // They have nothing to do with each other: one that cannot be stored must not take others with it.
    chore = (fly(CommitRequest(due.map { CommitPart([$0]) })), due)
    if !isEager { await endChore() }
  }

  private func endChore() async {
    guard let (flight, mutations) = chore else { return }
    let outcome = await flight.outcome
    chore = nil
    switch outcome {
    case .success(let receipt):
      // If more of the history is left, it goes on after the inputs that wait by then, so it keeps up with whatever is written.
      if receipt.forgotten >= Decider.forgottenMax { post(.forgetHistory) }
      for (place, rejection) in receipt.rejections.sorted(by: { $0.key < $1.key }) where mutations.indices.contains(place) {
        decider.chores.failed([mutations[place]])
        if case .refused(let reason) = rejection { decider.storageFailed(reason) }
      }
    case .failure(let failure):
      decider.chores.failed(mutations)
      if case .fenced = failure { fenced = failure } else { decider.storageFailed(failure.description) }
    }
    publishDirectory()
  }

  private func fly(_ request: CommitRequest) -> Flight {
    Flight(isEager: isEager, whenOver: poke) { [storage] in
      do throws(CommitFailure) {
        return .success(try await storage.commit(request))
      } catch {
        return .failure(error)
      }
    }
  }

  // MARK: - A commit that failed may have become durable all the same

  /// Goes on from what is durable, once that can be read. Until then nothing is committed, so that no revision or identifier is
  /// given out twice.
  func settleDoubt() async {
    guard let doubt = decider.doubt else { return }
    do {
      let stored = try await storage.counters()
      let identities = try await storage.identities()
      let isDurable = try await storage.lastSignOfLife()?.commit == doubt.number
      let found =
        isDurable
        ? Decider.Found(
          catalog: try await Self.load(storage, directory),
          channels: try await storage.channels(Set(doubt.order)).found.mapValues(\.row)) : nil
      let loads = isDurable ? try await storage.channelCounts() : nil
      let effects = decider.settleDoubt(stored, found, identities, at: clock.now)
      // Parts of it may not have been written.
      if let loads { directory.write { $0.loads.begin(with: loads) } }
      carryOut(effects)
    } catch {
      decider.storageFailed("\(error)")
    }
  }
}
