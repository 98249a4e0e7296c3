import Channels
import Cluster
import TestTools
import Testing

/// Sessions and slots of several daemons.
@Suite(.timeLimit(.minutes(10)))
struct ClusterTests {
  private static let calm = Duration.seconds(30)

  private static func seeds(_ count: UInt64) -> ClosedRange<UInt64> {
    Seeds.repeated.map { $0...$0 } ?? 1...min(Seeds.wanted ?? count, 20 * count)
  }

  /// Whatever is lost, late, asleep or killed: no slot ever has two who act on it, and when it is over all is shared out.
  @Test(arguments: [1, 2, 3, 4])
  func twoNeverActAtOnceAndNothingIsLeftAlone(_ nodes: Int) {
    var all = ClusterSimulation.Tally()
    for seed in Self.seeds(40) {
      var faults = ClusterSimulation.Faults()
      (faults.lossy, faults.troubleEvery, faults.hasOutages) = (10, .seconds(4), true)
      // Some have a chat core, and so a slot of their own.
      let cores = Set((0..<nodes).filter { (seed >> UInt64($0)) & 1 == 1 })
      var simulation = ClusterSimulation(seed: seed, nodes: nodes, cores: cores, faults)
      simulation.pass(.seconds(60))
      // The last sleep, outage or start may last for a while.
      simulation.pass(.seconds(13) + ClusterSimulation.lifetime + .seconds(3))
      #expect(simulation.idleNow <= ClusterSimulation.lifetime + .seconds(3), "seed \(seed): \(simulation.shares)")
      simulation.pass(Self.calm)
      let shares = simulation.shares
      #expect(shares.reduce(0, +) == ClusterSimulation.slots - cores.count, "seed \(seed): \(shares)")
      #expect(simulation.coresServed == cores.sorted(), "seed \(seed)")
      #expect((shares.max() ?? 0) - (shares.min() ?? 0) <= 1, "seed \(seed): \(shares)")
      #expect(simulation.violations.isEmpty, "seed \(seed): \(simulation.violations)")
      let tally = simulation.tally
      all.sessions += tally.sessions
      all.takenOver += tally.takenOver
      all.releases += tally.releases
      all.suspensions += tally.suspensions
      all.pauses += tally.pauses
      all.crashes += tally.crashes
      all.outages += tally.outages
      all.late += tally.late
    }
    // The faults must have happened, or the rest says nothing.
    #expect(all.sessions > nodes && all.takenOver > 0 && all.suspensions > 0 && all.late > 0, "\(all)")
    #expect(all.pauses > 0 && all.crashes > 0 && all.outages > 0, "\(all)")
    #expect(nodes == 1 || all.releases > 0)
  }

  /// Someone else has the slots of a daemon that was killed within the lifetime of its session and three seconds.
  @Test func slotsOfADeadDaemonAreTakenInTime() {
    for seed in Self.seeds(20) {
      var simulation = ClusterSimulation(seed: seed, nodes: 3, .init())
      simulation.pass(.seconds(20))
      #expect(simulation.shares == [8, 8, 8], "seed \(seed)")
      simulation.countIdleFromNow()
      simulation.crash(Int(seed % 3), startsAfter: nil)
      simulation.pass(.seconds(20))
      #expect(simulation.shares.sorted() == [0, 12, 12], "seed \(seed): \(simulation.shares)")
      #expect(simulation.idleMax <= ClusterSimulation.lifetime + .seconds(3), "seed \(seed): \(simulation.idleMax)")
      #expect(simulation.violations.isEmpty)
    }
  }

  /// A daemon that starts again gets back what it had: the others neither take it nor let go of anything.
  @Test func restartMovesNothingFromOthers() {
    for seed in Self.seeds(20) {
      var simulation = ClusterSimulation(seed: seed, nodes: 3, .init())
      simulation.pass(.seconds(40))
      let releases = simulation.tally.releases
      simulation.crash(0, startsAfter: .seconds(2))
      simulation.pass(.seconds(20))
      #expect(simulation.shares == [8, 8, 8], "seed \(seed): \(simulation.shares)")
      #expect(simulation.tally.releases == releases, "seed \(seed)")
    }
  }

