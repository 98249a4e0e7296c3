internal import Channels
internal import RelayNetwork

// Carries out orders to remove other people's messages: the core removes a message for everyone, and tells relays that are ready once. That
// is known from its source and types only.
extension CoreWorker {
  /// The item that the core has under the number of a message.
  private enum MessageSight: Hashable {
    case there(CoreItem.ID)
    case gone
    /// A core that was set back gives numbers out again.
    case another
  }

  private func look(at task: OrderTask) async -> Result<MessageSight, CoreFailure> {
    guard let place = ItemPlace(name: task.form.target), let item = place.item else { return .success(.gone) }
    return await itemInfo(item, task.group).map { info in
      guard let found = info?.item.item else { return .gone }
      if case .item(_, let shared?) = place, ItemPlace(found) != .item(item, sharedID: shared) { return .another }
      return found.deletion == nil ? .there(item) : .gone
    }
  }

  private static let otherMessage = Trouble(
    .missing, "the chat core has another message under the number that this one had, so its database was probably set back")

  func serveRemoval(_ task: OrderTask) async {
    let sight: MessageSight
    switch await look(at: task) {
    case .success(let found): sight = found
    case .failure(let failure): return fail(task.operations, failure)
    }
    for operation in task.operations(.publish) { finish(operation, .skipped(Self.nothingToSend)) }
    let withdrawals = task.operations(.withdraw)
    if !withdrawals.isEmpty { await remove(withdrawals, sight, task) }
    for operation in task.operations(.verify) {
      let reached = course(task).reached
      let isTold = reached == nil ? sight == .gone : isReached(operation, reached, task)
      finish(operation, isTold ? .missing : .verified(edition: 1))
    }
  }

  private static let nothingToSend = Trouble(.notSupported, "the removal of a message has nothing to publish")

  /// Has the core remove a message, once for all relays, and answers the operations that ask for it.
  private func remove(_ operations: [DeliveryOperation], _ sight: MessageSight, _ task: OrderTask) async {
    guard sight != .another else {
      for operation in operations { finish(operation, .refused(Self.otherMessage)) }
      return
    }
    if course(task).reached == nil {
      guard let told = await removed(operations, sight, task) else { return }
      change(task) {
        $0.reached = told
        $0.sentAt = now()
      }
    }
    for operation in operations {
      finish(operation, isReached(operation, course(task).reached, task) ? .withdrawn : .refused(Self.removalNotTold))
    }
  }

  /// - Returns: the relays that were told. `nil` if the operations were answered, or wait.
  private func removed(_ operations: [DeliveryOperation], _ sight: MessageSight, _ task: OrderTask) async -> Set<CoreMember.ID>?
  {
    let ready: Set<CoreMember.ID>
    switch await readyRelays(task) {
    case .success(let members): ready = members
    case .failure(let failure):
      fail(operations, failure)
      return nil
    }
    // It was removed before, and the answer was lost, or someone else removed it.
    guard case .there(let item) = sight else {
      // It may be older than the messages that are read again.
      if readings[task.channel] != nil { delete(task.form.target, in: task.channel) }
      return knownPosts[task.post].asked ?? ready
    }
    guard !ready.isEmpty else {
      hold(task.post, in: task.channel, Self.notReady)
      return nil
    }
    knownPosts[task.post].asked = ready
    switch await ask(.moderate(task.group, CoreIDList(item))) {
    case .success(.itemsDeleted(let deletions)):
      // No event reports this.
      for deletion in deletions { deleted(deletion.deleted) }
      return ready
    case .success(let reply): fail(operations, Self.unexpected(reply))
    case .failure(.refused(let error)):
      switch error.kind {
      case .command, .item, .notAllowed: for operation in operations { finish(operation, .refused(error.trouble)) }
      case .temporary, .deadLink, .wrongServer, .incompatible, .noUser, .notStarted, .store, .other:
        fail(operations, .refused(error))
      }
    case .failure(let failure): fail(operations, failure)
    }
    return nil
  }

  private static let removalNotTold = Trouble(
    .unreachable, "the connection to the relay was not ready when the message was removed, and the core tells each relay once")
}
