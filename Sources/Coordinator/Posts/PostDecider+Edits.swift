internal import Channels
internal import RelayNetwork
internal import Storage

// Edits. Where a post never changes, a new post takes the place of the old one, which is deleted once readers find the new one; elsewhere a
// post gets another edition.
extension PostDecider {
  /// Gives a post its next edition, unless it has changed meanwhile.
  mutating func edit(_ revision: PostRevision, _ reply: Reply<StoredPost>, _ facts: PostFacts) {
    let id = revision.post
    if let refusal = refusal(toReplace: id, facts) {
      return open.answers.append(PostDecision.Answer(asker: .post(reply), error: refusal))
    }
    open.seen.insert(id)
    open.answers.append(PostDecision.Answer(asker: .post(reply), post: id))
    guard let post = awake[id], post.row.edition + 1 == revision.edition,
      post.row.document.networkID == revision.document.networkID
    else { return }
    awake[id]?.row.edition = revision.edition
    awake[id]?.row.text = revision.text
    awake[id]?.row.document = revision.document
    open.rewritten.insert(id)
    open.show(id)
    for delivery in post.deliveries {
      feed(.edited(edition: revision.edition), to: id, at: delivery.relay)
      // An edit may reach a relay that the post did not.
      if delivery.mayTakeEdit { feed(.retryRequested, to: id, at: delivery.relay) }
    }
  }

  /// Why a post cannot be edited; `nil` if it can.
  func refusal(toReplace id: PostID, _ facts: PostFacts) -> BatonError? {
    guard let row = awake[id]?.row else { return refusal(of: id, facts) }
    return row.refusalToBeReplaced
  }

  /// Notes with a new post that it takes the place of another.
  /// - Parameter deletion: what relays get when the old one goes.
  mutating func replace(_ old: PostID, by new: PostID, _ deletion: PostDocument?) {
    awake[new]?.row.replaces = old
    awake[old]?.row.replacedBy = new
    awake[old]?.row.deletion = deletion
    open.revised.insert(old)
    open.show(old)
    open.companions[new] = old
  }

  /// Deletes a post whose successor readers find, or keeps it if they never will.
  /// - Parameter new: its successor, or the successor of that.
  mutating func settleReplacement(of old: PostID, by new: PostID) {
    guard let post = awake[old], let successor = awake[new] else { return }
    open.seen.formUnion([old, new])
    func goOn(_ old: PostID, by new: PostID) { open.effects.inputs.append(.replace(old, by: new)) }
    if successor.isFound {
      if post.row.awaitsReplacement { withdraw(old) }
      // It may have taken the place of another and been replaced itself before readers found it.
      if let older = post.row.replaces { goOn(older, by: new) }
    } else if post.row.awaitsReplacement, let next = successor.row.replacedBy {
      goOn(old, by: next)
    } else if successor.isLost {
      if post.row.awaitsReplacement {
        if post.row.replacedBy == new { letStand(new) }
        keep(old)
      }
      // Nor will readers find it in place of another.
      if post.isLost, let older = post.row.replaces { goOn(older, by: old) }
    }
  }

  /// Lets a post stay for which no other takes its place after all.
  private mutating func keep(_ id: PostID) {
    awake[id]?.row.replacedBy = nil
    awake[id]?.row.deletion = nil
    open.revised.insert(id)
    open.show(id)
  }

  /// Lets a post stand for itself that takes no one's place after all: what becomes of it later does not concern the other one.
  private mutating func letStand(_ id: PostID) {
    awake[id]?.row.replaces = nil
    open.revised.insert(id)
    open.show(id)
  }

  /// Deletes a post on all of its relays, with the request that its row holds.
  mutating func withdraw(_ id: PostID) {
    guard let post = awake[id] else { return }
    awake[id]?.row.deletedAt = timeOfDay
    open.revised.insert(id)
    open.show(id)
    for delivery in post.deliveries { feed(.deletionRequested, to: id, at: delivery.relay) }
  }

  /// Looks after the predecessors of posts that readers have begun to find, or that will never get anywhere.
  mutating func followReplacements() {
    for id in open.order {
      guard let post = awake[id], let old = post.row.replaces, post.isFound || post.isLost,
        open.transitions[id]?.contains(where: { Self.maySettle($0.transition.to) }) == true
      else { continue }
      let input = PostInput.replace(old, by: id)
      if !open.effects.inputs.contains(input) { open.effects.inputs.append(input) }
    }
  }

  /// Whether readers may have found a post with this status of a delivery, or never will.
  private static func maySettle(_ status: DeliveryStatus) -> Bool {
    switch status {
    case .verified, .skipped, .deleting: true
    case .pending, .sent, .accepted, .failed, .deleted, .stillServed, .unsupported: false
    }
  }
}

extension PostDecider.Awake.Delivery {
  /// Whether the relay does not get the post, for a reason that an edit may overcome.
  fileprivate var mayTakeEdit: Bool {
    guard machine.state.status == .skipped, let cause = machine.state.trouble?.cause else { return false }
    return cause != .cancelled && cause != .left
  }
}

extension PostDecider.Awake {
  /// Whether readers find it at a relay of its channel.
  fileprivate var isFound: Bool { deliveries.contains { !$0.hasDeparted && $0.machine.shown > 0 } }

  /// Whether it goes nowhere any more: it is deleted, or no relay takes it.
  fileprivate var isLost: Bool {
    row.deletedAt != nil
      || !deliveries.isEmpty && deliveries.allSatisfy { $0.hasDeparted || $0.machine.state.status == .skipped }
  }
}

extension PostRow {
  /// Why it cannot be edited; `nil` if it can.
  var refusalToBeReplaced: BatonError? {
    func refusal(_ reason: String) -> BatonError { .post(.invalidPost(field: "id", reason: reason)) }
    switch about?.act {
    case .removal: return refusal("post \(id.rawValue) is the removal of a message, which has nothing to edit")
    case .report: return refusal("post \(id.rawValue) is a report; delete it, and report again")
    case .membership: return refusal("post \(id.rawValue) changes who belongs to the channel; change that again")
    case .answer, .reaction, nil: break
    }
    guard !isAside else { return refusal("post \(id.rawValue) is a reaction; delete it, and react again") }
    if deletedAt != nil, replacedBy == nil { return refusal("post \(id.rawValue) was deleted; publish a new one") }
    guard isPublished else {
      return refusal("post \(id.rawValue) is not published yet, so no other takes its place; edit it again")
    }
    if let new = replacedBy?.rawValue {
      return refusal("post \(id.rawValue) was edited, and post \(new) takes its place; edit that one")
    }
    return self.refusal(ifForgotten: "delete it, and publish another")
  }
}
