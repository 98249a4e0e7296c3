internal import Channels
internal import RelayNetwork

// Carries out operations for posts. The core sends a post to all relays of a channel with one command, so the operations for one post
// share it, and a later one finds the post sent.
extension CoreWorker {
  /// How long an operation for a post is kept. This is longer than the coordinator waits for it.
  private static let postKept = Duration.seconds(7_200)

  /// One post at its place in the core, with its operations.
  struct PostTask: DeskTask {
    let post: PostID
    let channel: ChannelID
    let listing: GroupListing
    let operations: [DeliveryOperation]
    /// The post as requested last.
    let form: PostForm
  }

  // MARK: - Input

  func take(_ operation: DeliveryOperation) {
    learn(operation.document, of: operation.post)
    desks[operation.channel, default: PostDesk()].entries[operation.post, default: [:]][operation.relay] = PostDesk.Entry(
      operation: operation, since: now())
    desks[operation.channel]?.waits[operation.post] = nil
    postsDue.add(operation.channel)
  }

  func take(_ turn: DeliveryTurn) {
    for (channel, desk) in desks {
      guard var flight = desk.flight, flight.post == turn.post, flight.waiting[turn.relay] == turn.number else { continue }
      flight.waiting[turn.relay] = nil
      if turn.mayLeave {
        flight.allowed[turn.relay] = turn.number
        if let document = turn.document {
          learn(document, of: turn.post)
          flight.document = document
        }
      }
      desks[channel]?.flight = flight
      // An operation that must not leave has no further outcome.
      if !turn.mayLeave, let entry = desk.entries[turn.post]?[turn.relay], entry.operation.number == turn.number {
        desks[channel]?.remove(entry.operation)
      }
      postsDue.add(channel)
    }
  }

  /// Looks at all posts again: something may be possible now that was not.
  /// - Parameter isConnected: whether there is a new connection, for which nothing has to wait any more.
  func lookAtPosts(isConnected: Bool = false) {
    for channel in desks.keys.sorted() {
      postsDue.add(channel)
      if isConnected { desks[channel]?.waits = [:] }
    }
  }

  /// Looks again at the posts of a channel that has news.
  func lookAtPosts(of channel: ChannelID) {
    guard desks[channel] != nil else { return }
    desks[channel]?.waits = [:]
    postsDue.add(channel)
  }

  /// Notes the state of a post in a document. If any document records the post as sent, the core has sent it.
  private func learn(_ document: PostDocument, of post: PostID) {
    var known = knownPosts[post]
    known.course = known.course ?? ReactionForm(document)?.course ?? OrderForm(document)?.course
    if let place = ItemPlace(name: document.networkID) { known.place = known.place.orLater(place) }
    if let form = PostForm(document) {
      known.edition = max(known.edition, form.edition)
      known.deletion = known.deletion ?? form.deletion
    }
    knownPosts[post] = known
  }

  // MARK: - Work

  /// Does the next step for posts.
  /// - Returns: whether there was anything to do.
  func servePosts() async -> Bool {
    guard let channel = postsDue.next() else { return false }
    if await servePost(in: channel) { postsDue.add(channel) }
    if desks[channel]?.isEmpty == true { desks[channel] = nil }
    return true
  }

  /// - Returns: whether there may be more to do in the channel.
  private func servePost(in channel: ChannelID) async -> Bool {
    expirePosts(of: channel)
    guard let desk = desks[channel] else { return false }
    if let flight = desk.flight {
      let rest = limits.patience - max(now() - flight.since, .zero)
      if flight.waiting.isEmpty || rest <= .milliseconds(20) {
        // Operations that are not answered by now do not leave with the others.
        desks[channel]?.flight?.waiting = [:]
        await launch(in: channel)
        desks[channel]?.flight = nil
        // Other posts may have waited for this one.
        desks[channel]?.waits = [:]
        return true
      }
    }
    guard let post = nextPost(desk) else { return false }
    await serve(post, in: channel)
    return true
  }

