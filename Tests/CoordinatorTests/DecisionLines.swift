import Channels
import RelayNetwork
import Storage

@testable import Coordinator

/// Decisions as text: what is stored, what is asked of relays, what subscribers and those who asked hear. Equal decisions give equal
/// lines; closures, seals and random numbers are left out.
enum DecisionLines {
  // MARK: - Reads

  static func lines(_ reads: Reads) -> [String] {
    var lines: [String] = []
    if !reads.channels.isEmpty { lines.append("channels \(list(reads.channels.map(\.rawValue)))") }
    lines += reads.keys.values.map { "the channel with the key '\($0)'" }
    lines += reads.pages.map { page in
      switch page {
      case .inStatus(let status, let relay, let after, _):
        "channels that are \(status) at \(name(relay))\(after.map { ", after \($0.rawValue)" } ?? "")"
      case .due(let relay, let now, let limit): "channels to read back at \(name(relay)) by \(time(now)), at most \(limit)"
      }
    }
    lines += reads.counts.map { count in
      switch count {
      case .dependents(let relay): "how many channels depend on \(name(relay))"
      case .members(let relay): "how many channels have \(name(relay))"
      case .owned(let identity): "how many channels identity \(identity.rawValue) owns"
      }
    }
    if let lost = reads.lost {
      let after = lost.after.map { ", after \(name($0.relay)) of \($0.channel.rawValue)" } ?? ""
      lines.append("relays lost before \(time(lost.before))\(after); replacements since \(time(lost.since))")
    }
    lines += reads.failed.map { place in
      "channels that \(name(place.relay)) failed before \(time(place.before))"
        + (place.after.map { ", after \($0.rawValue)" } ?? "")
    }
    lines += reads.neighbours.map { "whose edition \($0.channel.rawValue) replaced at \(name($0.relay))" }
    return Set(lines).sorted().map { "read \($0)" }
  }

  // MARK: - What is stored

  static func lines(_ request: CommitRequest) -> [String] {
    request.parts.enumerated().flatMap { index, part in
      let expected = part.expected.map { ", if channel \($0.channel.rawValue) is at \(revision($0.revision))" } ?? ""
      return ["part \(index)\(expected):"] + part.mutations.map { "  \(line($0))" }
    }
  }

  static func line(_ mutation: StoreMutation) -> String {
    switch mutation {
    case .insertChannel(let row): "insert \(words(row))"
    case .touchChannel(let row): "touch channel \(row.id.rawValue) at \(revision(row.revision))"
    case .rewriteChannel(let row): "revise \(words(row))"
    case .saveChannelRelay(let id, let position, let row):
      "relay \(position) of channel \(id.rawValue): \(name(row.relay)) \(words(row.record))"
    case .appendTransition(let row): "transition \(words(row))"
    case .appendChange(let row): "change at \(revision(row.revision)): \(words(row.object))"
    case .saveOperator(let row): "operator \(row.id.rawValue) '\(row.name)' at \(revision(row.revision))"
    case .saveServer(let row):
      "server \(row.id.rawValue) '\(row.address)' \(words(row.condition)) at \(revision(row.revision))"
    case .saveRelay(let row): "relay \(words(row))"
    case .recordRoundTrip(let peer, let at, let milliseconds): "round trip of \(name(peer)) at \(time(at)): \(milliseconds) ms"
    case .appendHealth(let row):
      "health of \(name(row.peer)) \(row.from) to \(row.to)\(row.cause.map { ", \($0)" } ?? "") at \(revision(row.revision))"
    case .insertIdentity(let row): "identity \(row.id.rawValue) '\(row.name)': \(row.publicName)"
    case .removeIdentity(let id): "remove identity \(id.rawValue)"
    case .probe(let at, _): "sign of life at \(time(at))"
    case .quarantine(let id, let reason, let at): "quarantine channel \(id.rawValue) at \(time(at)): \(reason)"
    case .clampTimes(let now, let latest): "clamp times to \(time(now)), checks to \(time(latest))"
    case .forgetHistory(let end, let rowsMax, let limit):
      "forget history before \(time(end)) beyond \(rowsMax), at most \(limit)"
    case .compactChanges(let revision): "compact changes through \(revision)"
    case .insertPost(let row): "insert post \(row.id.rawValue) of channel \(row.channel.rawValue) at \(revision(row.revision))"
    case .updatePost(let row): "update post \(row.id.rawValue) at \(revision(row.revision))"
    case .rewritePost(let row): "rewrite post \(row.id.rawValue) at \(revision(row.revision))"
    case .saveDelivery(let id, let row): "delivery of post \(id.rawValue) at \(name(row.relay)): \(row.record.status)"
    case .appendPostTransition(let row): "transition of post \(row.post.rawValue) at \(name(row.relay))"
    case .savePostRoute(let row): "posts of channel \(row.channel.rawValue) at \(name(row.relay)): \(row.status)"
    case .savePostRetention(let retention): "retention of the posts of channel \(retention.channel.rawValue)"
    case .decide(let decision): "decision \(decision.kind) about '\(decision.name)' in channel \(decision.channel.rawValue)"
    case .forgetPostHistory(let end, let rowsMax, let limit):
      "forget history of posts before \(time(end)) beyond \(rowsMax), at most \(limit)"
    }
  }

