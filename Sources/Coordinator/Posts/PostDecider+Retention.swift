internal import Channels
internal import Storage

/// The walk along the posts beyond the retention of their channels. It proceeds page by page, and begins again with each upkeep.
struct PostForgetting: Equatable {
  /// Where it continues.
  var place = PostRetentionPlace.start
  /// The numbers of posts in this round that could not be forgotten, and that were forgotten.
  var passedOver = 0
  var forgotten = 0
  /// The newest posts of channels that do not exceed their limit.
  var counted: [ChannelID: PostID] = [:]

  /// The number of posts on a page.
  static let pageMax = 64
  /// The wait between two pages, which lets other work proceed.
  static let pause = Duration.milliseconds(100)
  /// The number of posts that could not be forgotten after which a round ends. The next round continues there.
  static let passedOverMax = 10_000
  /// How long a relay must have failed until a post that it lacks is forgotten, if posts are kept by count only.
  static let patience = Duration.seconds(30 * 86_400)

  /// The next round begins with this channel.
  mutating func begin(with channel: ChannelID) {
    place = PostRetentionPlace(channel: channel)
    counted[channel] = nil
  }
}

// Posts beyond the retention of their channels lose their text, and keep everything else.
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

  /// Forgets the next posts beyond the retention of their channels.
  mutating func forgetPosts(_ facts: PostFacts) {
    guard let page = facts.toForget, facts.trouble == nil else {
      return alarms.set(.forgetting, noLaterThan: now + Self.upkeepInterval)
    }
    for id in page.found.posts {
      if forget(id, page) { forgetting.forgotten += 1 } else { forgetting.passedOver += 1 }
    }
    // A request may have set a retention since the page was read. Then the walk begins with its channel, and earlier counts are obsolete.
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

  /// - Returns: whether it was forgotten. A post that is not at rest is kept for now.
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
  /// Whether the text of the post is no longer needed. A post that was deleted, or could not be deleted on request, needs only its
  /// tombstone.
  /// - Parameter patience: how long a relay that lacks it must have failed.
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
  /// Why an action that needs the text of the post is impossible. `nil` if the text exists.
  /// - Parameter outcome: the impossible action, and what to do instead.
  func refusal(ifForgotten outcome: String) -> BatonError? {
    forgottenAt.map { _ in
      .post(
        .invalidPost(
          field: "id", reason: "post \(id.rawValue) was forgotten, because its channel keeps posts only so long; \(outcome)"))
    }
  }
}
