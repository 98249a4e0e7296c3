internal import Channels
internal import RelayNetwork
internal import Storage
internal import StrictJSON

// Scheduled posts. They sleep in the store, without deliveries. A due post gets its form, like a new post, and its deliveries in the same
// commit. If that cannot be stored, the post has not left, and the form is dropped or stored later.
extension PostDecider {
  /// The number of due posts that are handled together.
  static let schedulesMax = 64
  /// While posts are scheduled, the time of day is checked this often, because someone may set the clock.
  static let scheduleLookInterval = Duration.seconds(60)

  /// The number of due posts per read, because skipped posts may come before others.
  var schedulesLimit: Int { Self.schedulesMax + min(leftAlone.count, Self.passedOverMax) }

  /// Schedules a check at this time of day.
  mutating func lookAtSchedules(noLaterThan time: Timestamp) {
    alarms.set(.schedules, noLaterThan: now + min(max(time - timeOfDay, .zero), Self.scheduleLookInterval))
  }

  /// Begins with the due posts.
  mutating func lookAtSchedules(_ facts: PostFacts) {
    guard let due = facts.schedules else { return }
    alarms.set(.schedules, at: nil)
    if let next = due.next { lookAtSchedules(noLaterThan: next) }
    guard !due.posts.isEmpty else { return }
    hasMoreDue = due.posts.count >= Self.schedulesMax
    var ended = 0
    for id in due.posts where !begin(id) { ended += awake[id]?.row.isExpired == true ? 1 : 0 }
    // Unreadable or unavailable posts come before others, and are read again later.
    lookAtSchedules(noLaterThan: timeOfDay + Self.scheduleLookInterval)
    if ended > 0 { takeMore() }
  }

  /// Reads further due posts, if there are any and the earlier ones are done.
  private mutating func takeMore() {
    guard hasMoreDue, composing.isEmpty else { return }
    hasMoreDue = false
    open.effects.inputs.append(.lookAtSchedules)
  }

  /// Requests the form of a due post.
  /// - Returns: whether it did, so that `composed` will follow.
  @discardableResult
  private mutating func begin(_ id: PostID) -> Bool {
    guard let row = awake[id]?.row, row.isScheduled, let schedule = row.schedule else { return false }
    guard !composing.contains(id) else { return true }
    guard timeOfDay <= schedule.deadline else {
      expire(id, lateness(id, schedule))
      return false
    }
    guard let request = schedule.request.flatMap(PostRequest.init(stored:)) else {
      expire(id, "the stored request is damaged. Publish the text again")
      return false
    }
    composing.insert(id)
    open.effects.compositions.append(PostComposition(post: id, channel: row.channel, request: request))
    return true
  }

  /// Handles the form of a post that was due, unless it was cancelled, deleted or published since.
  mutating func composed(
    _ id: PostID, in channel: ChannelID, _ result: Result<PostDocument, BatonError>, _ facts: PostFacts
  ) {
    composing.remove(id)
    take(result, for: id, channel, facts)
    takeMore()
  }

  private mutating func take(
    _ result: Result<PostDocument, BatonError>, for id: PostID, _ channel: ChannelID, _ facts: PostFacts
  ) {
    guard let row = awake[id]?.row, row.isScheduled, let schedule = row.schedule else { return }
    // Another daemon may have given it a later time since.
    guard schedule.publishAt <= timeOfDay else { return lookAtSchedules(noLaterThan: schedule.publishAt) }
    guard timeOfDay <= schedule.deadline else { return expire(id, lateness(id, schedule)) }
    switch result {
    case .failure(let error) where error.mayPass: putOff(id, error.whyNotPublished)
    case .failure(let error): expire(id, error.whyNotPublished)
    case .success(let document):
      guard let channel = facts.channels[channel], channel.row.deletedAt == nil else {
        return expire(id, BatonError.noSuchChannel(channel).whyNotPublished)
      }
      if channel.row.marks.isFrozen { return putOff(id, BatonError.post(.frozen(channel.row.id)).whyNotPublished) }
      if let damage = facts.damagedRoutes[channel.row.id] { return putOff(id, damage) }
      publish(id, document, in: channel, facts)
    }
  }

