internal import Channels
internal import Storage

// What was decided becomes durable, or is taken back.
extension Engine {
  /// Commits a batch and does what follows from it. What nobody waits for is stored last.
  func finish(_ batch: Batch) async {
    if decider.recovery.doubt != nil {
      return takeBack(batch, decider.recovery.trouble ?? "it is not known what is stored", isInDoubt: false)
    }
    let mutations = decider.writes(of: batch)
    if !mutations.isEmpty {
      do {
        try await storage.commit(mutations)
      } catch {
        return takeBack(batch, "\(error)", isInDoubt: true)
      }
    }
    decider.committed(batch, hasWritten: !mutations.isEmpty, at: clock.now)
    carryOut(batch.effects) { batch.answer(nil) }
    decider.letGo(batch)
    tellLiveChannels()
    await doChores()
  }

  private func takeBack(_ batch: Batch, _ reason: String, isInDoubt: Bool) {
    decider.failed(batch, reason, isInDoubt: isInDoubt, at: clock.now)
    carryOut(batch.effects) { batch.answer(.storageUnavailable(reason: reason)) }
    tellLiveChannels()
  }

  /// Stores what nobody waits for. It is a commit of its own, so a failure here refuses no request, but it is logged.
  private func doChores() async {
    let due = decider.chores.take()
    guard !due.isEmpty else { return }
    var effects = Effects()
    do {
      // If more of the history is left, it goes on after the inputs that wait by then, so it keeps up with whatever is written.
      if try await storage.commit(due).forgotten >= Decider.forgottenMax { effects.inputs.append(.forgetHistory) }
    } catch {
      decider.chores.failed(due)
      decider.storageFailed("\(error)", &effects, at: clock.now)
    }
    carryOut(effects)
  }

  // MARK: - A commit that failed may have become durable all the same

  /// Goes on from what is durable, once that can be read. Until then nothing is committed, so that no revision or identifier is
  /// given out twice.
  func settleDoubt() async {
    guard let doubt = decider.recovery.doubt else { return }
    var effects = Effects()
    do {
      let stored = try await storage.counters()
      // They change no revision; the stored identities are valid.
      let identities = try await storage.identities()
      effects.identities = identities
      let found = stored == decider.committed.counters ? nil : try await Self.load(storage, directory)
      decider.recovery.settle(latest: stored.channel)
      guard let found else { return carryOut(effects) }
      effects = doubt.effects(through: stored.revision, identities: identities)
      decider.goOn(from: stored, found, &effects, at: clock.now)
    } catch {
      decider.storageFailed("\(error)", &effects, at: clock.now)
    }
    carryOut(effects)
  }
}
