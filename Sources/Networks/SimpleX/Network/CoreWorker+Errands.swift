internal import Channels
internal import Dialing
internal import RelayNetwork

// Errands: joining and leaving other people's channels. They are done over lanes, one after the other, and nothing here waits for them.
extension CoreWorker {
  /// How many errands may wait.
  static let errandsMax = 100

  func take(_ errand: CoreErrand) {
    if case .join(let link) = errand.task, let since = doubtfulJoins[link.text] {
      // The core may still be joining.
      let rest = limits.doubtTime - max(now() - since, .zero)
      guard rest <= .zero else {
        return errand.refuse("the chat core may still be joining it. Try again in \(rest.briefly)")
      }
      doubtfulJoins[link.text] = nil
    }
    guard errands.count < Self.errandsMax else { return errand.refuse("too many requests wait for the chat core. Try again") }
    errands.append((errand, now()))
    if lanes.isEmpty { around.nudge(limits.patience) }
    startTests()
  }

  /// Starts the next errand, if none is under way and a lane is free.
  func startErrand(_ user: CoreUser.ID) {
    guard errandLane == nil, let lane = lanes.sorted().first(where: { testing[$0] == nil }) else { return }
    while !errands.isEmpty {
      let next = errands.removeFirst().errand
      guard !next.isCancelled else {
        next.refuse("it was cancelled")
        continue
      }
      errandLane = lane
      return around.errand(lane, user, next)
    }
  }

  /// Refuses the errands that have waited too long for a lane.
  func lookAtErrands() {
    guard lanes.isEmpty else { return }
    errands.removeAll { errand, since in
      // A clock that was set back does not make the wait longer.
      let waited = now() - since
      guard waited >= limits.patience - .milliseconds(20) || waited < .zero else { return false }
      errand.refuse("the chat core takes no further connection. Try again in a moment")
      return true
    }
  }

  func errandDone(_ errand: CoreErrand, _ end: CoreErrand.End) {
    errandLane = nil
    switch end {
    case .clear: break
    case .mayBeAnotherUser: doubtUser()
    case .mayGoOn:
      guard case .join(let link) = errand.task else { break }
      doubtfulJoins = doubtfulJoins.filter { now() - $0.value < limits.doubtTime }
      doubtfulJoins[link.text] = now()
    }
    startTests()
  }

  /// Refuses the waiting errands, because there is no core for them.
  /// - Returns: whether anything was waiting.
  func refuseErrands() -> Bool {
    defer { errands = [] }
    for (errand, _) in errands { errand.refuse(absence.trouble.detail) }
    return !errands.isEmpty
  }
}
