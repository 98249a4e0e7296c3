import Channels
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Coordinator

/// The shell with a decider that knows nothing of channels: it adds numbers, of which each is a request.
struct ShellTests {
  @Test func effectsFollowTheCommitAndAnswersTheEffects() async {
    let shell = AdderShell()
    await shell.take([1, 2])
    #expect(shell.log == ["read 2"], "nothing follows before it is durable")
    await shell.land()
    #expect(shell.log == ["read 2", "commit 3", "effect 3", "answer 1", "answer 2"])
    #expect(shell.decider.total == 3 && shell.told.last == 0 && shell.wakes == 2)
    #expect(shell.kept == 0, "what is told of it comes after no one needs it any more")
  }

  @Test func whatComesDuringACommitIsTheNextOne() async {
    let shell = AdderShell()
    await shell.take([1])
    await shell.take([2])
    await shell.take([3])
    #expect(shell.told.last == 2, "two inputs wait for the commit under way")
    await shell.rest()
    #expect(shell.commitLines == ["commit 1", "commit 5"] && shell.decider.total == 6)
  }

  @Test func inputsWaitWhenTheNextCommitIsFull() async {
    let shell = AdderShell()
    await shell.take([1])
    await shell.take(Array(repeating: 1, count: 600))
    #expect(shell.commitLines.isEmpty)
    await shell.take([1])
    #expect(shell.commitLines == ["commit 1"], "the first one had to end before more was decided")
  }

  @Test func failureDropsWhatWasDecidedOnTop() async {
    let shell = AdderShell(.unavailable("disk is gone"))
    await shell.take([1])
    await shell.take([2])
    await shell.land()
    #expect(shell.log.suffix(4) == ["commit 1", "effect 0", "refuse 1: disk is gone", "refuse 2: disk is gone"])
    #expect(shell.decider.total == 0 && shell.flight == nil && !shell.decider.isOpen)
    await shell.take([4])
    await shell.rest()
    #expect(shell.decider.total == 4)
  }

  @Test func nothingIsCommittedWhileItIsNotKnownWhatIsStored() async {
    let shell = AdderShell(.inDoubt("no answer"))
    await shell.take([1])
    await shell.land()
    shell.canSettle = false
    await shell.take([2])
    #expect(shell.commitLines == ["commit 1"] && shell.log.last == "refuse 2: no answer")
    shell.decider.chores = [7]
    await shell.take([])
    #expect(shell.commitLines == ["commit 1"], "no chore either")
    shell.decider.chores = []
    shell.canSettle = true
    await shell.take([3])
    await shell.rest()
    #expect(shell.commitLines == ["commit 1", "commit 3"] && shell.decider.total == 4, "the first one was durable")
  }

  @Test func nothingIsDoneForWhatBelongsToSomebodyElse() async {
    let shell = AdderShell(.fenced("taken over"))
    await shell.take([1])
    await shell.land()
    #expect(shell.fenced != nil && shell.log.suffix(2) == ["refuse 1: taken over", "abandon 0: taken over"])
    #expect(!shell.log.contains { $0.hasPrefix("effect") })
    await shell.take([2])
    #expect(shell.log.last == "refuse 2: taken over" && shell.commitLines == ["commit 1"])
  }

  @Test func choreMayShowThatTheStoreBelongsToSomebodyElse() async {
    let shell = AdderShell()
    await shell.take([1])
    shell.failures = [.fenced("taken over")]
    shell.decider.chores = [7]
    await shell.take([2])
    #expect(shell.fenced != nil && shell.commitLines == ["commit 7"])
    await shell.rest()
    #expect(shell.commitLines == ["commit 7", "commit 1"], "that was begun before")
    #expect(shell.log.suffix(2) == ["refuse 2: taken over", "abandon 0: taken over"])
  }

  @Test func inputThatNeedsRestWaitsForAllBefore() async {
    let shell = AdderShell()
    await shell.take([1])
    await shell.take([-5])
    #expect(shell.log.prefix(3) == ["read 1", "commit 1", "effect 1"])
    #expect(shell.told == [0, 1, 1, 0], "it counts as waiting until it is decided")
    await shell.rest()
    #expect(shell.commitLines == ["commit 1", "commit -5"])
  }

  @Test func whatStoresNothingIsDoneAtOnce() async {
    let shell = AdderShell()
    await shell.take([0])
    #expect(shell.log == ["read 1", "effect 0", "answer 0"] && shell.flight == nil)
  }

  @Test func choresRefuseNobody() async {
    let shell = AdderShell()
    shell.decider.chores = [7]
    await shell.take([1])
    #expect(shell.commitLines == ["commit 7"], "it does not wait for the commit under way")
    shell.failures = [.unavailable("busy")]
    shell.decider.chores = [8]
    await shell.take([2])
    await shell.rest()
    #expect(shell.decider.failedChores == 1 && shell.decider.total == 3 && shell.followed == [70])
    #expect(!shell.log.contains { $0.hasPrefix("refuse") })
  }
}

