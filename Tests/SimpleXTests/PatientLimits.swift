@testable import SimpleX

extension CoreLimits {
  /// For cores that answer, on a machine that may have much else to do: nothing is given up that comes about.
  static func patient(redial: Duration) -> CoreLimits {
    var limits = CoreLimits()
    (limits.dialTimeout, limits.localTimeout, limits.networkTimeout) = (.seconds(120), .seconds(120), .seconds(120))
    limits.silenceMax = .seconds(600)
    (limits.redialFirst, limits.redialMax) = (redial, redial * 2)
    return limits
  }
}
