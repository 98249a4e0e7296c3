internal import Channels
internal import RelayNetwork
internal import Storage

// Edits. On networks where a post never changes, a new post replaces the old one, which is deleted once readers find the new one. On other
// networks a post gets another edition.
extension PostDecider {
  /// Gives a post its next edition, unless it has changed since.
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
      // An edit may reach a relay that the post did not reach.
      if delivery.mayTakeEdit { feed(.retryRequested, to: id, at: delivery.relay) }
    }
  }

  /// Why a post cannot be edited. `nil` if it can.
  func refusal(toReplace id: PostID, _ facts: PostFacts) -> BatonError? {
    guard let row = awake[id]?.row else { return refusal(of: id, facts) }
    return row.refusalToBeReplaced
  }

  /// Records that a new post replaces another.
  /// - Parameter deletion: the request to delete the old post.
  mutating func replace(_ old: PostID, by new: PostID, _ deletion: PostDocument?) {
    awake[new]?.row.replaces = old
    awake[old]?.row.replacedBy = new
    awake[old]?.row.deletion = deletion
    open.revised.insert(old)
    open.show(old)
    open.companions[new] = old
  }

  /// Deletes a post whose successor readers find, or keeps it if they never will.
  /// - Parameter new: its successor, or a later one.
  mutating func settleReplacement(of old: PostID, by new: PostID) {
    guard let post = awake[old], let successor = awake[new] else { return }
    open.seen.formUnion([old, new])
    func goOn(_ old: PostID, by new: PostID) { open.effects.inputs.append(.replace(old, by: new)) }
    if successor.isFound {
      if post.row.awaitsReplacement { withdraw(old) }
      // It may have replaced another post and been replaced itself before readers found it.
      if let older = post.row.replaces { goOn(older, by: new) }
    } else if post.row.awaitsReplacement, let next = successor.row.replacedBy {
      goOn(old, by: next)
    } else if successor.isLost {
      if post.row.awaitsReplacement {
        if post.row.replacedBy == new { letStand(new) }
        keep(old)
      }
      // Readers will not find it in place of an older post either.
      if post.isLost, let older = post.row.replaces { goOn(older, by: old) }
    }
  }

  /// Keeps a post that is not replaced after all.
  private mutating func keep(_ id: PostID) {
    awake[id]?.row.replacedBy = nil
    awake[id]?.row.deletion = nil
    open.revised.insert(id)
    open.show(id)
  }

  /// Makes a post independent that replaces no other after all: its later changes do not concern the older post.
  private mutating func letStand(_ id: PostID) {
    awake[id]?.row.replaces = nil
    open.revised.insert(id)
    open.show(id)
  }

  /// Deletes a post on all of its relays, with the request in its row.
  mutating func withdraw(_ id: PostID) {
    guard let post = awake[id] else { return }
    awake[id]?.row.deletedAt = timeOfDay
    open.revised.insert(id)
    open.show(id)
    for delivery in post.deliveries { feed(.deletionRequested, to: id, at: delivery.relay) }
  }

  /// Handles the predecessors of posts that readers have begun to find, or never will.
  mutating func followReplacements() {
    for id in open.order {
      guard let post = awake[id], let old = post.row.replaces, post.isFound || post.isLost,
        open.transitions[id]?.contains(where: { Self.maySettle($0.transition.to) }) == true
      else { continue }
      let input = PostInput.replace(old, by: id)
      if !open.effects.inputs.contains(input) { open.effects.inputs.append(input) }
    }
  }

  /// Whether this status of a delivery means that readers may have found the post, or never will.
  private static func maySettle(_ status: DeliveryStatus) -> Bool {
    switch status {
    case .verified, .skipped, .deleting: true
    case .pending, .sent, .accepted, .failed, .deleted, .stillServed, .unsupported: false
    }
  }
}

extension PostDecider.Awake.Delivery {
  /// Whether the relay lacks the post for a reason that an edit may overcome.
  fileprivate var mayTakeEdit: Bool {
    guard machine.state.status == .skipped, let cause = machine.state.trouble?.cause else { return false }
    return cause != .cancelled && cause != .left
  }
}

extension PostDecider.Awake {
  /// Whether readers find it at a relay of its channel.
  fileprivate var isFound: Bool { deliveries.contains { !$0.hasDeparted && $0.machine.shown > 0 } }

  /// Whether it is lost: deleted, or skipped at every relay.
  fileprivate var isLost: Bool {
    row.deletedAt != nil
      || !deliveries.isEmpty && deliveries.allSatisfy { $0.hasDeparted || $0.machine.state.status == .skipped }
  }
}

extension PostRow {
  /// Why it cannot be edited. `nil` if it can.
  var refusalToBeReplaced: BatonError? {
    func refusal(_ reason: String) -> BatonError { .post(.invalidPost(field: "id", reason: reason)) }
    switch about?.act {
    case .removal: return refusal("post \(id.rawValue) is the removal of a message, which has nothing to edit")
    case .report: return refusal("post \(id.rawValue) is a report. Delete it, and report again")
    case .membership: return refusal("post \(id.rawValue) changes who belongs to the channel. Change that again")
    case .answer, .reaction, nil: break
    }
    guard !isAside else { return refusal("post \(id.rawValue) is a reaction. Delete it, and react again") }
    if deletedAt != nil, replacedBy == nil { return refusal("post \(id.rawValue) was deleted. Publish a new one") }
    guard isPublished else {
      return refusal("post \(id.rawValue) is not published yet, so no other takes its place. Edit it again")
    }
    if let new = replacedBy?.rawValue {
      return refusal("post \(id.rawValue) was edited, and post \(new) takes its place. Edit that one")
    }
    return self.refusal(ifForgotten: "delete it, and publish another")
  }
}
