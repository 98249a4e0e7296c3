internal import Channels
internal import RelayNetwork

// Finds out what happened to posts in the core.
extension CoreWorker {
  /// How many pages of a channel are searched for a post.
  private static let pagesMax = 100

  // MARK: - A post that may have been sent

  /// Searches the channel for a post whose answer was lost.
  /// - Parameter mark: the newest item before the post.
  /// - Returns: whether it is known now if the core has it. Otherwise its operations were answered, or wait.
  func find(_ task: PostTask, after mark: CoreItem.ID) async -> Bool {
    switch await search(task, after: mark) {
    case .success(let item?):
      knownPosts.note(item, as: task.post)
      desks[task.channel]?.lost[task.post] = nil
      return true
    case .success(nil):
      guard !isInDoubt(task, since: desks[task.channel]?.lost[task.post]) else { return false }
      desks[task.channel]?.lost[task.post] = nil
      return true
    case .failure(let failure):
      fail(task.operations, failure)
      return false
    }
  }

  /// Whether the core may still be carrying out a command whose answer was lost. If so, the post is looked at again after that time.
  /// - Parameter lost: when the answer was lost, or `nil` if that is not known, because the daemon has started since.
  func isInDoubt(_ task: some DeskTask, since lost: Timestamp?) -> Bool {
    let rest = limits.doubtTime - max(now() - max(lost ?? upSince, upSince), .zero)
    guard rest > .milliseconds(20) else { return false }
    hold(task.post, in: task.channel, for: rest)
    return true
  }

  /// The item above `mark` with the content of the post, or `nil`.
  private func search(_ task: PostTask, after mark: CoreItem.ID) async -> Result<CoreItem?, CoreFailure> {
    let others = knownPosts.items(except: task.post)
    var place = CoreItemPage.Place.newest
    var found: CoreItem?
    var isUnsure = false
    for _ in 0..<Self.pagesMax {
      let page: CoreItemPage
      switch await ask(.page(task.group, place, count: CoreItemPage.countMax)) {
      case .success(.page(let answer)) where answer.group?.id == task.group: page = answer
      case .success(let reply): return .failure(Self.unexpected(reply))
      case .failure(let failure): return .failure(failure)
      }
      isUnsure = isUnsure || !page.faults.isEmpty
      let above = page.items.filter { $0.id > mark }
      let fits = above.filter { $0.author == .channel && !others.contains($0.id) && task.form.isShown(by: $0) }
      // The first of several was asked for first.
      if let first = fits.min(by: { $0.id < $1.id }), found.map({ first.id < $0.id }) ?? true { found = first }
      // Items are ordered by time, so a clock that was set back may have put some above the mark further back.
      guard !above.isEmpty, let oldest = page.items.first else {
        return isUnsure && found == nil ? .failure(Self.unreadable) : .success(found)
      }
      place = .before(oldest.id)
    }
    return found == nil ? .failure(Self.unreadable) : .success(found)
  }

  private static let unreadable = CoreFailure.unreadable(
    tag: "apiChat",
    CoreShapeError(path: ["chat", "chatItems"], reason: "has unreadable items, or too many, and one may be the post"))

  // MARK: - A post that was sent

  /// The core's data about an item, or `nil` if it does not have it.
  func itemInfo(_ item: CoreItem.ID, _ group: CoreGroup.ID) async -> Result<CoreItemInfo?, CoreFailure> {
    switch await ask(.itemInfo(group, item)) {
    case .success(.itemInfo(let info)) where info.item.item.id == item && info.item.group?.id == group: return .success(info)
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(.refused(let error)) where error.kind == .item(.notFound): return .success(nil)
    case .failure(let failure): return .failure(failure)
    }
  }