  // MARK: - What was decided

  /// What a decision asks of relays, and whom it answers, before any of it happens.
  static func lines(_ decision: Decision) -> [String] {
    decision.actions.map { "ask \(words($0))" } + sorted(decision.loads).map { "load of \($0)" }
      + decision.moved.sorted().map { "\(name($0)) moves" } + decision.answers.map { "answer to \(line($0))" }
  }

  static func line(_ answer: Answer) -> String { "\(words(answer.request)): \(words(answer.outcome))" }

  // MARK: - What follows

  static func lines(_ effects: Effects) -> [String] {
    var lines = sorted(effects.loads).map { "load of \($0)" }
    if let identities = effects.identities {
      lines.append("identities: \(identities.map { "\($0.id.rawValue) '\($0.name)'" }.joined(separator: ", "))")
    }
    lines += effects.changes.map { "publish \($0.revision): \(words($0.object, effects.created))" }
    switch effects.publication {
    case .missed(let revision)?: lines.append("publish that everything up to \(revision) was missed")
    case .changes, nil: break
    }
    lines += effects.journal.map { entry in
      let channel =
        switch entry.part {
        case .channel(let id)?: " (channel \(id.rawValue))"
        case .catalog?: " (catalog)"
        case .roundTrips?, .signOfLife?, nil: ""
        }
      return "journal, \(entry.level)\(channel): \(entry.message)"
    }
    lines += effects.inputs.map { "input: \(words($0))" }
    lines += effects.keys.map { step in
      switch step {
      case .unlock(let id, let network, let key): "unlock identity \(id.rawValue) on \(network.rawValue): \(key.publicName)"
      case .lock(let id, let network): "lock identity \(id.rawValue) on \(network.rawValue)"
      }
    }
    lines += effects.tests.map { step in
      switch step {
      case .start(let peer, let address, let examination):
        "test \(name(peer)) at \(address)\(examination.isFull ? ", fully" : "")"
      case .cancel(let peer): "cancel the test of \(name(peer))"
      case .ended(let peer): "the test of \(name(peer)) ended"
      }
    }
    lines += effects.cancellations.map { "cancel what waits of channel \($0.channel.rawValue) for \(name($0.relay))" }
    if effects.isWatchChanged { lines.append("watch other relays") }
    lines += effects.operations.map { "perform \(words($0.operation))" }
    return lines
  }

  // MARK: - Words

  static func time(_ time: Timestamp) -> String {
    let milliseconds = time.milliseconds - DeciderShell.start.milliseconds
    let rest = abs(milliseconds) % 1_000
    let fraction = rest == 0 ? "" : ".\("00\(rest)".suffix(3))"
    return "\(milliseconds < 0 ? "-" : "")\(abs(milliseconds) / 1_000)\(fraction)s"
  }

  static func name(_ relay: RelayID) -> String { "r\(relay.rawValue)" }

  static func name(_ peer: Probed) -> String {
    switch peer {
    case .relay(let id): name(id)
    case .server(let id): "server \(id.rawValue)"
    }
  }

  /// A revision, or its place in the commit that gives it.
  static func revision(_ revision: Int64) -> String {
    if revision == PendingRevision.unplaced { return "no place" }
    return revision < 0 ? "+\(-revision)" : "\(revision)"
  }

  static func words(_ alarm: Alarm) -> String {
    switch alarm {
    case .channel(let id): "channel \(id.rawValue)"
    case .grace(let relay): "grace of \(name(relay))"
    case .test(let peer): "test of \(name(peer))"
    case .testOverdue(let peer): "test of \(name(peer)) overdue"
    case .upkeep: "upkeep"
    case .recovery: "recovery"
    case .digest: "digest"
    }
  }

