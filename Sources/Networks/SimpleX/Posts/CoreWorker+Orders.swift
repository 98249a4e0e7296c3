internal import Channels
internal import RelayNetwork

// Carries out orders: messages of others are removed, and members are removed, blocked, or get a role. The core tells all relays that are
// ready, with one command, and says neither which nor how far it came. What it shows itself is what counts: whoever carries an order out
// twice finds it done. All of this is known from the core's source and types only.
extension CoreWorker {
  /// One order, with what is asked for it.
  struct OrderTask: DeskTask {
    let post: PostID
    let channel: ChannelID
    let listing: GroupListing
    let operations: [DeliveryOperation]
    let form: OrderForm
  }

  /// What the core shows of an order.
  private enum Sight {
    case done
    case item(CoreItem.ID)
    case member(CoreMember.ID)
    /// It cannot be carried out, for this reason.
    case impossible(Trouble)
  }

  func serve(_ task: OrderTask) async {
    let sight: Sight
    switch await look(task) {
    case .success(let found): sight = found
    case .failure(let failure): return fail(task.operations, failure)
    }
    if task.form.order == .removeMessage { return await serveRemoval(task, sight) }
    guard settle(task, sight) else { return }
    for operation in task.operations(.withdraw) { finish(operation, .withdrawn) }
    for operation in task.operations(.verify) { verify(operation, sight, task) }
    let publications = task.operations(.publish)
    if !publications.isEmpty { await prepare(publications, sight, task) }
  }

  private func course(_ task: OrderTask) -> ReactionForm.Course { knownPosts[task.post].course ?? task.form.course }

  private func change(_ task: OrderTask, _ change: (inout ReactionForm.Course) -> Void) {
    var course = course(task)
    change(&course)
    knownPosts[task.post].course = course
  }

  private func isReached(_ operation: DeliveryOperation, _ task: OrderTask) -> Bool {
    task.member(operation).flatMap { course(task).reached?.contains($0) } ?? false
  }

  // MARK: - What the core shows

  private func look(_ task: OrderTask) async -> Result<Sight, CoreFailure> {
    guard task.form.order == .removeMessage else { return await lookAtMember(task) }
    guard let place = ItemPlace(name: task.form.target), let item = place.item else { return .success(.done) }
    return await itemInfo(item, task.group).map { info in
      guard let found = info?.item.item else { return .done }
      // A core that was set back gives numbers out again.
      if case .item(_, let shared?) = place, ItemPlace(found) != .item(item, sharedID: shared) {
        return .impossible(Self.otherMessage)
      }
      return found.deletion == nil ? .item(item) : .done
    }
  }

  private static let otherMessage = Trouble(
    .missing, "the chat core has another message under the number that this one had, so its database was probably set back")

  private func lookAtMember(_ task: OrderTask) async -> Result<Sight, CoreFailure> {
    let user = task.listing.group.membership
    guard task.form.target != ItemNews.name(of: user.sharedID, user.id) else { return .success(.impossible(Self.memberIsUser)) }
    let member: CoreMember?
    switch await self.member(named: task.form.target, in: task.listing.group) {
    case .success(.member(let found)): member = found.isThere ? found : nil
    case .success(.nobody): member = nil
    case .success(.unknown): return .success(.impossible(Self.memberUnknown))
    case .failure(let failure): return .failure(failure)
    }
    guard let member else {
      // Whom nobody has ever heard of was not removed.
      let wasRemoved = task.form.order == .removeMember && course(task).reached != nil
      return .success(wasRemoved ? .done : .impossible(Self.memberGone))
    }
    guard member.role.known != .relay else { return .success(.impossible(Self.memberIsRelay)) }
    let isDone =
      switch task.form.order {
      case .setRole(let role): member.role.known == role
      case .block(let isBlocked): member.isBlocked == isBlocked
      case .removeMember, .removeMessage: false
      }
    return .success(isDone ? .done : .member(member.id))
  }

  private static let memberGone = Trouble(.missing, "the channel has no such member, or not any more; see batonctl member list")
  private static let memberUnknown = Trouble(
    .notSupported,
    "the channel has so many members that Baton does not list them, and this one has not written since the daemon started")
  private static let memberIsUser = Trouble(.rejected, "that is the user of the chat core, who runs the channel")
  private static let memberIsRelay = Trouble(
    .rejected, "that is a relay of the channel; take it away with batonctl channel remove-relay")

