internal import Channels
internal import RelayNetwork

// Sends posts and edits. Nothing is sent before that is durable, and nothing twice: see `find`.
extension CoreWorker {
  /// How many of the newest items are read to find the end of a channel.
  private static let newestCount = 10
  static let notReady = Trouble(.unreachable, "the connection to the relay is not ready")

  /// Tells the relays of an unsent post that its turn has come.
  func prepare(_ operations: [DeliveryOperation], _ task: PostTask) async {
    let joined = joined(operations, task)
    guard !joined.isEmpty, !waitsForRelays(task) else { return }
    // The core sends even if no relay is ready, and never again.
    switch await hasReadyRelay(joined, task) {
    case .success(true): break
    case .success(false):
      return hold(task.post, in: task.channel, Self.notReady)
    case .failure(let failure): return fail(joined, failure)
    }
    guard knownPosts[task.post].place == .unsent else { return beginFlight(task) }
    switch await newestItem(task.group) {
    case .success(let mark): beginFlight(task, at: .after(mark))
    case .failure(let failure): fail(joined, failure)
    }
  }

  /// The operations whose relays have the channel, or are on their way to it. The others are answered.
  func joined(_ operations: [DeliveryOperation], _ task: some DeskTask) -> [DeliveryOperation] {
    operations.filter { operation in
      switch task.listing.standing(of: operation.address) {
      case .lost(_, let trouble): finish(operation, .troubled(trouble, retryAfter: nil))
      case .absent:
        finish(
          operation, .troubled(Trouble(.unreachable, "the chat core does not have the relay in the channel"), retryAfter: nil))
      case .stuck, .invited, .accepted, .active: return true
      }
      return false
    }
  }

  /// Tells relays that the turn of a post has come, and waits for the answers.
  /// - Parameter place: where the post will be, or `nil` if that is known.
  func beginFlight(_ task: some DeskTask, at place: ItemPlace? = nil) {
    // Operations may have come, or been replaced by newer ones, since the task was made.
    let current = (desks[task.channel]?.operations(of: task.post) ?? []).filter { $0.task == .publish && task.isJoined($0) }
    guard !current.isEmpty else { return }
    guard desks[task.channel]?.flight == nil else { return hold(task.post, in: task.channel, for: limits.lookAgain) }
    if let place { knownPosts[task.post].place = place }
    desks[task.channel]?.flight = PostDesk.Flight(
      post: task.post, waiting: Dictionary(current.map { ($0.relay, $0.number) }) { _, last in last }, since: now())
    for operation in current { tell(.handedOver, of: operation) }
    around.nudge(limits.patience)
  }

  /// Whether the core can send to any of the relays now.
  private func hasReadyRelay(_ operations: [DeliveryOperation], _ task: PostTask) async -> Result<Bool, CoreFailure> {
    for member in operations.compactMap(task.member) {
      switch await isReady(member, task.group) {
      case .success(true): return .success(true)
      case .success(false): break
      case .failure(let failure): return .failure(failure)
      }
    }
    return .success(false)
  }

  /// Whether the connection to a member is ready, so that the core sends to it.
  func isReady(_ member: CoreMember.ID, _ group: CoreGroup.ID) async -> Result<Bool, CoreFailure> {
    switch await ask(.member(group, member)) {
    case .success(.member(_, let found)): return .success(found.id == member && found.isThere && found.canBeSentTo)
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(.refused(let error)) where error.tag == "groupMemberNotFound": return .success(false)
    case .failure(let failure): return .failure(failure)
    }
  }

  /// The number of the newest item in a channel, or 0.
  private func newestItem(_ group: CoreGroup.ID) async -> Result<CoreItem.ID, CoreFailure> {
    switch await ask(.page(group, .newest, count: Self.newestCount)) {
    case .success(.page(let page)) where page.group?.id == group:
      return .success(page.items.map(\.id).max() ?? CoreItem.ID(rawValue: 0))
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(let failure): return .failure(failure)
    }
  }

  // MARK: - It may leave

