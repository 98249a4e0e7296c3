internal import Channels
internal import RelayNetwork

// Carries out operations for reactions. The core sends a reaction to all relays of a channel that are ready, with one command, and reports
// neither which relays these are nor how far it came. It records whether its user has reacted, and refuses to do that twice, so a reaction
// is read there before it is sent. The refusal and its words are known from the core's source only.
extension CoreWorker {
  /// One reaction, with its operations.
  struct ReactionTask: ActTask {
    let post: PostID
    let channel: ChannelID
    let listing: GroupListing
    let operations: [DeliveryOperation]
    let form: ReactionForm

    var course: ActCourse { form.course }
  }

  func serve(_ task: ReactionTask) async {
    let item: CoreItem
    switch await target(task) {
    case .success(let found?): item = found
    case .success(nil): return answerGone(task)
    case .failure(let failure): return fail(task.operations, failure)
    }
    let isThere = item.ownReactions.contains(task.form.reaction)
    guard settle(task, isDone: isThere) else { return }
    for operation in task.operations(.verify) { verify(operation, isThere, task) }
    let (withdrawals, publications) = (task.operations(.withdraw), task.operations(.publish))
    if !withdrawals.isEmpty { await takeBack(withdrawals, isThere, task) }
    if !publications.isEmpty { await prepare(publications, isThere, task) }
  }

  /// The item that a reaction is about. `nil` if the core does not have it any more, or it was deleted.
  private func target(_ task: ReactionTask) async -> Result<CoreItem?, CoreFailure> {
    await itemInfo(task.form.target, task.group).map { info in
      info.flatMap { $0.item.item.deletion == nil ? $0.item.item : nil }
    }
  }

  /// Answers for a reaction whose post is gone. The reaction is gone with it.
  private func answerGone(_ task: ReactionTask) {
    for operation in task.operations {
      switch operation.task {
      case .withdraw: finish(operation, .withdrawn)
      case .verify where operation.deletion != nil: finish(operation, .missing)
      case .verify, .publish: finish(operation, .skipped(Self.targetGone))
      }
    }
  }

  private static let targetGone = Trouble(
    .missing, "the chat core does not have the post any more that this is a reaction to, or someone deleted it there")

  /// Answers whether a reaction is at a relay, as far as anyone can know: the core has it, and the relay was ready when it left.
  private func verify(_ operation: DeliveryOperation, _ isThere: Bool, _ task: ReactionTask) {
    let course = course(task)
    let hasIt = isReached(operation, course.reached, task)
    if operation.deletion != nil {
      let isTold = course.withdrawn.map { isReached(operation, $0, task) } ?? !isThere
      return finish(operation, hasIt && !isTold ? .verified(edition: 1) : .missing)
    }
    if isThere, hasIt { return finish(operation, .verified(edition: 1)) }
    guard course.sentAt != nil else { return finish(operation, .missing) }
    finish(operation, .skipped(isThere ? Self.reactionPassedOver : Self.takenBack))
  }

  static let reactionPassedOver = Trouble(
    .notSupported,
    "the connection to the relay was not ready when the channel reacted, or the channel got the relay later, and SimpleX sends reactions once"
  )
  private static let takenBack = Trouble(
    .missing, "someone took the reaction back in the chat core. Delete it here too, and react again")

  // MARK: - Sending

  /// Tells the relays of a reaction that its turn has come, unless the core has it.
  private func prepare(_ operations: [DeliveryOperation], _ isThere: Bool, _ task: ReactionTask) async {
    if !isThere, course(task).sentAt != nil {
      for operation in operations { finish(operation, .skipped(Self.takenBack)) }
      return
    }
    // Otherwise the reaction that is about to be removed would count as this one.
    guard !isBeingTakenBack(task) else { return hold(task.post, in: task.channel, for: limits.lookAgain) }
    let joined = joined(operations, task)
    guard !joined.isEmpty, isThere || !waitsForRelays(task) else { return }
    // The reaction may be there although Baton has not sent it. Then no one knows which relays got it, and the relays that are ready now
    // count.
    guard isThere, course(task).reached != nil else {
      let ready: Set<CoreMember.ID>
      switch await readyRelays(task) {
      case .success(let members): ready = members
      case .failure(let failure): return fail(joined, failure)
      }
      // The core sends even if no relay is ready, and never again.
      guard !ready.isDisjoint(with: joined.compactMap(task.member)) else {
        return hold(task.post, in: task.channel, Self.notReady)
      }
      guard desks[task.channel]?.flight == nil else { return hold(task.post, in: task.channel, for: limits.lookAgain) }
      change(task) { $0.reached = ready }
      return beginFlight(task)
    }
    for operation in joined { answer(operation, task) }
  }

