import Testing

/// A session with a relay of which the seed is all there is.
protocol SeededSession {
  init(seed: UInt64)
  /// Lives through it to its end.
  mutating func run()
  /// The first rule that was violated.
  var trouble: String? { get }
  /// What happened.
  var log: [String] { get }
}

extension SeededSession {
  static func expectNoTrouble(seeds: ClosedRange<UInt64>) {
    for seed in seeds {
      var session = Self(seed: seed)
      session.run()
      #expect(session.trouble == nil, "seed \(seed): \(session.trouble ?? "")")
    }
  }

  static func expectSameRunOfSameSeed() {
    for seed in 1...5 as ClosedRange<UInt64> {
      var (first, second) = (Self(seed: seed), Self(seed: seed))
      first.run()
      second.run()
      #expect(first.log == second.log && !first.log.isEmpty)
    }
  }
}