  /// Sends the post whose relays have answered, to the relays that may have it.
  func launch(in channel: ChannelID) async {
    guard let flight = desks[channel]?.flight else { return }
    let operations = (desks[channel]?.entries[flight.post] ?? [:]).values.map(\.operation)
      .filter { flight.allowed[$0.relay] == $0.number }.sorted { $0.relay < $1.relay }
    guard let content = operations.last?.content else { return }
    guard let place = place(of: channel, content) else {
      return giveBack(operations, Trouble(.missing, "the chat core does not have the channel any more"))
    }
    let listing: GroupListing
    switch await listed(place.group) {
    case .success(let found) where found.group.isCalled(place.name): listing = found
    case .success: return giveBack(operations, Trouble(.missing, "the chat core does not have the channel any more"))
    case .failure(let failure): return giveBack(operations, failure)
    }
    if let form = ReactionForm(in: operations) {
      return await react(
        ReactionTask(post: flight.post, channel: channel, listing: listing, operations: operations, form: form))
    }
    if let form = OrderForm(in: operations) {
      return await carryOut(
        OrderTask(post: flight.post, channel: channel, listing: listing, operations: operations, form: form))
    }
    guard let form = flight.document.flatMap(PostForm.init) ?? Self.newestForm(operations) else { return }
    let task = PostTask(post: flight.post, channel: channel, listing: listing, operations: operations, form: form)
    // Its text is gone.
    guard !form.isForgotten else {
      for operation in operations { finish(operation, .skipped(Self.forgotten)) }
      return
    }
    if let item = knownPosts[flight.post].place.item { await update(item, task) } else { await send(task) }
  }

  /// Ends operations for a post that did not leave. They are durable as `sent`, so they must have an outcome.
  func giveBack(_ operations: [DeliveryOperation], _ trouble: Trouble) {
    for operation in operations { finish(operation, .troubled(trouble, retryAfter: nil)) }
  }

  func giveBack(_ operations: [DeliveryOperation], _ failure: CoreFailure) {
    switch failure {
    case .refused(let error): giveBack(operations, error.trouble)
    case .unreadable: giveBack(operations, Trouble(.protocol, failure.description))
    case .notSent, .unknown: giveBack(operations, Trouble(.unreachable, failure.description))
    }
  }

  private func send(_ task: PostTask) async {
    if let trouble = maySendFile(of: task.form) ? fileWeakness(of: task.form) : Self.fileNotAllowed {
      knownPosts[task.post].place = .unsent
      for operation in task.operations { finish(operation, .skipped(trouble)) }
      return
    }
    switch await ask(.send(task.group, task.form.message, quoting: task.form.quoted)) {
    case .success(.itemsSent(let items)):
      guard items.count == 1, let sent = items.first, sent.group?.id == task.group else {
        return lose(task, Trouble(.protocol, "the core does not report which post it has sent"))
      }
      await settle(sent.item, task)
    case .success(let reply): lose(task, Trouble(.protocol, Self.unexpected(reply).description))
    case .failure(.refused(let error)):
      // It certainly was not sent, so it can be edited and forgotten like a post that never left.
      knownPosts[task.post].place = .unsent
      refuse(task.operations, error, file: task.form.file)
    case .failure(.notSent(let reason)): giveBack(task.operations, .notSent(reason))
    case .failure(.unreadable(let tag, let fault)):
      lose(task, Trouble(.protocol, CoreFailure.unreadable(tag: tag, fault).description))
    case .failure(.unknown(let reason)): lose(task, Trouble(.timeout, CoreFailure.unknown(reason).description))
    }
  }

  /// Handles a post that the core may or may not have sent, or may still send.
  private func lose(_ task: PostTask, _ trouble: Trouble) {
    desks[task.channel]?.lost[task.post] = now()
    around.nudge(limits.doubtTime * 2)
    giveBack(task.operations, trouble)
  }

  /// Handles a post that the core has sent.
  private func settle(_ item: CoreItem, _ task: PostTask) async {
    knownPosts.note(item, as: task.post)
    desks[task.channel]?.lost[task.post] = nil
    guard case .success(let info?) = await itemInfo(item.id, task.group) else {
      // It was certainly sent. How far it came is asked later.
      for operation in task.operations { finish(operation, .accepted) }
      return
    }
    for operation in task.operations { answer(operation, info, task) }
  }

  /// Answers a publication of a post that the core has sent: it is on its way to the relay, or the relay was passed over.
  private func answer(_ operation: DeliveryOperation, _ info: CoreItemInfo, _ task: PostTask) {
    let isSentTo = task.member(operation).map { info.deliveries[$0] != nil } ?? false
    finish(operation, isSentTo ? .accepted : .skipped(Self.passedOver))
  }

  static let passedOver = Trouble(
    .notSupported,
    "the connection to the relay was not ready when the post was sent, or the channel got the relay later, and SimpleX sends posts once"
  )

