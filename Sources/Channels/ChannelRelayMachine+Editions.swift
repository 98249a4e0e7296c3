// What an active relay shows to readers, and how it gets to the channel's newest edition.
extension ChannelRelayMachine.Step {
  /// A reader found the channel, in this edition.
  mutating func becomeActive(_ link: String, shows edition: Int) {
    machine.shown = min(edition, machine.edition)
    enter(.active(link: link, check: nil))
    foundTrue()
    if machine.shown < machine.edition { catchUp(link) }
  }

  /// Hands the newest edition over, from the first attempt on.
  mutating func catchUp(_ link: String) {
    machine.state = .active(link: link, check: fresh(.announce))
    perform(.announce)
  }

  /// A reader found this edition at an active relay.
  mutating func found(_ edition: Int, _ check: Work, _ link: String) {
    let before = machine.shown
    machine.shown = min(edition, machine.edition)
    foundTrue()
    if machine.shown == machine.edition {
      guard before < machine.shown else {
        machine.state = .active(link: link, check: nil)
        return
      }
      enter(.active(link: link, check: nil), "readers find edition \(machine.shown) of the profile")
    } else if check.task == .confirm || before == machine.edition {
      // What was said to be there is not: at once again would go round in circles with a relay that lies or forgets.
      let trouble = Trouble(.missing, "the relay took the new profile but does not show it")
      var wait = policy.slowRetry
      for _ in 1..<min(check.attempt, 16) where wait < policy.verifyInterval { wait = wait * 2 }
      announceLater(check, trouble, link, after: min(wait, policy.verifyInterval))
    } else {
      catchUp(link)
    }
  }

  /// An operation on an active relay did not succeed, which may pass.
  mutating func troubledWhenActive(_ check: Work, _ trouble: Trouble, _ retryAfter: Duration?, _ link: String) {
    guard check.task == .announce else { return doubt(check, trouble, retryAfter, link) }
    if let next = retry(check, after: trouble, retryAfter: retryAfter) {
      enter(.active(link: link, check: next), trouble)
    } else {
      announceLater(check, trouble, link, after: policy.slowRetry)
    }
  }

  /// Announces again after a long while; sooner by request, or when the relay returns.
  mutating func announceLater(_ check: Work, _ trouble: Trouble, _ link: String, after wait: Duration) {
    let until = now + policy.jittered(wait, salt: machine.salt &+ UInt64(truncatingIfNeeded: machine.operation))
    let next = Work(
      .announce, attempt: check.attempt + 1, startedAt: now, progress: .waiting(until: until), lastTrouble: trouble)
    enter(.active(link: link, check: next), trouble)
  }

  func isWaitingToAnnounce(_ check: Work?) -> Bool {
    guard let check, check.task == .announce, case .waiting = check.progress else { return false }
    return true
  }
}
