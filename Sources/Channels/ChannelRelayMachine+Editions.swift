// The edition that an active relay shows to readers, and how it gets the channel's newest one.
extension ChannelRelayMachine.Step {
  /// Records that a reader found the channel, in this edition.
  mutating func becomeActive(_ link: String, shows edition: Int, _ others: OtherEditions) {
    let before = machine.shown
    machine.shown = min(edition, machine.edition)
    enter(.active(link: link, work: nil))
    machine.complaint = nil
    foundTrue()
    guard machine.shown < machine.edition else { return }
    if others == .newer, before > machine.shown { complain(Self.crowdedOut(), link) } else { catchUp(link) }
  }

  /// Announces the newest edition, starting with the first attempt.
  mutating func catchUp(_ link: String) {
    machine.complaint = nil
    machine.state = .active(link: link, work: fresh(.announce))
    perform(.announce)
  }

  /// Records that a reader found this edition at an active relay.
  mutating func found(_ edition: Int, _ others: OtherEditions, _ work: Work, _ link: String) {
    let before = machine.shown
    machine.shown = min(edition, machine.edition)
    foundTrue()
    if machine.shown == machine.edition {
      machine.complaint = nil
      guard before < machine.shown else {
        machine.state = .active(link: link, work: nil)
        return
      }
      enter(.active(link: link, work: nil), "readers find edition \(machine.shown) of the profile")
    } else if isCrowdedOut(others, since: before, work) {
      guard let known = work.lastTrouble, known.cause == .onePerAuthor, before == machine.shown else {
        return complain(Self.crowdedOut(), link)
      }
      // Nothing has changed.
      machine.state = .active(link: link, work: nil)
      machine.complaint = known
    } else if work.task == .verifyAnnounced, let trouble = work.lastTrouble, trouble.cause == .storage {
      // The relay did not accept the edition, and has nothing else in its place.
      announceLater(work, trouble, nil, link)
    } else if work.task == .verifyAnnounced {
      let trouble = Trouble(.missing, "the relay took the new profile but does not show it")
      // It is read back a few times, because a relay may show an edition late. Announcing again immediately would never end if it lies.
      if let next = retry(work, after: trouble, retryAfter: nil, attemptsMax: policy.verifyAttemptsMax) {
        enter(.active(link: link, work: next), trouble)
      } else {
        complain(trouble, link)
      }
    } else {
      catchUp(link)
    }
  }

  /// Handles an operation on an active relay that failed for a reason that may pass.
  mutating func troubledWhenActive(_ work: Work, _ trouble: Trouble, _ retryAfter: Duration?, _ link: String) {
    guard work.task == .announce else { return doubt(work, trouble, retryAfter, link) }
    guard trouble.cause == .storage else { return announceLater(work, trouble, retryAfter, link) }
    // The answer leaves open whether the relay has the edition, or a newer event in its place. Reading back will show it.
    let next = Work(
      .verifyAnnounced, attempt: work.attempt, startedAt: work.startedAt, progress: fresh(.verifyAnnounced).progress,
      lastTrouble: trouble)
    enter(.active(link: link, work: next), trouble)
    perform(.verifyAnnounced)
  }

  private mutating func announceLater(_ work: Work, _ trouble: Trouble, _ retryAfter: Duration?, _ link: String) {
    let announcement = Work(
      .announce, attempt: work.attempt, startedAt: work.startedAt, progress: work.progress, lastTrouble: trouble)
    let next =
      retry(announcement, after: trouble, retryAfter: retryAfter)
      ?? slow(.announce, after: trouble, attempt: work.attempt + 1, atLeast: retryAfter)
    enter(.active(link: link, work: next), trouble)
  }

  // MARK: - Relays that keep one edition per author

  /// Whether the relay keeps one edition per author, and has another channel's now, so that announcing this one would be in vain, or
  /// would replace the other.
  /// - Parameter before: the edition that was found there the last time.
  private func isCrowdedOut(_ others: OtherEditions, since before: Int, _ work: Work) -> Bool {
    let isKnown = work.lastTrouble?.cause == .onePerAuthor
    return switch others {
    case .none, .several: false
    case .unknown, .older: isKnown
    case .newer: isKnown || work.task == .verifyAnnounced || before > machine.shown
    }
  }

  /// - Parameter words: the relay's own words.
  static func crowdedOut(_ words: String = "") -> Trouble {
    Trouble(
      .onePerAuthor,
      "the relay keeps the profile of one channel per author, and has the profile of another channel of this identity"
        + (words.isEmpty ? "" : ": \(words)"))
  }

  static let spared = Trouble(
    .onePerAuthor,
    "the relay keeps the profile of one channel per author, so it gets no edition that only names other relays")

  /// Skips this relay when an edition is announced. It keeps the edition that it has.
  mutating func spare(_ link: String) {
    // The reason for which it shows an old edition is known already.
    guard machine.complaint?.cause != .onePerAuthor else { return }
    enter(.active(link: link, work: nil), Self.spared)
    machine.complaint = Self.spared
  }

  /// Gives up announcing the newest edition: the relay remains active with an old one. It is asked again by request, or after it was next
  /// read back, which needs no timer.
  mutating func complain(_ trouble: Trouble, _ link: String) {
    foundTrue()
    enter(.active(link: link, work: nil), trouble)
    machine.complaint = trouble
  }

  func isWaitingToAnnounce(_ work: Work?) -> Bool {
    guard let work, work.task == .announce, case .waiting = work.progress else { return false }
    return true
  }
}
