// What an active relay shows to readers, and how it gets to the channel's newest edition.
extension ChannelRelayMachine.Step {
  /// A reader found the channel, in this edition.
  mutating func becomeActive(_ link: String, shows edition: Int) {
    machine.shown = min(edition, machine.edition)
    enter(.active(link: link, check: nil))
    machine.complaint = nil
    foundTrue()
    if machine.shown < machine.edition { catchUp(link) }
  }

  /// Hands the newest edition over, from the first attempt on.
  mutating func catchUp(_ link: String) {
    machine.complaint = nil
    machine.state = .active(link: link, check: fresh(.announce))
    perform(.announce)
  }

  /// A reader found this edition at an active relay.
  mutating func found(_ edition: Int, _ check: Work, _ link: String) {
    let before = machine.shown
    machine.shown = min(edition, machine.edition)
    foundTrue()
    if machine.shown == machine.edition {
      machine.complaint = nil
      guard before < machine.shown else {
        machine.state = .active(link: link, check: nil)
        return
      }
      enter(.active(link: link, check: nil), "readers find edition \(machine.shown) of the profile")
    } else if check.task == .confirm {
      let trouble = Trouble(.missing, "the relay took the new profile but does not show it")
      // A few looks, because a relay may show late what it took. Announcing at once again would go round in circles with one that lies.
      if let next = retry(check, after: trouble, retryAfter: nil, attemptsMax: policy.readBacksMax) {
        enter(.active(link: link, check: next), trouble)
      } else {
        complain(trouble, link)
      }
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
      enter(.active(link: link, check: slow(.announce, after: trouble, attempt: check.attempt + 1)), trouble)
    }
  }

  /// The relay does not come to the newest edition: it stays active with an old one, and is asked again after it was read back the next
  /// time, which costs no timer; or by request.
  mutating func complain(_ trouble: Trouble, _ link: String) {
    foundTrue()
    enter(.active(link: link, check: nil), trouble)
    machine.complaint = trouble
  }

  func isWaitingToAnnounce(_ check: Work?) -> Bool {
    guard let check, check.task == .announce, case .waiting = check.progress else { return false }
    return true
  }
}
