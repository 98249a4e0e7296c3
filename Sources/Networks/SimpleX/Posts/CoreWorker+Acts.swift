internal import Channels
internal import RelayNetwork

/// A reaction, or an order, with its operations. The core does it once, for all relays that are ready, and reports neither which relays
/// these are nor how far it came. So only the state that the core shows counts.
protocol ActTask: DeskTask {
  /// The progress that was stored when it was requested.
  var course: ActCourse { get }
}

extension CoreWorker {
  /// The progress so far.
  func course(_ task: some ActTask) -> ActCourse { knownPosts[task.post].course ?? task.course }

  func change(_ task: some ActTask, _ change: (inout ActCourse) -> Void) {
    var course = course(task)
    change(&course)
    knownPosts[task.post].course = course
  }

  func isReached(_ operation: DeliveryOperation, _ relays: Set<CoreMember.ID>?, _ task: some ActTask) -> Bool {
    task.member(operation).flatMap { relays?.contains($0) } ?? false
  }

  /// Finds out whether an act that may have left was done.
  /// - Parameter isDone: whether the core shows it.
  /// - Returns: whether that is known now. If not, the operations wait.
  func settle(_ task: some ActTask, isDone: Bool) -> Bool {
    let course = course(task)
    guard course.reached != nil, course.sentAt == nil else { return true }
    if isDone {
      change(task) { $0.sentAt = now() }
    } else {
      guard !isInDoubt(task, since: knownPosts[task.post].lostAt) else { return false }
      change(task) { $0.reached = nil }
    }
    knownPosts[task.post].lostAt = nil
    return true
  }

  /// Handles an act that the core may or may not have done, or may still do.
  func lose(_ task: some ActTask, _ trouble: Trouble) {
    knownPosts[task.post].lostAt = now()
    giveBack(task.operations, trouble)
  }

  /// Handles a command that got no answer.
  /// - Parameter failure: anything but a refusal.
  func unanswered(_ task: some ActTask, _ failure: CoreFailure) {
    switch failure {
    case .notSent:
      change(task) { $0.reached = nil }
      giveBack(task.operations, failure)
    case .unreadable, .refused: lose(task, Trouble(.protocol, failure.description))
    case .unknown: lose(task, Trouble(.timeout, failure.description))
    }
  }
}
