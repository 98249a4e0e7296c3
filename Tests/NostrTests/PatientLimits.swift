import Nostr

extension NostrLimits {
  /// For relays that answer, on a machine that may have much else to do: nothing is given up that comes about.
  static var patient: NostrLimits {
    var limits = NostrLimits()
    (limits.dialTimeout, limits.informationTimeout, limits.authenticationTimeout) = (
      .seconds(120), .seconds(120), .seconds(120)
    )
    (limits.publishTimeout, limits.extraTimeout) = (.seconds(120), .seconds(120))
    (limits.readTimeout, limits.readBackTimeout) = (.seconds(120), .seconds(120))
    (limits.silenceMax, limits.idleTimeout) = (.seconds(600), .seconds(600))
    limits.redialFirst = .milliseconds(50)
    return limits
  }
}
