import Channels

extension SelectionPolicy {
  /// Puts the eligible candidates into the order in which they should be used: the first N are the choice for N.
  /// - Parameters:
  ///   - candidates: in any order; the result does not depend on it.
  ///   - seed: the same seed and loads give the same order.
  ///   - limit: how many are needed.
  ///   - members: what the channel has already.
  ///   - load: how many channels a relay carries.
  static func order(
    _ candidates: [Candidate], seed: UInt64, limit: Int = .max, beside members: Members = Members(),
    load: (RelayID) -> Int = { _ in 0 }
  ) -> [RelayID] {
    Pool(candidates).order(seed: seed, limit: limit, beside: members, load: load)
  }
}
