// What an active relay shows to readers, and how it gets to the channel's newest edition.
extension ChannelRelayMachine.Step {
  /// A reader found the channel, in this edition.
  mutating func becomeActive(_ link: String, shows edition: Int, _ others: OtherEditions) {
    let before = machine.shown
    machine.shown = min(edition, machine.edition)
    enter(.active(link: link, check: nil))
    machine.complaint = nil
    foundTrue()
    guard machine.shown < machine.edition else { return }
    if others == .newer, before > machine.shown { complain(Self.crowdedOut(), link) } else { catchUp(link) }
  }

  /// Hands the newest edition over, from the first attempt on.
  mutating func catchUp(_ link: String) {
    machine.complaint = nil
    machine.state = .active(link: link, check: fresh(.announce))
    perform(.announce)
  }

  /// A reader found this edition at an active relay.
  mutating func found(_ edition: Int, _ others: OtherEditions, _ check: Work, _ link: String) {
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
    } else if isCrowdedOut(others, since: before, check) {
      guard let known = check.lastTrouble, known.cause == .onePerAuthor, before == machine.shown else {
        return complain(Self.crowdedOut(), link)
      }
      // As it was.
      machine.state = .active(link: link, check: nil)
      machine.complaint = known
    } else if check.task == .confirm, let trouble = check.lastTrouble, trouble.cause == .storage {
      // The relay did not take it, and has nothing else in its place.
      announceLater(check, trouble, nil, link)
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
    guard trouble.cause == .storage else { return announceLater(check, trouble, retryAfter, link) }
    // The relay answered, and did not say whether it has the edition, or something newer in its place: a look tells.
    let look = Work(
      .confirm, attempt: check.attempt, startedAt: check.startedAt, progress: fresh(.confirm).progress, lastTrouble: trouble)
    enter(.active(link: link, check: look), trouble)
    perform(.confirm)
  }

  private mutating func announceLater(_ check: Work, _ trouble: Trouble, _ retryAfter: Duration?, _ link: String) {
    let announcement = Work(
      .announce, attempt: check.attempt, startedAt: check.startedAt, progress: check.progress, lastTrouble: trouble)
    let next =
      retry(announcement, after: trouble, retryAfter: retryAfter)
      ?? slow(.announce, after: trouble, attempt: check.attempt + 1, atLeast: retryAfter)
    enter(.active(link: link, check: next), trouble)
  }

  // MARK: - Relays that keep one edition per author

  /// Whether the relay keeps the edition of one channel per author, and that is another one's: so that announcing this one would be for
  /// nothing, or at the other's expense.
  /// - Parameter before: the edition that was found there the last time.
  private func isCrowdedOut(_ others: OtherEditions, since before: Int, _ check: Work) -> Bool {
    let isKnown = check.lastTrouble?.cause == .onePerAuthor
    return switch others {
    case .none, .several: false
    case .unknown, .older: isKnown
    case .newer: isKnown || check.task == .confirm || before > machine.shown
    }
  }

  /// - Parameter words: what the relay said of it.
  static func crowdedOut(_ words: String = "") -> Trouble {
    Trouble(
      .onePerAuthor,
      "the relay keeps the profile of one channel per author, and has that of another channel of this identity"
        + (words.isEmpty ? "" : ": \(words)"))
  }

  static let spared = Trouble(
    .onePerAuthor,
    "the relay keeps the profile of one channel per author, and is not told of an edition that only names other relays")

  /// The relay is not told of an edition. It stays with the one that it has.
  mutating func spare(_ link: String) {
    // Why it shows an old edition is known already.
    guard machine.complaint?.cause != .onePerAuthor else { return }
    enter(.active(link: link, check: nil), Self.spared)
    machine.complaint = Self.spared
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