  /// The next post to look at. Posts that may have been sent come first, because nothing else is sent before that is clear. Then comes the
  /// first post to be sent, and then posts that only have to be looked at, of which there may be many.
  private func nextPost(_ desk: PostDesk) -> PostID? {
    let now = now()
    func isFree(_ post: PostID) -> Bool { desk.waits[post].map { $0 - now <= .milliseconds(20) } ?? true }
    let open = desk.entries.keys.filter { $0 != desk.flight?.post }.sorted()
    let doubtful = open.filter { if case .after = knownPosts[$0].place { true } else { false } }
    if let first = doubtful.first(where: isFree) { return first }
    let leaves = open.filter { knownPosts[$0].place == .unsent && desk.operations(of: $0).contains { $0.task == .publish } }
    let isClear = doubtful.isEmpty && desk.flight == nil && desk.lost.isEmpty
    if isClear, let first = leaves.first, isFree(first) { return first }
    return open.first { !doubtful.contains($0) && !leaves.contains($0) && isFree($0) }
  }

  private func serve(_ post: PostID, in channel: ChannelID) async {
    let operations = desks[channel]?.operations(of: post) ?? []
    guard let content = operations.last?.content else { return }
    let reaction = ReactionForm(in: operations)
    let order = OrderForm(in: operations)
    let form = Self.newestForm(operations)
    guard reaction != nil || order != nil || form != nil, ItemPlace(name: operations[0].document.networkID) != nil else {
      for operation in operations {
        finish(operation, .skipped(Trouble(.protocol, "the stored post is not for SimpleX")))
      }
      return
    }
    guard let place = place(of: channel, content) else {
      return hold(post, in: channel, Trouble(.unreachable, "the chat core does not have the channel yet"))
    }
    let missing = Trouble(.missing, "the chat core does not have the channel any more")
    let listing: GroupListing
    switch await listed(place.group) {
    case .success(let found) where found.group.isCalled(place.name): listing = found
    case .success: return failPosts(operations, missing)
    case .failure(.refused(let error)) where error.isGroupMissing: return failPosts(operations, missing)
    case .failure(let failure): return fail(operations, failure)
    }
    if let reaction {
      return await serve(ReactionTask(post: post, channel: channel, listing: listing, operations: operations, form: reaction))
    }
    if let order {
      return await serve(OrderTask(post: post, channel: channel, listing: listing, operations: operations, form: order))
    }
    guard let form else { return }
    let task = PostTask(post: post, channel: channel, listing: listing, operations: operations, form: form)
    if case .after(let mark) = knownPosts[post].place {
      guard await find(task, after: mark) else { return }
    }
    await serve(task)
  }

  private func serve(_ task: PostTask) async {
    var publications = task.operations(.publish)
    if task.form.isForgotten {
      for operation in publications { finish(operation, .skipped(Self.forgotten)) }
      publications = []
    }
    guard let item = knownPosts[task.post].place.item else {
      // No relay has it.
      for operation in task.operations(.verify) { finish(operation, .missing) }
      for operation in task.operations(.withdraw) { finish(operation, .withdrawn) }
      if !publications.isEmpty { await prepare(publications, task) }
      return
    }
    let withdrawals = task.operations(.withdraw)
    let info: CoreItemInfo?
    switch await itemInfo(item, task.group) {
    case .success(let found): info = found
    case .failure(let failure): return fail(task.operations, failure)
    }
    for operation in task.operations(.verify) { verify(operation, info, task) }
    if !withdrawals.isEmpty { await withdraw(withdrawals, item, info, task) }
    if !publications.isEmpty { await look(publications, info, task) }
  }

  /// No one asks for that: a post is forgotten only when nothing is under way.
  static let forgotten = Trouble(.notSupported, "the post was forgotten here, so nothing is left to send")

