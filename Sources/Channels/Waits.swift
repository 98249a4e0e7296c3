// Waiting times that grow, and that differ between objects that wait.
extension Duration {
  /// This duration doubled `times` times, but at most `longest`.
  func doubled(_ times: Int, upTo longest: Duration) -> Duration {
    var wait = self
    var round = 0
    while round < times && wait < longest {
      wait = wait * 2
      round += 1
    }
    return min(wait, longest)
  }

  /// This duration with a deviation of at most `percent` either way, the same for the same `seed`.
  func jittered(percent: Int, seed: UInt64) -> Duration {
    guard percent > 0 else { return self }
    var random = SplitMix64(seed: seed)
    let deviation = Int64.random(in: -Int64(percent)...Int64(percent), using: &random)
    return .milliseconds(wholeMilliseconds + wholeMilliseconds / 100 * deviation)
  }
}