  /// Answers how far a post came with a relay. No one can know more than that the server of the relay's queue has it.
  func verify(_ operation: DeliveryOperation, _ info: CoreItemInfo?, _ task: PostTask) {
    let edition = max(1, task.form.edition)
    if operation.deletion != nil, let deletion = knownPosts[task.post].deletion {
      let isTold = deletion.scope == .everywhere && task.member(operation).map(deletion.reached.contains) ?? false
      return finish(operation, isTold ? .missing : .verified(edition: edition))
    }
    guard let info, info.item.item.deletion == nil else { return finish(operation, .missing) }
    if operation.deletion != nil { return finish(operation, .verified(edition: edition)) }
    switch task.member(operation).flatMap({ info.deliveries[$0] }) {
    case nil: finish(operation, .skipped(Self.passedOver))
    case .sent, .received:
      // The core does not report how far an edit came: it is sent to relays whose connection is ready.
      let isNewest =
        task.form.isForgotten || knownPosts[task.post].edited >= edition || task.form.isShown(by: info.item.item)
      guard hasUploadedFile(of: operation, info.item.item, task, awaitsEdit: edition > 1 && !isNewest) else { return }
      if isNewest, isMissed(operation, task) { return finish(operation, .skipped(Self.editMissed)) }
      finish(operation, .verified(edition: isNewest ? edition : max(1, edition - 1)))
    case .new, .forwarded:
      finish(operation, .troubled(Trouble(.timeout, "the core has not sent the post to the relay yet"), retryAfter: nil))
    case .warning(let error):
      finish(operation, .troubled(Trouble(.unreachable, "\(error). The core keeps trying"), retryAfter: nil))
    case .inactive:
      finish(
        operation, .skipped(Trouble(.unreachable, "the core has not heard of the relay for long, and sends nothing to it")))
    case .error(let error):
      finish(operation, .skipped(Trouble(error == .auth ? .missing : .unreachable, "\(error). The core has given up")))
    case .invalid(let words), .unknown(let words):
      finish(operation, .troubled(Trouble(.protocol, "the core reports for the relay: \(words)"), retryAfter: nil))
    }
  }

  // MARK: - A post that is deleted

  /// Deletes a post, once for all relays, and answers the operations that ask for it.
  func withdraw(_ operations: [DeliveryOperation], _ item: CoreItem.ID, _ info: CoreItemInfo?, _ task: PostTask) async {
    if knownPosts[task.post].deletion == nil {
      let ready: Set<CoreMember.ID>
      switch await readyRelays(task) {
      case .success(let members): ready = members
      case .failure(let failure): return fail(operations, failure)
      }
      guard let scope = await delete(operations, item, info, task) else { return }
      knownPosts[task.post].deletion = PostForm.Deletion(scope: scope, reached: ready)
    }
    guard let deletion = knownPosts[task.post].deletion else { return }
    for operation in operations {
      let isTold = task.member(operation).map(deletion.reached.contains) ?? false
      let outcome: DeliveryOutcome
      switch deletion.scope {
      case .everywhere where isTold: outcome = .withdrawn
      case .everywhere: outcome = .refused(Self.notTold)
      case .history: outcome = .refused(Trouble(.tooOld, SimpleXNetwork.deletionOver))
      }
      finish(operation, outcome) { $0.deletion = deletion }
    }
  }

  private static let notTold = Trouble(
    .unreachable, "the connection to the relay was not ready when the post was deleted, and the core tells each relay once")

  /// The relays of the channel to which the core sends now.
  func readyRelays(_ task: some DeskTask) async -> Result<Set<CoreMember.ID>, CoreFailure> {
    var ready: Set<CoreMember.ID> = []
    for relay in task.listing.relays {
      switch await isReady(relay.member, task.group) {
      case .success(let isReady): if isReady { ready.insert(relay.member) }
      case .failure(let failure): return .failure(failure)
      }
    }
    return .success(ready)
  }

  /// Has the core delete a post, as far as it still can.
  /// - Returns: where it was deleted from. `nil` if the operations were answered, or wait.
  private func delete(
    _ operations: [DeliveryOperation], _ item: CoreItem.ID, _ info: CoreItemInfo?, _ task: PostTask
  ) async -> CoreItemScope? {
    let sentAt = info.flatMap { Timestamp(core: $0.item.item.sentAt) } ?? task.form.sentAt
    guard let info, info.item.item.deletion == nil else {
      // It was deleted before, and the answer was lost, or by someone else.
      let isOld = sentAt.map { now() - $0 >= SimpleXNetwork.deletionTime } ?? false
      return isOld ? .history : .everywhere
    }
    for scope in [CoreItemScope.everywhere, .history] {
      switch await ask(.deleteItems(task.group, CoreIDList(item), scope)) {
      case .success(.itemsDeleted): return scope
      case .success(let reply):
        fail(operations, Self.unexpected(reply))
        return nil
      case .failure(.refused(let error)) where error.kind == .item(.notDeletable) && scope == .everywhere: break
      case .failure(.refused(let error)) where error.kind == .item(.notDeletable):
        for operation in operations { finish(operation, .refused(error.trouble)) }
        return nil
      case .failure(.refused(let error)) where error.kind == .notAllowed || error.kind == .command:
        for operation in operations { finish(operation, .refused(error.trouble)) }
        return nil
      case .failure(let failure):
        fail(operations, failure)
        return nil
      }
    }
    return nil
  }
}
