internal import Channels
internal import RelayNetwork

// Outcomes of relays and connections, in the words for posts.
extension DeliveryOutcome {
  /// The same outcome.
  init(_ outcome: RelayOutcome) {
    self =
      switch outcome {
      case .handedOver: .handedOver
      case .accepted, .announced: .accepted
      case .verified: .verified(edition: 1)
      case .missing: .missing
      case .withdrawn: .withdrawn
      case .refused(let trouble), .misbehaved(let trouble): .refused(trouble)
      case .troubled(let trouble, let retryAfter): .troubled(trouble, retryAfter: retryAfter)
      }
  }

  /// The outcome of handing over a post, or a request to delete one. If the words of a refusal give the event's age or size as the reason,
  /// the relay is left out.
  /// - Parameters:
  ///   - isDoubtful: whether the event was sent before and not answered. In that case no answer to the second one proves that the relay
  ///     does not have it.
  init(publishing outcome: RelayOutcome, isDoubtful: Bool) {
    let plain = DeliveryOutcome(outcome)
    switch plain {
    case .refused(let trouble):
      guard let misfit = Self.misfit(trouble) else {
        self = plain
        return
      }
      self = isDoubtful && misfit.cause == .tooOld ? .troubled(Self.doubt(misfit), retryAfter: nil) : .skipped(misfit)
    case .troubled(let trouble, let retryAfter) where isDoubtful && [.rateLimited, .authRequired].contains(trouble.cause):
      self = .troubled(Self.doubt(trouble), retryAfter: retryAfter)
    case .handedOver, .accepted, .verified, .missing, .withdrawn, .skipped, .troubled: self = plain
    }
  }

  private static func doubt(_ trouble: Trouble) -> Trouble {
    Trouble(.timeout, "it was sent before and not answered, and then: \(trouble.detail)")
  }

  /// The refusal as a refusal of the event's age or size, if the relay's words mean that, or `nil` for every other refusal. Relays agree on
  /// no words.
  private static func misfit(_ trouble: Trouble) -> Trouble? {
    guard trouble.cause == .rejected else { return nil }
    let words = trouble.detail.lowercased()
    func holds(_ texts: [String]) -> Bool { texts.contains { words.contains($0) } }
    if holds(["too large", "too big", "too long"]) || saysMaximum(words) { return Trouble(.tooLarge, trouble.detail) }
    // A date in the future may be right later.
    guard let refusal = DateRefusal(trouble.detail), refusal.side != .ahead else { return nil }
    return Trouble(.tooOld, trouble.detail)
  }

  /// Whether the words are like `max message length`.
  private static func saysMaximum(_ words: String) -> Bool {
    guard let start = words.firstRange(of: "max") else { return false }
    let rest = words[start.upperBound...]
    return rest.contains("length") || rest.contains("size")
  }
}