  /// Finds out whether an order that may have left was carried out.
  /// - Returns: whether that is known now; otherwise the operations wait.
  private func settle(_ task: OrderTask, _ sight: Sight) -> Bool {
    let course = course(task)
    guard course.reached != nil, course.sentAt == nil else { return true }
    if case .done = sight {
      change(task) { $0.sentAt = now() }
    } else {
      // A later order about the same member must not be undone by this one.
      guard !isInDoubt(task, since: knownPosts[task.post].lostAt) else { return false }
      change(task) { $0.reached = nil }
    }
    knownPosts[task.post].lostAt = nil
    lostOrders.found(task.post, about: task.form.target, in: task.channel)
    return true
  }

  /// Answers whether a relay carries out an order, as far as anybody can know: the core shows it, and the relay was ready when it left.
  private func verify(_ operation: DeliveryOperation, _ sight: Sight, _ task: OrderTask) {
    // It was given up.
    if operation.deletion != nil { return finish(operation, .missing) }
    switch sight {
    case .done where course(task).reached == nil || isReached(operation, task): finish(operation, .verified(edition: 1))
    case .done: finish(operation, .skipped(Self.orderPassedOver))
    case .item, .member: finish(operation, .missing)
    case .impossible(let trouble): finish(operation, .skipped(trouble))
    }
  }

  private static let orderPassedOver = Trouble(
    .notSupported,
    "the connection to the relay was not ready when the core told relays, or the channel got the relay later; the core tells each once"
  )

  private static let undone = Trouble(
    .notSupported, "it was done, and somebody has changed it since in the chat core; to have it again, ask for it again")

  // MARK: - Members

  /// Tells the relays of an order that its turn has come, unless the core shows that it is done.
  private func prepare(_ operations: [DeliveryOperation], _ sight: Sight, _ task: OrderTask) async {
    if case .impossible(let trouble) = sight {
      for operation in operations { finish(operation, .skipped(trouble)) }
      return
    }
    // What was done once is not done again: somebody has decided otherwise since.
    if case .member = sight, course(task).sentAt != nil {
      for operation in operations { finish(operation, .skipped(Self.undone)) }
      return
    }
    // The core may yet carry out an earlier order about the same member.
    if let at = lostOrders.time(about: task.form.target, in: task.channel, except: task.post), isInDoubt(task, since: at) {
      return
    }
    let joined = joined(operations, task)
    guard !joined.isEmpty, !waitsForRelays(task) else { return }
    let isDone = if case .done = sight { true } else { false }
    if isDone, course(task).reached != nil {
      for operation in joined { answer(operation, task) }
      return
    }
    let ready: Set<CoreMember.ID>
    switch await readyRelays(task) {
    case .success(let members): ready = members
    case .failure(let failure): return fail(joined, failure)
    }
    // The core also tells nobody, and never again.
    guard isDone || !ready.isDisjoint(with: joined.compactMap(task.member)) else {
      return hold(task.post, in: task.channel, Self.notReady)
    }
    guard desks[task.channel]?.flight == nil else { return hold(task.post, in: task.channel, for: limits.lookAgain) }
    change(task) { $0.reached = ready }
    beginFlight(task)
  }

  /// Gives an order to the core, whose relays have answered.
  func carryOut(_ task: OrderTask) async {
    let sight: Sight
    switch await look(task) {
    case .success(let found): sight = found
    case .failure(let failure):
      change(task) { $0.reached = nil }
      return giveBack(task.operations, failure)
    }
    switch sight {
    case .done: return taken(task)
    case .impossible(let trouble):
      change(task) { $0.reached = nil }
      for operation in task.operations { finish(operation, .skipped(trouble)) }
    case .item: return
    case .member(let member): await give(task, about: member)
    }
  }

  private func give(_ task: OrderTask, about member: CoreMember.ID) async {
    guard let command = Self.command(task.form.order, member, task.group) else { return }
    switch await ask(command) {
    case .success(.membersRemoved(let group, _)), .success(.roleChanged(let group, _)), .success(.blockChanged(let group, _)):
      guard group.id == task.group else {
        return lose(task, Trouble(.protocol, "the core says that it has changed members of another channel"))
      }
      taken(task)
    case .success(let reply): lose(task, Trouble(.protocol, Self.unexpected(reply).description))
    case .failure(.refused(let error)): await refused(error, task)
    case .failure(.notSent(let reason)):
      change(task) { $0.reached = nil }
      giveBack(task.operations, .notSent(reason))
    case .failure(.unreadable(let tag, let fault)):
      lose(task, Trouble(.protocol, CoreFailure.unreadable(tag: tag, fault).description))
    case .failure(.unknown(let reason)): lose(task, Trouble(.timeout, CoreFailure.unknown(reason).description))
    }
  }

