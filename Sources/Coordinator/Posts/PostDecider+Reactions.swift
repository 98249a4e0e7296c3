public import Channels
internal import RelayNetwork
public import Storage

// Reactions: posts about another post of their channel. An equal reaction exists only once.
extension PostDecider {
  /// The equal reaction that was not deleted, or the reason why there cannot be one. `nil` if it must be created.
  func answer(to reaction: PostReaction, _ facts: PostFacts) -> Result<PostID, BatonError>? {
    func unreadable(_ id: PostID) -> BatonError { .storageUnavailable(reason: "post \(id.rawValue) is unreadable") }
    // Open decisions come first.
    for id in [open.reactions[reaction], facts.reactions[reaction]].compactMap({ $0 }) {
      guard let row = awake[id]?.row else { return .failure(unreadable(id)) }
      if row.deletedAt == nil { return .success(id) }
    }
    // Nothing else about another person's message is needed.
    guard case .post(let target) = reaction.target else { return nil }
    if let refusal = refusalToBePinned(reaction, target) { return .failure(refusal) }
    if let row = awake[target]?.row { return row.refusalToBeReactedTo.map { .failure($0) } }
    return .failure(leftAlone[target] != nil ? unreadable(target) : .post(.noSuchPost(target)))
  }
}

extension PostDecider {
  /// The answer to a request about a member that repeats the latest one while that is on its way, or the reason for a refusal. `nil` if the
  /// new request replaces it.
  /// - Parameter earlier: the post with the latest request.
  func answer(repeating request: PostRequest, _ earlier: PostID) -> Result<PostID, BatonError>? {
    guard let post = awake[earlier] else {
      return .failure(.storageUnavailable(reason: "post \(earlier.rawValue) is unreadable"))
    }
    guard post.row.deletedAt == nil, post.row.text == request.text else { return nil }
    let isUnderWay = post.deliveries.contains {
      !$0.hasDeparted && [.pending, .sent, .accepted].contains($0.machine.state.status)
    }
    return isUnderWay ? .success(earlier) : nil
  }
}

extension PostDecider {
  /// Why a post cannot be pinned now: a repeated deletion of its earlier pin would remove the new pin, too.
  private func refusalToBePinned(_ reaction: PostReaction, _ target: PostID) -> BatonError? {
    guard reaction.text == PostRow.pinText else { return nil }
    let leaving = awake.values.first { $0.row.reaction == reaction && $0.stored.isLeaving }
    return leaving.map { .pinIsLeaving($0.row.id, of: target) }
  }
}

extension StoredPost {
  /// Whether it is being deleted, so that relays may receive the request again.
  public var isLeaving: Bool {
    row.deletedAt != nil
      && deliveries.contains { !$0.hasDeparted && [.deleting, .stillServed].contains($0.record.status) }
  }
}

extension BatonError {
  /// A post is not pinned again before its earlier pin is deleted.
  /// - Parameter pin: the earlier pin.
  public static func pinIsLeaving(_ pin: PostID, of post: PostID) -> BatonError {
    .post(
      .invalidPost(
        field: "id",
        reason:
          "the earlier pin of post \(post.rawValue), post \(pin.rawValue), is still being taken away. Pin it again once that is "
          + "deleted"))
  }
}

extension PostRequest {
  /// The reaction to one of the channel's posts, or to another person's message. `nil` for any other request.
  var reaction: PostReaction? {
    if let reactionTo { return PostReaction(target: reactionTo, text: text) }
    guard let about, about.act == .reaction else { return nil }
    return PostReaction(target: .message(in: channel, networkID: about.networkID), text: text)
  }
}

extension PostRequest {
  /// The key of the latest request about a member, if it is one.
  var membership: PostReaction? {
    guard let about, about.act == .membership else { return nil }
    let (channel, name) = (channel, about.networkID)
    switch MembershipChange(text: text, person: name)?.wish {
    case .banned, .unbanned: return PostReaction(target: .ban(in: channel, name: name), text: "")
    case .member, .removed, nil: return PostReaction(target: .person(in: channel, name: name), text: "")
    }
  }
}

extension PostRow {
  /// Why a channel cannot react to it. `nil` if it can.
  var refusalToBeReactedTo: BatonError? {
    func refusal(_ reason: String) -> BatonError { .post(.invalidPost(field: "id", reason: reason)) }
    if let target = reactionTo {
      return refusal("post \(id.rawValue) is itself a reaction, to post \(target.rawValue). React to that one")
    }
    if let aside { return refusal("post \(id.rawValue) is \(aside). React to another") }
    guard isPublished else { return refusal("post \(id.rawValue) is not published yet. React to it once it is") }
    if let new = replacedBy {
      return refusal("post \(id.rawValue) was edited, and post \(new.rawValue) takes its place. React to that one")
    }
    if deletedAt != nil { return refusal("post \(id.rawValue) was deleted. React to another") }
    guard forgottenAt == nil else {
      return refusal("post \(id.rawValue) is so old that its text is no longer kept. React to another")
    }
    return nil
  }
}

extension PostRow {
  /// The words for a post that is about a message and not a message itself. `nil` for any other post.
  var aside: String? {
    switch about?.act {
    case .reaction: "a reaction to a message"
    case .removal: "the removal of a message"
    case .report: "the report of a message"
    case .membership: "a membership change"
    case .answer, nil: nil
    }
  }
}
