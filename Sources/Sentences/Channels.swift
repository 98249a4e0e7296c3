// Refusals that are about channels and their relays.
extension RefusalSentence {
  /// A network without a relay to pick.
  public static func noEnabledRelays(network: String) -> Self {
    Self("no relay on \(network) is enabled", "Add one with batonctl relay add ADDRESS, or enable one")
  }

  /// A network on which no relay is known to offer groups.
  /// - Parameter untested: how many enabled relays were never tested.
  public static func noGroupRelays(network: String, untested: Int) -> Self {
    let what = "no enabled relay on \(network) is known to offer groups"
    guard untested > 0 else { return Self(what, "Name one with --relay") }
    return Self(
      "\(what), and \(untested) \(untested == 1 ? "was" : "were") never tested",
      "Run batonctl relay test --all, or name one with --relay")
  }

  /// Fewer relays than were asked for.
  public static func notEnoughRelays(wanted: Int, available: Int) -> Self {
    Self("not enough relays: \(wanted) requested, \(available) available")
  }

  /// More relays than a channel may have.
  public static func tooManyRelays(wanted: Int, max: Int) -> Self {
    Self("too many relays: \(wanted), at most \(max)")
  }

  /// A channel for which another daemon acts.
  /// - Parameter channel: `nil` for operators, servers, relays and identities.
  public static func elsewhere(channel: Int64?) -> Self {
    let what = channel.map { "channel \($0) belongs" } ?? "operators, servers, relays and identities belong"
    return Self("\(what) to another daemon right now", "Try again")
  }

  /// A relay that was picked and is no longer usable.
  public static let choiceChanged = Self("a picked relay was just disabled or removed", "Try again")

  /// A relay on another network than the channel.
  public static func networkMismatch(relayId: Int64) -> Self {
    Self("relay \(relayId) is on a different network from the others")
  }

  /// A relay that the channel has, or had.
  /// - Parameter status: of the relay in the channel, as its word on the wire.
  public static func alreadyInChannel(relayId relay: Int64, status: String) -> Self {
    guard status == "removed" else { return Self("the channel is already on relay \(relay), where it is \(status)") }
    return Self(
      "relay \(relay) was removed from this channel: a Nostr channel cannot add it again, and a SimpleX channel only once "
        + "the relay has confirmed the removal", "Choose another")
  }

  /// A relay that the channel does not have.
  /// - Parameter relay: which, for example relay 7.
  public static func notInChannel(relay: String) -> Self {
    Self("the channel is not on \(relay)", "See batonctl channel show")
  }

  /// The relay that a channel cannot do without.
  public static func lastRelay(id: Int64) -> Self {
    Self("this is the channel's last relay", "Add another first, or delete the channel")
  }

  /// A relay that does not offer groups.
  public static func noGroupSupport(relayId relay: Int64, reason: String) -> Self {
    Self("relay \(relay) does not support groups: \(reason)", "Choose another")
  }

  /// A group on several relays.
  public static let groupNeedsOneRelay = Self("a group uses exactly one relay", "Choose it with --relay")

  /// A channel that has no link yet.
  public static func noLink(id channel: Int64) -> Self {
    Self("channel \(channel) has no link yet: no relay has been active so far")
  }

  /// A field of a channel that is not allowed.
  public static func invalidProfile(field: String, reason: String) -> Self { Self("invalid \(field): \(reason)") }

  /// An image that is not allowed.
  public static func invalidImage(reason: String) -> Self { Self("invalid image: \(reason)") }

  /// A key that was used before.
  /// - Parameters:
  ///   - channel: that the key was used for.
  ///   - isDeleted: whether it was deleted since.
  public static func idempotencyKeyReused(id channel: Int64, deleted isDeleted: Bool) -> Self {
    Self(
      "this idempotency key created channel \(channel), \(isDeleted ? "which was deleted" : "with other parameters")",
      "Use another key for a new channel")
  }

  /// A change of a channel that others run.
  public static func notOwned(id channel: Int64) -> Self {
    Self("channel \(channel) is not yours: you only follow it", "To stop, run batonctl channel unfollow \(channel)")
  }

  /// A request to leave one of Baton's own channels.
  public static func owned(id channel: Int64) -> Self {
    Self(
      "channel \(channel) is yours, not a followed channel", "batonctl channel delete \(channel) deletes it for all readers")
  }

  /// A text that is not a link to a channel.
  public static func invalidLink(reason: String) -> Self { Self("this is not a link to a channel: \(reason)") }

  /// A link whose relays are all unknown.
  /// - Parameter addresses: the relays.
  public static func noKnownRelay(addresses: [String]) -> Self {
    let remedy = "Pass --relay, or add one only for reading with batonctl relay add ADDRESS --disabled"
    guard !addresses.isEmpty else { return Self("the link contains no relay", remedy) }
    return Self("none of the link's relays is configured: \(addresses.joined(separator: ", "))", remedy)
  }

  /// A channel that cannot be read.
  public static func notFollowable(reason: String) -> Self { Self("the channel cannot be followed: \(reason)") }
}