  /// The outcome of a post that the core refuses. It was not sent.
  /// - Parameter file: the file that should have gone along.
  private func refuse(_ operations: [DeliveryOperation], _ error: CoreError, file: FileAddress? = nil) {
    let path = file.map { ": \($0.path)" } ?? ""
    for operation in operations {
      switch error.kind {
      case .item(.tooLarge): finish(operation, .skipped(Trouble(.tooLarge, error.sentence)))
      case .item(.fileTooLarge): finish(operation, .skipped(Trouble(.tooLarge, error.sentence + path)))
      case .item(.noFile): finish(operation, .refused(Trouble(.rejected, error.sentence + path)))
      case .item(.notEditable): finish(operation, .skipped(Trouble(.tooOld, error.sentence)))
      case .item, .notAllowed, .command: finish(operation, .refused(error.trouble))
      case .temporary, .deadLink, .wrongServer, .incompatible, .noUser, .notStarted, .store, .other:
        finish(operation, .troubled(error.trouble, retryAfter: nil))
      }
    }
  }

  // MARK: - It was sent before

  /// Answers publications of a post that the core has: it never goes out again, but a new edition does.
  func look(_ operations: [DeliveryOperation], _ info: CoreItemInfo?, _ task: PostTask) async {
    guard let info, info.item.item.deletion == nil else {
      for operation in operations { finish(operation, .skipped(Self.gone)) }
      return
    }
    // Even an edition that the core already has must be durable at the relay before it counts.
    guard knownPosts[task.post].edition == 1 else {
      for operation in operations where !task.isJoined(operation) { finish(operation, .skipped(Self.passedOver)) }
      let joined = operations.filter(task.isJoined)
      guard !joined.isEmpty else { return }
      // The core accepts an edit even if no relay is ready, and never sends it again.
      if !task.form.isShown(by: info.item.item) {
        switch await hasReadyRelay(joined, task) {
        case .success(true): break
        case .success(false): return hold(task.post, in: task.channel, Self.notReady)
        case .failure(let failure): return fail(joined, failure)
        }
      }
      return beginFlight(task)
    }
    for operation in operations { answer(operation, info, task) }
  }

  private static let gone = Trouble(.missing, "the chat core does not have the post any more, or someone deleted it there")

  /// Puts the newest edition of a post in place of an earlier one, unless it is there already.
  private func update(_ item: CoreItem.ID, _ task: PostTask) async {
    let info: CoreItemInfo
    switch await itemInfo(item, task.group) {
    case .success(let found?) where found.item.item.deletion == nil: info = found
    case .success:
      for operation in task.operations { finish(operation, .skipped(Self.gone)) }
      return
    case .failure(let failure): return giveBack(task.operations, failure)
    }
    // A change that someone made to the first edition in the core is kept.
    let isEdit = task.form.edition > 1 && task.form.edition >= knownPosts[task.post].edition
    if isEdit, !task.form.isShown(by: info.item.item) {
      let ready: Set<CoreMember.ID>
      switch await readyRelays(task) {
      case .success(let members): ready = members
      case .failure(let failure): return giveBack(task.operations, failure)
      }
      // The core would accept the edit although no relay is ready, and not send it again.
      guard !ready.isDisjoint(with: task.operations.compactMap(task.member)) else {
        return giveBack(task.operations, Self.notReady)
      }
      knownPosts[task.post].edit = KnownPosts.Edit(edition: task.form.edition, reached: ready)
      switch await ask(.updateItem(task.group, item, task.form.message)) {
      case .success(.itemUpdated(let updated)), .success(.itemNotChanged(let updated)):
        guard updated.item.id == item, updated.group?.id == task.group else {
          return giveBack(task.operations, Trouble(.protocol, "the core has edited another post"))
        }
        knownPosts[task.post].edited = task.form.edition
      case .success(let reply): return giveBack(task.operations, Self.unexpected(reply))
      case .failure(.refused(let error)): return refuse(task.operations, error)
      case .failure(let failure): return giveBack(task.operations, failure)
      }
    }
    for operation in task.operations {
      let hasPost = task.member(operation).map { info.deliveries[$0] != nil } ?? false
      if hasPost, isMissed(operation, task) {
        finish(operation, .skipped(Self.editMissed))
      } else {
        answer(operation, info, task)
      }
    }
  }

  /// Whether the newest edition is known to have gone out without the relay of an operation, which has the post.
  func isMissed(_ operation: DeliveryOperation, _ task: PostTask) -> Bool {
    guard let edit = knownPosts[task.post].edit, edit.edition == task.form.edition, let member = task.member(operation) else {
      return false
    }
    return !edit.reached.contains(member)
  }

  static let editMissed = Trouble(
    .notSupported,
    "the relay shows an earlier edition: its connection was not ready when the edit was sent, and SimpleX sends edits once")
}

extension CoreMember {
  /// Whether the core sends to the member. It does not say whether it has given the connection up since.
  var canBeSentTo: Bool {
    switch connection {
    case .ready, .sendReady: true
    case .new, .prepared, .joined, .requested, .accepted, .deleted, .failed, .unknown, nil: false
    }
  }
}
