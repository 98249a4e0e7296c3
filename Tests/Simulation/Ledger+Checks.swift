import Channels
import Coordinator
import RelayNetwork
import Storage
import Store
import TestSupport

// What may be said and done while this, and no more, is durable.
extension Ledger {
  /// Whether the network may be asked for an operation.
  func check(_ operation: RelayOperation) throws {
    var words: String { "\(operation.task) \(operation.number) of \(operation.channel) at \(operation.relay): " }
    guard let channel = channels[operation.channel], let record = channel[operation.relay] else {
      throw Violation(words + "the network is asked before the channel is durable")
    }
    let isTask =
      switch (operation.task, record.task) {
      case (.invite, .invite), (.verify, .verify), (.verify, .verifyAnnounced), (.withdraw, .withdraw), (.announce, .announce):
        true
      case (.invite, _), (.verify, _), (.withdraw, _), (.announce, _): false
      }
    guard record.isUnderWay, record.operation == operation.number, isTask else {
      throw Violation(words + "the network is asked for what is not durable, which is \(record)")
    }
    switch (operation.task, record.status) {
    case (.invite, .removed): throw Violation(words + "the relay was removed")
    case (.withdraw, .new), (.withdraw, .invited), (.withdraw, .accepted), (.withdraw, .active), (.withdraw, .inactive),
      (.withdraw, .failed):
      throw Violation(words + "the relay was not removed")
    case (.invite, _), (.verify, _), (.withdraw, .removed), (.announce, .active): break
    case (.announce, _): throw Violation(words + "the relay is not active")
    }
    guard operation.content.edition == channel.row.edition, operation.content.newestEdition == channel.row.newestEdition else {
      throw Violation(words + "another edition than the newest that is durable")
    }
    guard operation.content.document == channel.row.document, operation.content.networkID == channel.row.networkID,
      operation.content.trustAnchor == channel.row.trustAnchor
    else {
      throw Violation(words + "another channel's content")
    }
    guard operation.address == catalog[operation.relay]?.address else { throw Violation(words + "to another address") }
  }

  /// Whether a request may be answered with `snapshot`.
  func check(answer snapshot: ChannelSnapshot) throws {
    guard let known = channels[snapshot.row.id] else {
      throw Violation("\(snapshot.row.id) is told to a client before it is durable")
    }
    // The daemon cannot know yet what someone else has changed.
    let isTrue = known.row == snapshot.row || superseded[snapshot.row.id]?.contains(snapshot.row) == true
    guard isTrue, known.relays.map(\.relay) == snapshot.relays.map(\.id),
      known.relays.map(\.record) == snapshot.relays.map(\.record)
    else { throw Violation("a client is told of \(snapshot.row.id) what is not durable: \(snapshot) instead of \(known)") }
  }

  /// Whether a commit wrote what it should, just before this is taken in: all channels but those that someone else has changed.
  func check(_ request: CommitRequest, _ receipt: CommitReceipt) throws {
    for (place, part) in request.parts.enumerated() {
      let isConflict = receipt.rejections[place] == .conflict
      guard let expected = part.expected else {
        guard !isConflict else { throw Violation("part \(place) of a commit is a conflict, and expects nothing") }
        guard !part.insertsChannel, let id = part.mutations.lazy.compactMap(\.channelWritten).first else { continue }
        throw Violation("\(id) is written whatever someone else has changed")
      }
      let stored = channels[expected.channel]?.row.revision
      let known = PendingRevision.settled(expected.revision, base: receipt.base)
      guard isConflict == (stored != known) else {
        let words = isConflict ? "is a conflict" : "is written"
        throw Violation("\(expected.channel) \(words), expected at \(known) and stored at \(String(describing: stored))")
      }
    }
  }

  /// Whether subscribers may hear of `change`.
  func check(_ change: Change) throws {
    let isDurable =
      switch change.object {
      case .channelRelay(_, let row): row.revision == change.revision && transitions[change.revision] == row
      case .channel(let snapshot):
        objects[change.revision] == .channel(snapshot.row.id) && snapshot.row.revision == change.revision
      case .catalog(let object, _):
        switch (object, objects[change.revision]) {
        case (.relay(let row), .relay(let id)?): row.id == id && row.revision == change.revision
        case (.operator(let row), .operator(let id)?): row.id == id
        case (.server(let row), .server(let id)?): row.id == id
        case (.relay, _), (.operator, _), (.server, _): false
        }
      }
    guard isDurable else { throw Violation("revision \(change.revision) is published and not durable: \(change.object)") }
  }

  /// The same as the store does.
  mutating func clampTimes(now: Timestamp, latestVerifyDue: Timestamp) {
    adjustRecords { record in
      switch record.status {
      case .active:
        if record.task == nil || record.task == .announce && !record.isUnderWay, let due = record.verifyDue,
          due > latestVerifyDue
        {
          record.verifyDue = now
        }
      case .failed, .inactive: record.since = min(record.since, now)
      case .new, .invited, .accepted, .removed: break
      }
    }
  }

  /// Whether the store has all of this.
  func compare(with store: Store) throws {
    for id in order {
      guard let known = channels[id], let stored = try store.channel(id) else { throw Violation("\(id) is gone") }
      guard stored.row == known.row, stored.relays == known.relays else {
        throw Violation("\(id) is stored as \(stored), and should be \(known)")
      }
    }
    guard try store.counters().channel == order.last?.rawValue ?? 0 else { throw Violation("there are channels no one made") }
    guard try store.counters().revision == revision else { throw Violation("the store forgot which revisions were used") }
    let oldest = try store.oldestRevision()
    for id in order {
      let stored = try store.transitions(of: id, limit: .max).map(\.revision)
      let mine = transitions.values.filter { $0.channel == id && $0.revision > oldest }.map(\.revision).sorted()
      guard stored == mine else { throw Violation("the history of \(id) is \(stored), and should be \(mine)") }
    }
    for row in try store.relays() where row != catalog[row.id] { throw Violation("\(row.id) is stored as \(row)") }
  }
}

extension CommitPart {
  fileprivate var insertsChannel: Bool { mutations.contains { if case .insertChannel = $0 { true } else { false } } }
}

extension StoreMutation {
  /// The channel that it writes, with or without its relays; `nil` for a new one.
  var channelWritten: ChannelID? {
    switch self {
    case .touchChannel(let row), .rewriteChannel(let row): row.id
    case .saveChannelRelay(let id, _, _): id
    case .insertChannel, .appendTransition, .appendChange, .saveOperator, .saveServer, .saveRelay, .recordRoundTrip,
      .appendHealth,
      .insertIdentity, .removeIdentity, .probe, .quarantine, .clampTimes, .forgetHistory, .compactChanges, .insertPost,
      .updatePost, .rewritePost,
      .saveDelivery, .appendPostTransition, .savePostRoute, .savePostRetention, .forgetPostHistory, .decide:
      nil
    }
  }
}
