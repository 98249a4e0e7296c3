internal import Channels
internal import RelayNetwork

// Carries out orders about members: they are removed, blocked, or get a role. An order that is carried out twice is found done. All of this
// is known from the core's source and types only.
extension CoreWorker {
  /// One order, with its operations.
  struct OrderTask: ActTask {
    let post: PostID
    let channel: ChannelID
    let listing: GroupListing
    let operations: [DeliveryOperation]
    let form: OrderForm

    var course: ActCourse { form.course }
  }

  /// The state in the core of the member that an order is about.
  fileprivate enum Sight {
    case done
    case open(CoreMember.ID)
    /// It cannot be carried out, for this reason.
    case impossible(Trouble)
  }

  func serve(_ task: OrderTask) async {
    guard task.form.order != .removeMessage else { return await serveRemoval(task) }
    let sight: Sight
    switch await look(task) {
    case .success(let found): sight = found
    case .failure(let failure): return fail(task.operations, failure)
    }
    guard settle(task, isDone: sight.isDone) else { return }
    lostOrders.found(task.post, about: task.form.target, in: task.channel)
    for operation in task.operations(.withdraw) { finish(operation, .withdrawn) }
    for operation in task.operations(.verify) { verify(operation, sight, task) }
    let publications = task.operations(.publish)
    if !publications.isEmpty { await prepare(publications, sight, task) }
  }

  // MARK: - The state in the core

  private func look(_ task: OrderTask) async -> Result<Sight, CoreFailure> {
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
      // A member that was never in the channel was not removed.
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
    return .success(isDone ? .done : .open(member.id))
  }

  private static let memberGone = Trouble(.missing, "the channel has no such member. See batonctl member list")
  private static let memberUnknown = Trouble(
    .notSupported,
    "the channel has so many members that Baton does not list them, and this one has not written since the daemon started")
  private static let memberIsUser = Trouble(.rejected, "that is the user of the chat core, the owner of the channel")
  private static let memberIsRelay = Trouble(
    .rejected, "that is a relay of the channel. Take it away with batonctl channel remove-relay")

  /// Answers whether a relay carries out an order, as far as anyone can know: the core shows it, and the relay was ready when it left.
  private func verify(_ operation: DeliveryOperation, _ sight: Sight, _ task: OrderTask) {
    // It was given up.
    if operation.deletion != nil { return finish(operation, .missing) }
    switch sight {
    case .done where course(task).reached == nil || isReached(operation, course(task).reached, task):
      finish(operation, .verified(edition: 1))
    case .done: finish(operation, .skipped(Self.orderPassedOver))
    case .open: finish(operation, .missing)
    case .impossible(let trouble): finish(operation, .skipped(trouble))
    }
  }

  private static let orderPassedOver = Trouble(
    .notSupported,
    "the connection to the relay was not ready when the core told relays, or the channel got the relay later, and the core tells each once"
  )

  private static let undone = Trouble(
    .notSupported, "it was done, and someone has changed it since in the chat core. To have it again, ask for it again")

  // MARK: - Members

  /// Tells the relays of an order that its turn has come, unless the core shows that it is done.
  private func prepare(_ operations: [DeliveryOperation], _ sight: Sight, _ task: OrderTask) async {
    if case .impossible(let trouble) = sight {
      for operation in operations { finish(operation, .skipped(trouble)) }
      return
    }
    // An order that was done once is not done again: someone has decided otherwise since.
    if case .open = sight, course(task).sentAt != nil {
      for operation in operations { finish(operation, .skipped(Self.undone)) }
      return
    }
    // The core may yet carry out an earlier order about the same member.
    if let at = lostOrders.time(about: task.form.target, in: task.channel, except: task.post), isInDoubt(task, since: at) {
      return
    }
    let joined = joined(operations, task)
    guard !joined.isEmpty, !waitsForRelays(task) else { return }
    if sight.isDone, course(task).reached != nil {
      for operation in joined { answer(operation, task) }
      return
    }
    let ready: Set<CoreMember.ID>
    switch await readyRelays(task) {
    case .success(let members): ready = members
    case .failure(let failure): return fail(joined, failure)
    }
    // The core carries an order out even if no relay is ready, and never tells relays later.
    guard sight.isDone || !ready.isDisjoint(with: joined.compactMap(task.member)) else {
      return hold(task.post, in: task.channel, Self.notReady)
    }
    guard desks[task.channel]?.flight == nil else { return hold(task.post, in: task.channel, for: limits.lookAgain) }
    change(task) { $0.reached = ready }
    beginFlight(task)
  }

  /// Gives the core an order whose relays have answered.
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
    case .open(let member): await give(task, about: member)
    }
  }

  private func give(_ task: OrderTask, about member: CoreMember.ID) async {
    guard let command = Self.command(task.form.order, member, task.group) else { return }
    // Before its answer is there, the core may carry it out at any time.
    lostOrders.note(task.post, about: task.form.target, in: task.channel, at: now(), for: limits.doubtTime)
    switch await ask(command) {
    case .success(.membersRemoved(let group, _)), .success(.roleChanged(let group, _)), .success(.blockChanged(let group, _)):
      guard group.id == task.group else {
        return lose(task, Trouble(.protocol, "the core has changed members of another channel"))
      }
      taken(task)
    case .success(let reply): lose(task, Trouble(.protocol, Self.unexpected(reply).description))
    case .failure(.refused(let error)): await refused(error, task)
    case .failure(let failure): unanswered(task, failure)
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
    lostOrders.found(task.post, about: task.form.target, in: task.channel)
    change(task) { $0.sentAt = now() }
    readings.oweMembers(of: task.channel)
    for operation in task.operations { answer(operation, task) }
  }

  /// Answers a publication of an order that was carried out: the relay was told, or passed over.
  private func answer(_ operation: DeliveryOperation, _ task: OrderTask) {
    finish(operation, isReached(operation, course(task).reached, task) ? .accepted : .skipped(Self.orderPassedOver))
  }

  /// Handles an order that the core refuses: it is done already, or not possible.
  private func refused(_ error: CoreError, _ task: OrderTask) async {
    change(task) { $0.reached = nil }
    lostOrders.found(task.post, about: task.form.target, in: task.channel)
    switch error.kind {
    case .temporary, .deadLink, .wrongServer, .incompatible, .noUser, .notStarted, .store:
      return giveBack(task.operations, error.trouble)
    case .command, .item, .notAllowed, .other: break
    }
    switch await look(task) {
    // The relays that were ready are this attempt's, no matter who did it.
    case .success(.done): giveBack(task.operations, error.trouble)
    case .success: for operation in task.operations { finish(operation, .refused(error.trouble)) }
    case .failure(let failure): giveBack(task.operations, failure)
    }
  }
}

extension CoreWorker.Sight {
  fileprivate var isDone: Bool { if case .done = self { true } else { false } }
}