  /// The newest edition that any operation is about. All of them are about the same post.
  static func newestForm(_ operations: [DeliveryOperation]) -> PostForm? {
    operations.compactMap { PostForm($0.document) }.max { $0.edition < $1.edition }
  }

  // MARK: - Outcomes

  /// Ends an operation with its outcome.
  /// - Parameter change: the change to the post's form.
  func finish(_ operation: DeliveryOperation, _ outcome: DeliveryOutcome, _ change: (inout PostForm) -> Void = { _ in }) {
    guard desks[operation.channel]?.entries[operation.post]?[operation.relay]?.operation.number == operation.number else {
      return
    }
    desks[operation.channel]?.remove(operation)
    tell(outcome, of: operation, change)
  }

  /// Reports an outcome, with the post's form if it has changed.
  func tell(_ outcome: DeliveryOutcome, of operation: DeliveryOperation, _ change: (inout PostForm) -> Void = { _ in }) {
    var document: PostDocument?
    if var form = PostForm(operation.document) {
      form.sentAt = form.sentAt ?? knownPosts[operation.post].sentAt
      change(&form)
      document = form.document(at: knownPosts[operation.post].place)
      if document == operation.document { document = nil }
    } else if var form = ReactionForm(operation.document) {
      // The form is always reported: the last reported form may have more than the operation's, and be outdated.
      form.course = knownPosts[operation.post].course ?? form.course
      document = form.document
    } else if var form = OrderForm(operation.document) {
      form.course = knownPosts[operation.post].course ?? form.course
      document = form.document
    }
    report(
      .delivery(post: operation.post, relay: operation.relay, number: operation.number, outcome, form: document))
  }

  /// Answers operations for which the channel is not there.
  private func failPosts(_ operations: [DeliveryOperation], _ trouble: Trouble) {
    for operation in operations {
      // A post that cannot be found cannot be deleted either, and no one can see whether relays have it.
      let isDeleted = operation.task == .withdraw || operation.deletion != nil
      finish(operation, isDeleted ? .refused(trouble) : .troubled(trouble, retryAfter: nil))
    }
  }

  /// Answers operations whose command failed. Without a connection they wait.
  func fail(_ operations: [DeliveryOperation], _ failure: CoreFailure) {
    switch failure {
    case .refused(let error): for operation in operations { finish(operation, .troubled(error.trouble, retryAfter: nil)) }
    case .unreadable:
      for operation in operations { finish(operation, .troubled(Trouble(.protocol, failure.description), retryAfter: nil)) }
    case .notSent, .unknown:
      guard let first = operations.first else { return }
      hold(first.post, in: first.channel, for: limits.lookAgain)
    }
  }

  /// Looks at a post again after a while.
  func hold(_ post: PostID, in channel: ChannelID, for wait: Duration) {
    desks[channel]?.waits[post] = now() + wait
    around.nudge(wait)
  }

  /// Looks at a post again after a while, or gives its operations up for `trouble` if they have waited for long.
  func hold(_ post: PostID, in channel: ChannelID, _ trouble: Trouble) {
    for operation in desks[channel]?.operations(of: post) ?? [] {
      let since = desks[channel]?.entries[post]?[operation.relay]?.since ?? now()
      if now() - since >= limits.patience { finish(operation, .troubled(trouble, retryAfter: nil)) }
    }
    if desks[channel]?.entries[post] != nil { hold(post, in: channel, for: limits.lookAgain) }
  }

  private func expirePosts(of channel: ChannelID) {
    for entry in desks[channel]?.entries.values.flatMap(\.values) ?? [] where now() - entry.since > Self.postKept {
      desks[channel]?.remove(entry.operation)
    }
    // The core has given the command up by then, or carried it out.
    let lost = desks[channel]?.lost.filter { now() - $0.value <= limits.doubtTime * 2 } ?? [:]
    desks[channel]?.lost = lost
  }
}