  /// Whether an earlier identical reaction waits to be taken back.
  private func isBeingTakenBack(_ task: ReactionTask) -> Bool {
    let entries = desks[task.channel]?.entries.filter { $0.key != task.post }.values.flatMap(\.values) ?? []
    return entries.contains { entry in
      guard entry.operation.task == .withdraw, let other = ReactionForm(entry.operation.document) else { return false }
      return other.target == task.form.target && other.reaction == task.form.reaction
    }
  }

  /// Gives the core a reaction whose relays have answered.
  func react(_ task: ReactionTask) async {
    switch await ask(.react(task.group, task.form.target, task.form.reaction, isAdded: true)) {
    case .success(.reaction(let change)) where isAbout(change, task): taken(task)
    case .success(let reply): lose(task, Trouble(.protocol, Self.unexpected(reply).description))
    case .failure(.refused(let error)): await refused(error, task)
    case .failure(let failure): unanswered(task, failure)
    }
  }

  private func isAbout(_ change: CoreReactionChange, _ task: ReactionTask) -> Bool {
    change.item.id == task.form.target && change.group?.id == task.group
  }

  private func taken(_ task: ReactionTask) {
    change(task) { $0.sentAt = now() }
    for operation in task.operations { answer(operation, task) }
  }

  /// Answers a publication of a reaction that the core has: it is on its way to the relay, or the relay was passed over.
  private func answer(_ operation: DeliveryOperation, _ task: ReactionTask) {
    let hasIt = isReached(operation, course(task).reached, task)
    finish(operation, hasIt ? .accepted : .skipped(Self.reactionPassedOver))
  }

  /// Handles a reaction that the core refuses: it has it already, or does not send it.
  private func refused(_ error: CoreError, _ task: ReactionTask) async {
    switch error.kind {
    case .command, .item, .notAllowed: break
    case .temporary, .deadLink, .wrongServer, .incompatible, .noUser, .notStarted, .store, .other:
      change(task) { $0.reached = nil }
      return giveBack(task.operations, error.trouble)
    }
    switch await target(task) {
    case .success(let item?):
      guard !item.ownReactions.contains(task.form.reaction) else { return taken(task) }
      change(task) { $0.reached = nil }
      let isFull = item.ownReactions.count >= CoreReaction.countMax
      for operation in task.operations { finish(operation, .refused(isFull ? Self.tooMany : error.trouble)) }
    case .success(nil):
      change(task) { $0.reached = nil }
      for operation in task.operations { finish(operation, .skipped(Self.targetGone)) }
    case .failure(let failure): giveBack(task.operations, failure)
    }
  }

  private static let tooMany = Trouble(
    .rejected,
    "SimpleX takes \(CoreReaction.countMax) reactions of a channel to a post, and there are as many. Delete one of them")

  // MARK: - Taking back

  /// Takes a reaction back, once for all relays, and answers the operations that ask for it.
  private func takeBack(_ operations: [DeliveryOperation], _ isThere: Bool, _ task: ReactionTask) async {
    if course(task).reached != nil, course(task).withdrawn == nil {
      guard let told = await removed(operations, isThere, task) else { return }
      change(task) { $0.withdrawn = told }
    }
    let course = course(task)
    for operation in operations {
      let hasIt = isReached(operation, course.reached, task)
      let isTold = isReached(operation, course.withdrawn, task)
      finish(operation, hasIt && !isTold ? .refused(Self.reactionNotTold) : .withdrawn)
    }
    // The same reaction may wait to be made again.
    lookAtPosts(of: task.channel)
  }

  private static let reactionNotTold = Trouble(
    .unreachable,
    "the connection to the relay was not ready when the reaction was taken back, and the core tells each relay once")

  /// Has the core take back a reaction that may be there.
  /// - Returns: the relays that were told. `nil` if the operations were answered, or wait.
  private func removed(
    _ operations: [DeliveryOperation], _ isThere: Bool, _ task: ReactionTask
  ) async -> Set<CoreMember.ID>? {
    // It was taken back before, and the answer was lost, or someone else took it back.
    if !isThere, let asked = knownPosts[task.post].asked { return asked }
    let ready: Set<CoreMember.ID>
    switch await readyRelays(task) {
    case .success(let members): ready = members
    case .failure(let failure):
      fail(operations, failure)
      return nil
    }
    guard isThere else { return ready }
    knownPosts[task.post].asked = ready
    switch await ask(.react(task.group, task.form.target, task.form.reaction, isAdded: false)) {
    case .success(.reaction(let change)) where isAbout(change, task): return ready
    case .success(let reply): fail(operations, Self.unexpected(reply))
    case .failure(.refused(let error)) where error.kind == .command || error.kind == .notAllowed:
      // It may be gone since it was looked at.
      if case .success(let item) = await target(task), item?.ownReactions.contains(task.form.reaction) != true { return ready }
      for operation in operations { finish(operation, .refused(error.trouble)) }
    case .failure(let failure): fail(operations, failure)
    }
    return nil
  }
}