  static func words(_ input: Engine.Input) -> String {
    switch input {
    case .report(let report): words(report)
    case .timersDue: "timers due"
    case .create(let new, _):
      "creation of '\(new.profile.displayName)'\(new.request.idempotencyKey.map { " with the key '\($0)'" } ?? "")"
    case .retry(let id, let relay, _): "retry of channel \(id.rawValue)\(relay.map { " at \(name($0))" } ?? "")"
    case .verify(let id, _): "verification of channel \(id.rawValue)"
    case .delete(let id, _): "deletion of channel \(id.rawValue)"
    case .unfollow(let id, _): "channel \(id.rawValue) is followed no more"
    case .joinRelays(let id, let relays, let pick, _):
      "channel \(id.rawValue) gets \(relays.map(name).joined(separator: " ")) and \(pick) more"
    case .leaveRelay(let id, let relay, _): "channel \(id.rawValue) leaves \(name(relay))"
    case .update(let id, _, _): "update of channel \(id.rawValue)"
    case .change(let change, let force, _): "\(words(change))\(force ? ", forced" : "")"
    case .tested(let peer, _, let verdict, _):
      "test of \(name(peer)): \(verdict.failure.map { "\($0.step): \(words($0.trouble))" } ?? "passed")"
    case .sweep(let relay, let status, let event, let after):
      "sweep of channels that are \(status) at \(name(relay))\(after.map { ", after \($0.rawValue)" } ?? ""): \(words(event))"
    case .verifyChannels(let relay, let most): "read back at \(name(relay)), at most \(most)"
    case .lookForNeighbour(let id, _, let relay): "whose edition did channel \(id.rawValue) replace at \(name(relay))?"
    case .forgetHistory: "forget more of the history"
    case .addIdentity(let row, _, _): "new identity '\(row.name)'"
    case .removeIdentity(let id, _): "removal of identity \(id.rawValue)"
    case .adopt: "new rules"
    case .heartbeat: "heartbeat"
    case .barrier: "barrier"
    case .takeUp(let ids): "take up channels \(list(ids.map(\.rawValue)))"
    case .gained(let slots): "\(slots.numbers.count) slots are gained"
    case .catalogRead: "the catalog was read"
    case .resumed: "networks may send again"
    case .gainedBefore: "slots that were gained before"
    case .lost(let slots, _): "\(slots.numbers.count) slots are lost"
    case .alarm(let alarm): "alarm: \(words(alarm))"
    case .recover(let ids, let objects):
      "recover channels [\(list(ids.map(\.rawValue)))] and objects [\(objects.map(words).joined(separator: " "))]"
    }
  }

  private static func words(_ report: NetworkReport) -> String {
    switch report {
    case .outcome(let id, let relay, let number, let outcome):
      "operation \(number) of channel \(id.rawValue) at \(name(relay)): \(words(outcome))"
    case .named(let id, let networkID, _): "channel \(id.rawValue) is \(networkID)"
    case .stray(let id, let relay, _): "stray edition of channel \(id.rawValue) at \(name(relay))"
    case .lost(let id, let relay, let trouble): "\(name(relay)) lost channel \(id.rawValue): \(words(trouble))"
    case .delivery(let post, let relay, let number, let outcome, _):
      "operation \(number) of post \(post.rawValue) at \(name(relay)): \(outcome)"
    case .read(let batch): "batch \(batch.id.number) was read"
    case .served(let inventory):
      "a relay has served \(inventory.served.count) messages of channel \(inventory.channel.rawValue)"
    case .synced(let id, let relay, _): "messages of channel \(id.rawValue) at \(name(relay)) were read"
    case .searched(let id, let relay, _, _): "\(name(relay)) has searched channel \(id.rawValue)"
    case .compared(let channel, let relay, let number, let outcome):
      "comparison \(number) of channel \(channel.rawValue) at \(name(relay)): \(outcome)"
    case .relayUp(let relay, _): "\(name(relay)) is up"
    case .relayDown(let relay, let trouble): "\(name(relay)) is down: \(words(trouble))"
    case .unreadable(let relay, let count): "\(name(relay)) sends \(count) messages that cannot be read"
    case .state(let network, let state): "\(network.rawValue) \(state.trouble == nil ? "works" : "is down")"
    }
  }

  private static func words(_ outcome: RelayOutcome) -> String {
    switch outcome {
    case .handedOver: "handed over"
    case .accepted: "accepted"
    case .verified(let edition, _): "shows edition \(edition)"
    case .missing: "missing"
    case .withdrawn: "withdrawn"
    case .announced: "announced"
    case .refused(let trouble), .misbehaved(let trouble), .troubled(let trouble, _): words(trouble)
    }
  }

  private static func words(_ event: ChannelRelayMachine.Event) -> String {
    switch event {
    case .relayLost(let trouble): "lost, \(words(trouble))"
    case .relayReturned: "returned"
    default: "\(event)"
    }
  }

  private static func words(_ outcome: Answer.Outcome) -> String {
    switch outcome {
    case .channel(let id): "channel \(id.rawValue)"
    case .stale(let id): "channel \(id.rawValue) has changed"
    case .object(let reference): reference.map(words) ?? "many objects"
    case .identity(let row): "identity \(row.id.rawValue) '\(row.name)'"
    case .done: "done"
    case .doneAnyway: "done in any case"
    case .refused(let error): "refused, \(error)"
    }
  }