/// Adds numbers. A commit stores their sum, unless that is 0; a number below zero needs rest.
private struct Adder: Deciding {
  struct Sum: Answering {
    var answers: [Int] = []
    var value: Int { answers.reduce(0, +) }
  }

  var total = 0
  var flight: Sum?
  var open = Sum()
  var doubt: Sum?
  var chores: [Int] = []
  var chore: Int?
  var failedChores = 0
  /// How many requests were answered and are not let go.
  var kept = 0

  var openCount: Int { open.answers.count }
  var isOpen: Bool { !open.answers.isEmpty }
  var doubtfulness: String? { doubt == nil ? nil : "no answer" }

  mutating func unfold(_ inputs: [Int], at now: Timestamp) -> [Int] { inputs }
  func needsRest(_ input: Int) -> Bool { input < 0 }
  func reads(for inputs: [Int], at now: Timestamp) -> Int { inputs.count }
  mutating func decide(_ inputs: [Int], _ facts: Int, at now: Timestamp) { open.answers += inputs }

  mutating func close() -> CommitRequest? {
    (flight, open) = (open, Sum())
    return flight.flatMap { $0.value == 0 ? nil : Self.request($0.value) }
  }

  mutating func landed(_ receipt: CommitReceipt?, at now: Timestamp) -> (decision: Sum, effects: Int) {
    let decision = flight ?? Sum()
    flight = nil
    total += decision.value
    kept += decision.answers.count
    return (decision, decision.value)
  }

  mutating func failed(_ failure: CommitFailure, at now: Timestamp) -> (effects: Int, answers: [Int]) {
    let answers = (flight?.answers ?? []) + open.answers
    if case .inDoubt = failure { doubt = flight }
    (flight, open) = (nil, Sum())
    return (0, answers)
  }

  mutating func letGo(_ decision: Sum, after effects: Int) { kept -= decision.answers.count }

  mutating func takeChore() -> CommitRequest? {
    chore = chores.isEmpty ? nil : chores.removeFirst()
    return chore.map(Self.request)
  }

  mutating func choreEnded(_ outcome: Flight.Outcome) -> [Int] {
    guard case .success = outcome, let chore else {
      failedChores += 1
      return []
    }
    return [chore * 10]
  }

  private static func request(_ number: Int) -> CommitRequest {
    CommitRequest([.probe(Timestamp(milliseconds: Int64(number)))])
  }
}

private final class AdderShell: Shell {
  /// What happened, in its order.
  private final class Lines: Sendable {
    private let held = Mutex<[String]>([])
    var all: [String] { held.withLock { $0 } }
    func add(_ line: String) { held.withLock { $0.append(line) } }
  }

  var decider = Adder()
  var commits = Commits(isEager: false) {}
  let clock: any CoordinatorClock = ManualClock()
  /// How the next commits fail.
  var failures: [CommitFailure]
  var canSettle = true
  private(set) var told: [Int] = []
  private(set) var kept: Int?
  private(set) var wakes = 0
  private(set) var followed: [Int] = []
  private let lines = Lines()

  init(_ failures: CommitFailure...) { self.failures = failures }

  var log: [String] { lines.all }
  var commitLines: [String] { log.filter { $0.hasPrefix("commit") } }

  var committer: @Sendable (CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    let failure = failures.isEmpty ? nil : failures.removeFirst()
    return { [lines] request throws(CommitFailure) in
      guard case .probe(let number, _)? = request.mutations.first else { return CommitReceipt() }
      lines.add("commit \(number.milliseconds)")
      if let failure { throw failure }
      return CommitReceipt()
    }
  }

  func answer(_ reads: Int) async -> Int {
    lines.add("read \(reads)")
    return reads
  }

  func settleDoubt() async {
    guard canSettle, let doubt = decider.doubt else { return }
    decider.doubt = nil
    decider.total += doubt.value
  }

  func carryOut(_ effects: Int, reply: () -> Void) {
    lines.add("effect \(effects)")
    reply()
  }

  func give(_ answer: Int, _ failure: CommitFailure?) {
    lines.add(failure.map { "refuse \(answer): \($0)" } ?? "answer \(answer)")
  }

  func refuse(_ inputs: [Int], _ failure: CommitFailure) { for input in inputs { give(input, failure) } }
  func abandon(_ effects: Int, _ failure: CommitFailure) { lines.add("abandon \(effects): \(failure)") }
  func follow(_ input: Int) { followed.append(input) }
  func tellOpen(_ count: Int) { told.append(count) }
  func tellState() { kept = decider.kept }
  func scheduleWake() { wakes += 1 }
}
