import Channels
import TestSupport

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
    steps = Int.random(in: 30...90, using: &random)
    channelsMax = Int.random(in: 1...5, using: &random)
    unanswered = random.draw(70, 2...20)
    bustle = random.draw(80, 5...25)
    restarts = random.draw(60, 2...8)
    hasBadRelays = random.draw(70)
    hasOtherUsers = random.draw(40)
    hasLosses = random.draw(50)
    hasStrangers = random.draw(50)
    hasStorageFaults = random.draw(40)
    jitterSeed = random.next()
  }
}
