import Channels
import Coordinator
import TestSupport

/// What one run is made of. Every seed leaves some faults out, so that the others meet in ways in which all together never would.
struct Plan: SeededPlan {
  let relays: Int
  let channelsMax: Int
  let steps: Int
  let policy: RelayPolicy
  let upkeep: UpkeepPolicy?
  /// In percent of the answers of relays.
  let lost: Int
  let doubled: Int
  let lies: Int
  let troubles: Int
  /// In thousandths of the looks at relays: those that find an edition dated after the newest.
  let strays: Int
  /// In thousandths of the steps.
  let crashes: Int
  let flaps: Int
  let storageFaults: Int
  /// In thousandths of the steps: those before which someone else changes a channel, the network gives one another name, or a relay
  /// loses one.
  let conflicts: Int
  let names: Int
  let losses: Int
  /// In thousandths of the steps: those before which channels move to another daemon, or come back.
  let moves: Int
  /// Whether a commit that failed may have become durable all the same.
  let hasDoubtfulCommits: Bool
  let hasReadFaults: Bool
  /// Whether the clock may be set back between two runs of the daemon.
  let hasClockJumps: Bool
  let hasCatalogChanges: Bool
  /// Relays that take no channels for good.
  let refusing: Set<Int>
  /// Inputs that one batch takes at most.
  let batchMax: Int

  init(random: inout SplitMix64) {
    relays = Int.random(in: 2...5, using: &random)
    channelsMax = Int.random(in: 1...4, using: &random)
    steps = Int.random(in: 0..<20, using: &random) == 0 ? 200 : Int.random(in: 25...70, using: &random)
    lost = random.draw(60, 2...30)
    doubled = random.draw(50, 2...25)
    lies = random.draw(40, 2...20)
    troubles = random.draw(60, 2...30)
    strays = random.draw(30, 20...200)
    crashes = random.draw(65, 10...100)
    flaps = random.draw(60, 50...600)
    storageFaults = random.draw(50, 10...150)
    hasDoubtfulCommits = random.draw(50)
    hasReadFaults = random.draw(40)
    hasClockJumps = random.draw(30)
    hasCatalogChanges = random.draw(40)
    refusing = random.draw(25) ? [Int.random(in: 1...relays, using: &random)] : []
    batchMax = [1, 4, 16, 64].randomElement(using: &random) ?? 1
    var policy = RelayPolicy()
    policy.jitterSeed = random.next()
    if random.draw(30) { policy.attemptsMax = 2 }
    if random.draw(20) { policy.farewellMax = .seconds(3_600) }
    if random.draw(20) { policy.verifyInterval = .seconds(1_200) }
    self.policy = policy
    var upkeep = UpkeepPolicy(interval: .seconds(600), replaceAfter: .seconds(1_800), replacementsPerChannel: 2)
    if random.draw(30) { upkeep.keepHistory = .seconds(7_200) }
    if random.draw(30) { upkeep.keepRows = 20 }
    self.upkeep = random.draw(50) ? upkeep : nil
    conflicts = random.draw(50, 20...200)
    names = random.draw(30, 10...60)
    losses = random.draw(40, 10...100)
    moves = random.draw(40, 20...200)
  }
}