  private static func words(_ change: CatalogChange) -> String {
    switch change {
    case .updateRelay(let id, _, let address, _): "\(address == nil ? "change" : "move") of \(name(id))"
    case .removeRelay(let id): "removal of \(name(id))"
    default: change.title
    }
  }

  private static func words(_ reference: CatalogReference) -> String {
    switch reference {
    case .operator(let id): "operator \(id.rawValue)"
    case .server(let id): "server \(id.rawValue)"
    case .relay(let id): name(id)
    }
  }

  private static func words(_ step: Decision.ChannelAction) -> String {
    let (task, relay): (String, RelayID) =
      switch step.action {
      case .invite(let relay, let number): ("invite #\(number)", relay)
      case .verify(let relay, let number): ("verify #\(number)", relay)
      case .withdraw(let relay, let number): ("withdraw #\(number)", relay)
      case .announce(let relay, let number): ("announce #\(number)", relay)
      case .reportUnexpected(let relay, let event): ("unexpected \(event)", relay)
      }
    return "\(name(relay)) for channel \(step.channel.rawValue): \(task)"
  }

  private static func words(_ operation: RelayOperation) -> String {
    let edition = operation.content.edition > 1 ? ", edition \(operation.content.edition)" : ""
    let deletion = operation.isDeletion ? ", deletion" : ""
    return "\(operation.task) #\(operation.number) of channel \(operation.channel.rawValue) at \(name(operation.relay)) "
      + "(\(operation.address))\(edition)\(deletion)"
  }

  private static func words(_ object: Change.Object, _ created: Set<ChannelID>) -> String {
    switch object {
    case .channel(let snapshot):
      "\(created.contains(snapshot.row.id) ? "new " : "")channel \(snapshot.row.id.rawValue) "
        + "'\(snapshot.row.profile.displayName)', \(snapshot.phase)"
    case .channelRelay(_, let row): words(row)
    case .catalog(let object, let before): "\(before == nil ? "new " : "")\(words(object.reference)) '\(object.title)'"
    }
  }

  private static func words(_ object: ChangeRow.Object) -> String {
    switch object {
    case .channel(let id): "channel \(id.rawValue)"
    case .operator(let id): "operator \(id.rawValue)"
    case .server(let id): "server \(id.rawValue)"
    case .relay(let id): name(id)
    case .channelRelay(let row): words(row)
    }
  }

  private static func words(_ row: ChannelRow) -> String {
    let edition = row.edition > 1 ? ", edition \(row.edition)" : ""
    let listed = row.namedRelays.map { ", names \($0.map(name).joined(separator: " "))" } ?? ""
    let deletion = row.deletedAt == nil ? "" : ", to be deleted"
    return "channel \(row.id.rawValue) '\(row.profile.displayName)'\(edition)\(listed), wants \(row.wantedRelays)\(deletion) "
      + "at \(revision(row.revision))"
  }

  private static func words(_ row: RelayRow) -> String {
    let flags = (row.isDeleted ? ", deleted" : "") + (row.isEnabled ? "" : ", disabled")
    return "\(name(row.id)) '\(row.name)' at \(row.address)\(flags), \(words(row.condition)) at \(revision(row.revision))"
  }

  private static func words(_ condition: PeerCondition) -> String {
    "\(condition.health)\(condition.lastError.map { " (\($0))" } ?? "")"
  }

  private static func words(_ row: TransitionRow) -> String {
    let step = row.transition
    let reason = [step.cause?.rawValue, step.detail].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
    return "\(revision(row.revision)) of channel \(row.channel.rawValue) at \(name(row.relay)): "
      + "\(step.from) -> \(step.to)\(reason.isEmpty ? "" : ": \(reason)")"
  }

  private static func words(_ record: ChannelRelayRecord) -> String {
    let task = record.task.map { ", \($0) #\(record.operation)\(record.isUnderWay ? " under way" : "")" } ?? ""
    let trouble = record.trouble.map { ", \(words($0))" } ?? ""
    return "\(record.status)\(task)\(trouble)\(record.timer.map { ", timer \(time($0))" } ?? "")"
  }

  private static func words(_ trouble: Trouble) -> String { "\(trouble.cause.rawValue): \(trouble.detail)" }

  private static func sorted(_ loads: [RelayID: Int]) -> [String] {
    loads.sorted { $0.key < $1.key }.map { "\(name($0.key)): \($0.value > 0 ? "+" : "")\($0.value)" }
  }

  private static func list(_ ids: some Sequence<Int64>) -> String {
    ids.sorted().map { "\($0)" }.joined(separator: " ")
  }
}