  @Test(arguments: [(1, [60]), (2, [30, 30]), (7, [9, 9, 9, 9, 8, 8, 8])])
  func sharesAreFairAndComeOutEven(_ count: Int, _ shares: [Int]) {
    let living = (1...count).map { SessionMachine.ID($0 * 3) }
    #expect(living.map { BalanceMachine.share(of: $0, among: living, total: 60) } == shares)
    #expect(BalanceMachine.share(of: 1, among: living, total: 60) == 0, "who does not live has none")
  }

  /// The channels of a chat core wait for their daemon, whatever becomes of it, and all others go to someone else.
  @Test func slotsOfACoreWaitForTheirDaemon() {
    for seed in Self.seeds(20) {
      var simulation = ClusterSimulation(seed: seed, nodes: 3, cores: [1], .init())
      simulation.pass(.seconds(40))
      #expect(simulation.shares.sorted() == [7, 8, 8] && simulation.coresServed == [1], "seed \(seed): \(simulation.shares)")
      simulation.crash(1, startsAfter: .seconds(60))
      simulation.pass(.seconds(50))
      #expect(
        simulation.shares.sorted() == [0, 11, 12] && simulation.coresServed.isEmpty, "seed \(seed): \(simulation.shares)")
      simulation.pass(.seconds(50))
      #expect(simulation.shares.sorted() == [7, 8, 8] && simulation.coresServed == [1], "seed \(seed): \(simulation.shares)")
      #expect(simulation.violations.isEmpty, "seed \(seed): \(simulation.violations)")
    }
  }

  // MARK: - Sessions

  private typealias Change = SessionMachine.Change

  /// A session that was begun at second 0, with the answer at second 1.
  private func session() -> SessionMachine {
    var machine = SessionMachine(.init(lifetime: .seconds(6), margin: .seconds(1), retry: .seconds(1)), now: .zero)
    #expect(machine.handle(.time, at: .zero) == ([], .begin(1)))
    #expect(machine.handle(.began(7, 1), at: .seconds(1)) == ([.began(7)], nil))
    return machine
  }

  @Test func trustBeginsBeforeTheQuestionAndEndsByItself() {
    var machine = session()
    #expect(machine.isTrusted(at: .milliseconds(4_999)) && !machine.isTrusted(at: .seconds(5)))
    #expect(machine.wakeAt == .seconds(2))
    #expect(machine.handle(.time, at: .seconds(2)) == ([], .renew(7, 2)))
    #expect(machine.wakeAt == .seconds(5), "the end of trust is not missed while the question is under way")
    #expect(machine.handle(.time, at: .seconds(5)) == ([.suspended], nil))
    // Counted from when it was asked, and not from when the answer came.
    #expect(machine.handle(.renewed(2), at: .seconds(6)) == ([.resumed], .renew(7, 3)))
    #expect(machine.isTrusted(at: .milliseconds(6_999)) && !machine.isTrusted(at: .seconds(7)))
  }

  @Test func answerThatCameTooLateIsNotTrusted() {
    var machine = session()
    _ = machine.handle(.time, at: .seconds(2))
    #expect(machine.handle(.renewed(2), at: .seconds(9)) == ([.suspended], .renew(7, 3)))
    #expect(!machine.isTrusted(at: .seconds(9)))
    var slow = SessionMachine(.init(lifetime: .seconds(6), margin: .seconds(1)), now: .zero)
    _ = slow.handle(.time, at: .zero)
    #expect(slow.handle(.began(7, 1), at: .seconds(8)) == ([.began(7), .suspended], .renew(7, 2)))
  }

  @Test func failuresAreNoRenewalsAndAreTriedAgain() {
    var machine = session()
    _ = machine.handle(.time, at: .seconds(2))
    #expect(machine.handle(.unanswered(2), at: .seconds(3)) == ([], nil))
    #expect(machine.wakeAt == .seconds(4))
    #expect(machine.handle(.time, at: .seconds(4)) == ([], .renew(7, 3)))
    #expect(machine.handle(.unanswered(3), at: .seconds(5)) == ([.suspended], nil))
    #expect(machine.handle(.time, at: .seconds(6)) == ([], .renew(7, 4)))
    #expect(machine.handle(.gone(7), at: .seconds(7)) == ([.ended(7)], .begin(5)), "a new one is begun at once")
    #expect(machine.session == nil && !machine.isTrusted(at: .seconds(7)))
    #expect(machine.handle(.unanswered(5), at: .seconds(8)) == ([], nil))
    #expect(machine.handle(.time, at: .milliseconds(8_999)) == ([], nil))
    #expect(machine.handle(.time, at: .seconds(9)) == ([], .begin(6)))
  }

  /// An answer to an earlier question says nothing about the one under way.
  @Test func answersToOtherQuestionsChangeNothing() {
    var machine = session()
    #expect(machine.handle(.renewed(1), at: .milliseconds(1_500)) == ([], nil))
    _ = machine.handle(.time, at: .seconds(2))
    _ = machine.handle(.unanswered(2), at: .milliseconds(2_500))
    #expect(machine.handle(.time, at: .milliseconds(3_500)) == ([], .renew(7, 3)))
    // The renewal that was asked for at second 2 came through, and no one knows when.
    #expect(machine.handle(.renewed(2), at: .seconds(4)) == ([], nil))
    #expect(!machine.isTrusted(at: .seconds(5)))
    #expect(machine.handle(.began(9, 2), at: .seconds(4)) == ([], nil) && machine.session == 7)
    #expect(machine.handle(.gone(6), at: .seconds(4)) == ([], nil) && machine.session == 7, "of an earlier session")
    #expect(machine.handle(.renewed(3), at: .milliseconds(4_500)) == ([], nil))
    #expect(machine.isTrusted(at: .seconds(8)), "the answer to the question under way counts")
    var none = SessionMachine(.init(), now: .seconds(1))
    #expect(none.handle(.renewed(1), at: .zero) == ([], nil) && none.handle(.gone(7), at: .zero) == ([], nil))
  }

  // MARK: - Balance

  @Test func slotsMoveOnlyWhenThingsAreCalm() {
    var machine = BalanceMachine(.init(calm: .seconds(10)))
    func view(_ living: [Int64], own: Int, free: Int = 0, expired: [Int64] = []) -> BalanceMachine.View {
      .init(living: living, expired: expired, own: Array(0..<own), free: free, total: 60)
    }
    #expect(machine.next(for: 1, view([1], own: 0, free: 60), at: .zero) == .claim(60))
    #expect(machine.next(for: 1, view([1], own: 60), at: .seconds(1)) == nil)
    #expect(machine.next(for: 1, view([1, 2], own: 60), at: .seconds(20)) == nil, "someone has just come")
    #expect(machine.next(for: 1, view([1, 2], own: 60), at: .seconds(29)) == nil)
    #expect(machine.next(for: 1, view([1, 2], own: 60), at: .seconds(30)) == .release(Array(30..<60)))
    #expect(machine.next(for: 1, view([1], own: 30, expired: [2]), at: .seconds(31)) == nil, "it may be renewed in a moment")
    #expect(machine.next(for: 1, view([1], own: 30, expired: [2]), at: .seconds(32)) == .takeOver([2]))
    #expect(machine.next(for: 1, view([1], own: 30, free: 30), at: .seconds(32)) == .claim(30))
    #expect(machine.next(for: 1, view([1, 3], own: 10, free: 5), at: .seconds(33)) == .claim(5), "no more than there are")
    #expect(machine.next(for: 1, view([1, 3], own: 30, free: 30), at: .seconds(34)) == nil, "those are for the other")
  }

  @Test func whoIsDrainedGivesAllAtOnceAndTakesNone() {
    var machine = BalanceMachine(.init(calm: .seconds(10), grace: .seconds(1)))
    func view(_ living: [Int64], own: Int, free: Int = 0, draining: [Int64]) -> BalanceMachine.View {
      .init(living: living, expired: [], own: Array(0..<own), free: free, total: 12, draining: draining)
    }
    #expect(machine.next(for: 1, view([1, 2], own: 6, draining: [1]), at: .zero) == .release(Array(0..<6)))
    #expect(machine.next(for: 1, view([1, 2], own: 0, free: 6, draining: [1]), at: .zero) == nil)
    // The others have more then.
    var other = BalanceMachine(.init(calm: .seconds(10), grace: .seconds(1)))
    #expect(other.next(for: 2, view([1, 2], own: 6, free: 6, draining: [1]), at: .zero) == .claim(6))
    // Someone must have them.
    #expect(machine.next(for: 1, view([1], own: 6, free: 6, draining: [1]), at: .zero) == .claim(6))
    #expect(machine.next(for: 1, view([1, 2], own: 6, draining: [1, 2]), at: .seconds(60)) == nil)
  }

  @Test func slotForACoreIsPinnedAndTaken() {
    var machine = BalanceMachine(.init(calm: .seconds(10), grace: .zero))
    func view(_ core: BalanceMachine.CoreSlot, own: Int = 10, free: Int = 0, misplaced: [Int] = [], draining: [Int64] = [])
      -> BalanceMachine.View
    {
      .init(
        living: [1, 2], expired: [], own: Array(0..<own), free: free, total: 20, draining: draining, misplaced: misplaced,
        core: core)
    }
    // Nothing is taken before.
    for _ in 0..<3 { #expect(machine.next(for: 1, view(.missing, own: 0, free: 10), at: .zero) == .pin) }
    #expect(machine.next(for: 1, view(.awaited(19), own: 0, free: 10), at: .zero) == .claim(10))
    #expect(machine.next(for: 1, view(.awaited(19)), at: .zero) == nil)
    #expect(machine.next(for: 1, view(.free(19), own: 0, free: 10), at: .zero) == .claimPinned)
    // Someone may hang with it, and that holds up nothing else.
    #expect(machine.next(for: 1, view(.free(19), own: 0, free: 10), at: .zero) == .claim(10))
    #expect(machine.next(for: 1, view(.free(19)), at: .zero) == .claimPinned)
    #expect(machine.next(for: 1, view(.own(19)), at: .zero) == nil)
    // What is pinned to someone else is let go of at once.
    #expect(machine.next(for: 1, view(.own(19), misplaced: [18]), at: .seconds(1)) == .release([18]))
    // It is not drained, because no one else could act for its channels.
    #expect(machine.next(for: 1, view(.own(19), own: 2, draining: [1]), at: .seconds(2)) == .release([0, 1]))
    #expect(machine.next(for: 1, view(.own(19), own: 0, draining: [1]), at: .seconds(3)) == nil)
  }

  /// One that cannot be taken over holds up nothing else, and no one takes over their own.
  @Test func takeoverThatFailsHoldsUpNothing() {
    var machine = BalanceMachine(.init(calm: .seconds(10), grace: .zero))
    let view = BalanceMachine.View(living: [], expired: [1, 2], own: [], free: 20, total: 60)
    #expect(machine.next(for: 1, view, at: .zero) == .takeOver([2]))
    #expect(machine.next(for: 1, view, at: .seconds(1)) == .claim(20))
    #expect(machine.next(for: 1, view, at: .seconds(2)) == .takeOver([2]))
  }
}
