import Nostr

extension NostrLimits {
  /// Limits for relays that do answer, on a machine that may be busy: nothing that would succeed is given up.
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