  /// Puts off a post that cannot be published now.
  private mutating func putOff(_ id: PostID, _ reason: String) {
    scheduleTroubles[id] = reason
    hasMoreDue = false
    lookAtSchedules(noLaterThan: timeOfDay + Self.scheduleLookInterval)
  }

  private mutating func publish(_ id: PostID, _ document: PostDocument, in channel: StoredChannel, _ facts: PostFacts) {
    awake[id]?.row.document = document
    awake[id]?.row.schedule?.request = nil
    awake[id]?.row.createdAt = timeOfDay
    scheduleTroubles[id] = nil
    open.revised.insert(id)
    open.show(id)
    start(id, at: Self.members(of: channel))
    // Posts with higher ids may still need the deliveries of a new route.
    align(publishing: id, in: channel, from: PostID(rawValue: counters.post + 1), facts)
  }

  /// Publishes a post that was not published at its time.
  mutating func publishNow(_ id: PostID) { publish(id, at: timeOfDay) }

  /// Publishes a post at a time of day, regardless of its earlier schedule.
  mutating func publish(_ id: PostID, at time: Timestamp) {
    awake[id]?.row.schedule?.trouble = nil
    awake[id]?.row.schedule?.publishAt = time
    scheduleTroubles[id] = nil
    open.revised.insert(id)
    open.show(id)
    lookAtSchedules(noLaterThan: max(time, timeOfDay) + (time > timeOfDay ? .zero : Self.scheduleLookInterval))
    if time <= timeOfDay { begin(id) }
  }

  // MARK: - Giving up

  /// Records that a post is not published.
  mutating func giveUp(_ id: PostID, _ reason: String) {
    awake[id]?.row.schedule?.trouble = reason
    scheduleTroubles[id] = nil
    open.revised.insert(id)
    open.show(id)
  }

  private mutating func expire(_ id: PostID, _ reason: String) {
    giveUp(id, reason)
    open.effects.journal.append(
      JournalEntry(
        event: .postExpired, level: .warning, message: "post \(id.rawValue) was not published: \(reason)",
        fields: ["BATON_POST": "\(id.rawValue)", "BATON_CHANNEL": "\(awake[id]?.row.channel.rawValue ?? 0)"]))
  }

  private func lateness(_ id: PostID, _ schedule: PostSchedule) -> String {
    let (due, end) = (schedule.publishAt.milliseconds, schedule.deadline.milliseconds)
    let words =
      "it was due at \(RFC3339.text(milliseconds: due)), and could be published until \(RFC3339.text(milliseconds: end))"
    return scheduleTroubles[id].map { "\(words). Before that: \($0)" } ?? words
  }
}

extension PostRow {
  /// Whether it was scheduled, and is no longer published automatically.
  var isExpired: Bool { !isPublished && !isScheduled && deletedAt == nil }

  /// Why its time or text can no longer change before publication. `nil` if it can.
  var refusalOfNewTime: BatonError? {
    func refusal(_ reason: String) -> BatonError { .post(.invalidPost(field: "id", reason: reason)) }
    if deletedAt != nil { return refusal("post \(id.rawValue) was deleted. Publish a new one") }
    if isPublished { return refusal("post \(id.rawValue) is published already") }
    return nil
  }
}

extension BatonError {
  /// Whether the same request may succeed later without a change of it.
  fileprivate var mayPass: Bool {
    switch self {
    // A channel is frozen for a while.
    case .busy, .storageDamaged, .storageUnavailable, .networkUnavailable, .post(.frozen): true
    default: false
    }
  }

  /// Why a post was not published, as a sentence for people.
  fileprivate var whyNotPublished: String {
    switch self {
    case .noSuchChannel: "its channel was deleted"
    case .post(.frozen): "its channel is frozen"
    case .post(.invalidPost(_, let reason)), .post(.notSupported(_, let reason)): reason
    case .storageDamaged(let reason), .storageUnavailable(let reason), .networkUnavailable(_, let reason): reason
    case .busy: "the daemon was busy"
    default: "\(self)"
    }
  }
}
