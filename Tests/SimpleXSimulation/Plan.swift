import Channels

/// What one run is made of. Every seed leaves some faults out, so that the others meet in ways in which all together never would.
struct Plan {
  let steps: Int
  let channelsMax: Int
  /// In percent of the commands: those that get no answer.
  let unanswered: Int
  /// In percent of the moments at which the worker waits: those in which something else happens.
  let bustle: Int
  /// In percent of the steps.
  let restarts: Int
  let hasBadRelays: Bool
  let hasOtherUsers: Bool
  let hasLosses: Bool
  let hasStrangers: Bool
  let hasStorageFaults: Bool
  let jitterSeed: UInt64

  init(random: inout SplitMix64) {
    func draw(_ percent: Int, _ range: ClosedRange<Int>) -> Int {
      let isOn = Int.random(in: 0..<100, using: &random) < percent
      let value = Int.random(in: range, using: &random)
      return isOn ? value : 0
    }
    steps = Int.random(in: 30...90, using: &random)
    channelsMax = Int.random(in: 1...5, using: &random)
    unanswered = draw(70, 2...20)
    bustle = draw(80, 5...25)
    restarts = draw(60, 2...8)
    hasBadRelays = draw(70, 1...1) == 1
    hasOtherUsers = draw(40, 1...1) == 1
    hasLosses = draw(50, 1...1) == 1
    hasStrangers = draw(50, 1...1) == 1
    hasStorageFaults = draw(40, 1...1) == 1
    jitterSeed = random.next()
  }
}