  private static func command(_ order: OrderForm.Order, _ member: CoreMember.ID, _ group: CoreGroup.ID) -> CoreCommand? {
    switch order {
    case .removeMember: .removeMembers(group, CoreIDList(member))
    case .setRole(let role): .setRole(group, CoreIDList(member), role)
    case .block(let isBlocked): .block(group, CoreIDList(member), isBlocked: isBlocked)
    case .removeMessage: nil
    }
  }

  private func taken(_ task: OrderTask) {
    change(task) { $0.sentAt = now() }
    readings.oweMembers(of: task.channel, at: now())
    for operation in task.operations { answer(operation, task) }
  }

  /// Answers a publication of an order that was carried out: the relay was told, or passed over.
  private func answer(_ operation: DeliveryOperation, _ task: OrderTask) {
    finish(operation, isReached(operation, task) ? .accepted : .skipped(Self.orderPassedOver))
  }

  /// Handles an order of which nobody knows whether the core has carried it out, or will.
  private func lose(_ task: OrderTask, _ trouble: Trouble) {
    knownPosts[task.post].lostAt = now()
    lostOrders.note(task.post, about: task.form.target, in: task.channel, at: now(), for: limits.doubtTime)
    giveBack(task.operations, trouble)
  }

  /// Handles an order that the core refuses: it is done already, or not possible.
  private func refused(_ error: CoreError, _ task: OrderTask) async {
    change(task) { $0.reached = nil }
    switch error.kind {
    case .temporary, .deadLink, .wrongServer, .incompatible, .noUser, .notStarted, .store:
      return giveBack(task.operations, error.trouble)
    case .command, .item, .notAllowed, .other: break
    }
    switch await look(task) {
    // The relays that were ready are those of this attempt, whoever did it.
    case .success(.done): giveBack(task.operations, error.trouble)
    case .success: for operation in task.operations { finish(operation, .refused(error.trouble)) }
    case .failure(let failure): giveBack(task.operations, failure)
    }
  }

  // MARK: - Messages

  private func serveRemoval(_ task: OrderTask, _ sight: Sight) async {
    for operation in task.operations(.publish) { finish(operation, .skipped(Self.nothingToSend)) }
    let withdrawals = task.operations(.withdraw)
    if !withdrawals.isEmpty { await remove(withdrawals, sight, task) }
    for operation in task.operations(.verify) {
      let isGone = if case .done = sight { true } else { false }
      let isTold = course(task).reached == nil ? isGone : isReached(operation, task)
      finish(operation, isTold ? .missing : .verified(edition: 1))
    }
  }

  private static let nothingToSend = Trouble(.notSupported, "the removal of a message has nothing to publish")

  /// Has the core remove a message, once for all relays, and answers for those that ask.
  private func remove(_ operations: [DeliveryOperation], _ sight: Sight, _ task: OrderTask) async {
    if case .impossible(let trouble) = sight {
      for operation in operations { finish(operation, .refused(trouble)) }
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
      finish(operation, isReached(operation, task) ? .withdrawn : .refused(Self.removalNotTold))
    }
  }

  /// - Returns: the relays that were told; `nil` if the operations were answered, or wait.
  private func removed(_ operations: [DeliveryOperation], _ sight: Sight, _ task: OrderTask) async -> Set<CoreMember.ID>? {
    // It was removed before, and the answer was lost, or by somebody else.
    guard case .item(let item) = sight else {
      // It may be older than what is read again.
      if readings[task.channel] != nil { delete(task.form.target, in: task.channel) }
      if let asked = knownPosts[task.post].asked { return asked }
      switch await readyRelays(task) {
      case .success(let members): return members
      case .failure(let failure):
        fail(operations, failure)
        return nil
      }
    }
    let ready: Set<CoreMember.ID>
    switch await readyRelays(task) {
    case .success(let members): ready = members
    case .failure(let failure):
      fail(operations, failure)
      return nil
    }
    guard !ready.isEmpty else {
      hold(task.post, in: task.channel, Self.notReady)
      return nil
    }
    knownPosts[task.post].asked = ready
    switch await ask(.moderate(task.group, CoreIDList(item))) {
    case .success(.itemsDeleted(let deletions)):
      // No event says so.
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
