import Channels
import TestSupport

/// What one run with posts is made of. Every seed leaves some faults out.
struct PostPlan: SeededPlan {
  let relays: Int
  let channels: Int
  let postsMax: Int
  let steps: Int
  let policy: DeliveryPolicy
  /// In percent of the answers of relays.
  let lost: Int
  let doubled: Int
  let lies: Int
  let troubles: Int
  let limits: Int
  /// In thousandths of the steps.
  let crashes: Int
  let flaps: Int
  let losses: Int
  /// In percent of the posts that are ordered: edits of others, and those for later.
  let edits: Int
  let schedules: Int
  let moves: Int
  /// In thousandths of the steps: those before which channels move to another daemon, or come back.
  let handovers: Int
  let storageFaults: Int
  /// Whether a commit may fail of which no one knows whether it is durable.
  let hasDoubtfulCommits: Bool
  let hasRefusals: Bool
  let hasReadFaults: Bool
  /// Relays that take no posts for good.
  let refusing: Set<Int>
  /// Inputs that one batch takes at most.
  let batchMax: Int

  init(random: inout SplitMix64) {
    relays = Int.random(in: 1...4, using: &random)
    channels = Int.random(in: 1...2, using: &random)
    // Sometimes more than a page, and than a lane holds.
    let hasMany = Int.random(in: 0..<12, using: &random) == 0
    postsMax = hasMany ? Int.random(in: 100...180, using: &random) : Int.random(in: 1...8, using: &random)
    steps = hasMany ? 150 : Int.random(in: 25...80, using: &random)
    lost = random.draw(60, 2...30)
    doubled = random.draw(50, 2...25)
    lies = random.draw(40, 2...20)
    troubles = random.draw(60, 2...30)
    limits = random.draw(40, 5...40)
    crashes = random.draw(65, 10...100)
    flaps = random.draw(60, 50...600)
    losses = random.draw(30, 10...80)
    edits = random.draw(50, 10...60)
    schedules = random.draw(40, 10...60)
    moves = random.draw(60, 10...120)
    storageFaults = random.draw(55, 10...150)
    hasDoubtfulCommits = random.draw(60)
    hasRefusals = random.draw(30)
    hasReadFaults = random.draw(40)
    refusing = random.draw(20) ? [Int.random(in: 1...relays, using: &random)] : []
    batchMax = [1, 3, 16, 64].randomElement(using: &random) ?? 1
    var policy = DeliveryPolicy()
    policy.jitterSeed = random.next()
    handovers = random.draw(40, 20...200)
    if random.draw(30) { policy.attemptsMax = 2 }
    if random.draw(30) { policy.queueAllowance = .seconds(60) }
    self.policy = policy
  }
}
