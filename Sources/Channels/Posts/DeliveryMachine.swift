/// Drives one delivery: one post on one relay.
///
/// It is a value like `ChannelRelayMachine`: an event and the time go in, the new state and a list of actions come out. It performs nothing
/// itself. The driver must, in this order:
/// 1. make the new state and every recorded transition durable,
/// 2. perform the network actions,
/// 3. call `handle(.timerFired)` when `timer` has passed.
///
/// A post leaves in two steps. `publish` puts it into the relay's queue. When its turn comes, the driver reports `handedOver`. If that is
/// unexpected, the post must not leave, because it was cancelled, deleted, or requested under a newer number. Otherwise it leaves once the
/// new state is durable, in the edition that `left` then names. So any edition that may be at a relay is stored before it is there.
///
/// A lost answer is never followed by sending again: the relay is read back first, and gets the post again only if it does not have it. So
/// no relay gets a post twice that a reader can fetch, even if it does not recognise repetitions, and a relay that stores without answering
/// ends as `verified`.
///
/// A post that was revised while an edition is on its way waits for the outcome of that edition: a relay is given one edition at a time.
/// Late acceptances do not name their edition. Where there are several, the relay is read back.
///
/// A deletion is final: nothing leads from it back to publishing.
///
/// Each status has these successors and no others. Where a status is its own successor, the transition records an attempt that failed.
///
/// | status        | successors                                                                  |
/// |---------------|-----------------------------------------------------------------------------|
/// | `pending`     | `pending`, `sent`, `accepted`, `verified`, `failed`, `skipped`, `deleting`  |
/// | `sent`        | `sent`, `pending`, `accepted`, `verified`, `failed`, `skipped`, `deleting`  |
/// | `accepted`    | `accepted`, `pending`, `verified`, `failed`, `skipped`, `deleting`          |
/// | `verified`    | `pending`, `sent`, `deleting`                                               |
/// | `failed`      | `failed`, `pending`, `sent`, `accepted`, `verified`, `skipped`, `deleting`  |
/// | `skipped`     | `skipped`, `pending`, `sent`, `deleting`                                    |
/// | `deleting`    | `deleting`, `deleted`, `stillServed`, `unsupported`                         |
/// | `deleted`     | `deleting`                                                                  |
/// | `stillServed` | `stillServed`, `deleted`, `unsupported`                                     |
/// | `unsupported` | `deleting`, `deleted`                                                       |
///
/// Every delivery of a post begins as `pending`. The delivery of a message that is only to be deleted begins as `verified`.
/// docs/design/posts.md#statuses-of-a-delivery lists the events and their transitions.
public struct DeliveryMachine: Hashable, Sendable {
  public internal(set) var state: State
  /// The time at which the present status was entered.
  public internal(set) var since: Timestamp
  /// The number of the latest operation that the network was asked for, which outcomes carry back. 0 for none yet.
  public internal(set) var operation: Int
  /// The number of the post's newest edition. The first has number 1. Where the network supports edits, each edit adds one.
  public internal(set) var edition: Int
  /// The newest edition that may be at the relay, or 0 for none, as far as known. It is above `shown` while no one knows.
  public internal(set) var left: Int
  /// The edition that a reader last found at the relay, or 0 for none.
  public internal(set) var shown: Int
  /// Whether the post was deleted.
  public internal(set) var isDeletionRequested: Bool
  /// Makes the jitter of different deliveries differ.
  let salt: UInt64

  /// Creates a delivery for which nothing has been done yet.
  /// - Parameters:
  ///   - salt: any number that differs between deliveries. It spreads their retries.
  ///   - now: time of creation.
  ///   - edition: the post's newest one.
  public init(salt: UInt64, now: Timestamp, edition: Int = 1) {
    self.init(
      state: .pending(Work(.publish, attempt: 1, startedAt: now, progress: .waiting(until: now))), since: now, operation: 0,
      edition: edition, salt: salt)
  }

  /// Creates the delivery of a message that is at the relay and must be deleted there.
  /// - Parameters:
  ///   - salt: any number that differs between deliveries. It spreads their retries.
  ///   - now: time of creation.
  public init(deleting salt: UInt64, now: Timestamp) {
    self.init(state: .verified, since: now, operation: 0, left: 1, shown: 1, salt: salt)
  }

  init(
    state: State, since: Timestamp, operation: Int, edition: Int = 1, left: Int = 0, shown: Int = 0,
    isDeletionRequested: Bool = false, salt: UInt64
  ) {
    self.state = state
    self.since = since
    self.operation = operation
    self.edition = edition
    self.left = left
    self.shown = shown
    self.isDeletionRequested = isDeletionRequested
    self.salt = salt
  }

  /// The time at which the next `timerFired` is due, or `nil` if nothing is awaited. It is derived, so it always agrees with the state.
  public var timer: Timestamp? { state.work?.progress.due }

  /// The network operation under way, if any.
  public var underWay: (task: Work.Task, operation: Int)? {
    guard let work = state.work, work.progress.isUnderWay else { return nil }
    return (work.task, operation)
  }

  /// Whether nothing is left to do: no operation, no timer.
  public var isSettled: Bool { state.work == nil }

  /// Processes one event and returns what to do.
  /// - Parameters:
  ///   - event: what happened.
  ///   - now: the present time. It may jump either way.
  ///   - policy: timers and limits.
  /// - Returns: the actions in the order in which they must be carried out. Events that make no sense in the present state
  ///   change nothing and are returned as `.reportUnexpected`.
  public mutating func handle(_ event: Event, now: Timestamp, policy: DeliveryPolicy) -> [Action] {
    var step = Step(machine: self, now: now, policy: policy)
    step.take(event)
    self = step.machine
    return step.actions
  }
}
