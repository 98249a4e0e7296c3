internal import Channels
internal import Storage

/// The walk along the posts that are beyond the retention of their channels. It goes on page by page, and begins again with each upkeep.
struct PostForgetting: Equatable {
  /// Where it goes on.
  var place = PostRetentionPlace.start
  /// How many posts of this round could not be forgotten, and how many were.
  var passedOver = 0
  var forgotten = 0
  /// The newest posts of channels that have no more posts than they keep.
  var counted: [ChannelID: PostID] = [:]

  /// How many posts are looked at together.
  static let pageMax = 64
  /// The wait between two pages, in which others have their turn.
  static let pause = Duration.milliseconds(100)
  /// A round ends after so many posts that could not be forgotten. The next one goes on there.
  static let passedOverMax = 10_000
  /// How long a relay must have failed before a post is forgotten that it does not have, where posts are kept by count only.
  static let patience = Duration.seconds(30 * 86_400)

  /// The next round begins with this channel.
  mutating func begin(with channel: ChannelID) {
    place = PostRetentionPlace(channel: channel)
    counted[channel] = nil
  }
}

// Posts that are beyond the retention of their channels lose what they say, and keep what they are.
extension PostDecider {
  mutating func setRetention(_ retention: PostRetention, _ reply: Reply<PostRetention>, _ facts: PostFacts) {
    func answer(_ error: BatonError? = nil) {
      open.answers.append(PostDecision.Answer(asker: .retention(reply, retention), error: error))
    }
    if let trouble = facts.trouble { return answer(.storageUnavailable(reason: trouble)) }
    guard slots.contains(retention.channel) else { return answer(.elsewhere(retention.channel)) }
    guard let channel = facts.channels[retention.channel], channel.row.deletedAt == nil else {
      return answer(.noSuchChannel(retention.channel))
    }
    open.retentions.append(retention)
    answer()
    guard !retention.isUnlimited else { return }
    forgetting.begin(with: retention.channel)
    alarms.set(.forgetting, noLaterThan: now)
  }

  /// Forgets the next posts that are beyond the retention of their channels.
  mutating func forgetPosts(_ facts: PostFacts) {
    guard let page = facts.toForget, facts.trouble == nil else {
      return alarms.set(.forgetting, noLaterThan: now + Self.upkeepInterval)
    }
    for id in page.found.posts {
      if forget(id, page) { forgetting.forgotten += 1 } else { forgetting.passedOver += 1 }
    }
    // Someone may have set a retention since storage was asked; then the walk begins there, and what was counted for another one says
    // nothing.
    guard page.place == forgetting.place, !open.retentions.contains(where: { !$0.isUnlimited }) else { return }
    if forgetting.counted.count > Self.knownMax { forgetting.counted = [:] }
    forgetting.counted.merge(page.found.counted) { _, new in new }
    forgetting.place = page.found.next ?? .start
    if page.found.next != nil, forgetting.passedOver < PostForgetting.passedOverMax {
      return alarms.set(.forgetting, noLaterThan: now + PostForgetting.pause)
    }
    if forgetting.forgotten > 0 {
      open.effects.journal.append(
        JournalEntry(
          level: .info, message: "posts forgotten at the end of their retention: \(forgetting.forgotten)"))
    }
    (forgetting.passedOver, forgetting.forgotten) = (0, 0)
  }

  /// - Returns: whether it was forgotten. A post that is not at rest stays for now.
  private mutating func forget(_ id: PostID, _ page: PostFacts.ToForget) -> Bool {
    guard let post = awake[id], let retention = page.found.retentions[post.row.channel],
      !open.retentions.contains(where: { $0.channel == post.row.channel }), !composing.contains(id),
      post.rests(at: now, after: retention.span ?? PostForgetting.patience),
      let remnant = post.row.isPublished ? page.remnants[post.row.document] : ""
    else { return false }
    for delivery in post.deliveries where delivery.machine.state.status == .failed {
      feed(.forgotten, to: id, at: delivery.relay)
    }
    awake[id]?.row.forget(at: timeOfDay, keeping: remnant)
    open.rewritten.insert(id)
    open.show(id)
    return true
  }
}

extension PostDecider.Awake {
  /// Whether no one needs what the post says any more. What is deleted, or was not deleted although that was asked for, needs only its
  /// tombstone.
  /// - Parameter patience: how long a relay must have failed that does not have it.
  fileprivate func rests(at now: Timestamp, after patience: Duration) -> Bool {
    guard row.forgottenAt == nil, !row.isScheduled, !row.isDraft, !row.awaitsReplacement else { return false }
    return deliveries.allSatisfy { delivery in
      if delivery.hasDeparted { return true }
      guard delivery.machine.underWay == nil else { return false }
      return switch delivery.machine.state {
      case .verified, .skipped, .deleting, .deleted, .stillServed, .unsupported: true
      case .failed(_, let work): work.startedAt + patience <= now
      case .pending, .sent, .accepted: false
      }
    }
  }
}

extension PostRow {
  /// Why what needs the text of the post cannot be done; `nil` if the text is still there.
  /// - Parameter outcome: what cannot be done, and what to do instead.
  func refusal(ifForgotten outcome: String) -> BatonError? {
    forgottenAt.map { _ in
      .post(
        .invalidPost(
          field: "id", reason: "post \(id.rawValue) was forgotten, because its channel keeps posts only so long; \(outcome)"))
    }
  }
}
