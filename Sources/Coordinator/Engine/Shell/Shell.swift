internal import Channels
internal import Storage

/// Drives a decider. What comes in passes from top to bottom: what it asks of storage is read, the decider decides, its decision is
/// committed, and the effects are carried out. The order of obligations is the same for every decider:
///
/// 1. Store. Nothing that a decision leads to happens before the commit is durable.
/// 2. Carry out the effects, in the order that their type states.
/// 3. Answer the requests, last of all.
///
/// If the commit fails, the effects are those that hold in any case, and the requests are refused with the reason. While a commit is under
/// way the shell goes on deciding, as if it were durable; all of that is one decision, and the next commit. If the first one fails, both
/// are dropped. Once someone else owns what is stored, nothing is done any more.
///
/// Only one task ever touches a shell.
protocol Shell: AnyObject {
  associatedtype Value: Deciding

  var decider: Value { get set }
  var commits: Commits { get set }
  var clock: any CoordinatorClock { get }

  /// Asks storage what inputs need. What cannot be read is missing from the answer.
  func answer(_ reads: Value.Reads) async -> Value.Facts

  /// A function that commits a request, from any task.
  var committer: @Sendable (CommitRequest) async throws(CommitFailure) -> CommitReceipt { get }

  /// Finds out what is stored if that is not known. It may fail, and is asked again.
  func settleDoubt() async

  /// Does what a decision led to.
  /// - Parameter reply: to be called last: it answers the requests.
  func carryOut(_ effects: Value.Effects, reply: () -> Void)

  /// Answers a request.
  /// - Parameter failure: why nothing was stored; `nil` if it was.
  func give(_ answer: Value.Decision.Answer, _ failure: CommitFailure?)

  /// Refuses inputs that will not be decided, because someone else owns what is stored.
  func refuse(_ inputs: [Value.Input], _ failure: CommitFailure)

  /// Refuses what would follow from effects, for the same reason.
  func abandon(_ effects: Value.Effects, _ failure: CommitFailure)

  /// Takes in an input of the shell's own, later.
  func follow(_ input: Value.Input)

  /// Tells how many inputs wait for the commit that is under way.
  func tellOpen(_ count: Int)

  /// Tells what else is known by now: a decision or a chore is over.
  func tellState()

  /// Makes sure to be woken when the decider has something to do. It comes after every decision.
  func scheduleWake()
}

/// The commits of a shell.
struct Commits {
  /// Whether commits begin at once, or when the shell must know their outcome.
  let isEager: Bool
  /// Called when a commit is over, so that `advance` is called soon.
  let whenOver: @Sendable () -> Void
  /// The commit that is under way.
  fileprivate var flight: Flight?
  /// The commit of what no one waits for that is under way.
  fileprivate var chore: Flight?
  /// How many inputs wait until all that was decided before is durable.
  fileprivate var inputsResting = 0
  /// Set once someone else owns what is stored.
  fileprivate var fenced: CommitFailure?

  init(isEager: Bool, whenOver: @escaping @Sendable () -> Void) {
    self.isEager = isEager
    self.whenOver = whenOver
  }
}

extension Shell {
  /// The number of inputs from which on no more are decided before the commit under way is over: it must not become too large.
  private var decidedMax: Int { 512 }

  /// The commit that is under way.
  var flight: Flight? { commits.flight }
  /// Why nothing may be done any more: someone else owns what is stored.
  var fenced: CommitFailure? { commits.fenced }

  // MARK: - Decide

  /// Goes on if a commit is over.
  func advance() async {
    if flight?.isOver == true { await land() } else if commits.chore?.isOver == true { await depart() }
  }

  /// The inputs in their order, in pieces that may be decided together.
  static func batches(_ inputs: [Value.Input], standsAlone: (Value.Input) -> Bool) -> [[Value.Input]] {
    var batches: [[Value.Input]] = []
    var rest = inputs[...]
    while let first = rest.first {
      let batch = standsAlone(first) ? rest.prefix(1) : rest.prefix { !standsAlone($0) }
      rest = rest.dropFirst(batch.count)
      batches.append(Array(batch))
    }
    return batches
  }

  /// Decides on inputs, and begins to commit what was decided.
  func take(_ inputs: [Value.Input]) async {
    while flight != nil, decider.openCount >= decidedMax { await land() }
    await settleDoubt()
    let unfolded = decider.unfold(inputs, at: clock.now)
    if unfolded.contains(where: decider.needsRest) {
      commits.inputsResting = unfolded.count
      tellOpen(decider.openCount + unfolded.count)
      await rest()
      commits.inputsResting = 0
      await settleDoubt()
    }
    if let fenced { return refuse(inputs, fenced) }
    let now = clock.now
    let facts = await answer(decider.reads(for: unfolded, at: now))
    decider.decide(unfolded, facts, at: now)
    await depart()
  }

  // MARK: - Commit

  /// Begins to commit what was decided, unless a commit is under way. What no one waits for is stored after that.
  func depart() async {
    repeat {
      begin()
      await doChores()
    } while flight == nil && decider.isOpen
    tellOpen(decider.openCount + commits.inputsResting)
    scheduleWake()
  }

  /// Begins a commit. What stores nothing is done at once.
  private func begin() {
    while flight == nil, decider.isOpen {
      if let fenced { return takeBack(fenced) }
      if let words = decider.doubtfulness { return takeBack(.unavailable(words)) }
      if !close() { finish(nil) }
    }
  }

  /// Ends what was decided since the last commit, and begins to store it.
  /// - Returns: `false` if there is nothing to store: then it is to be finished.
  private func close() -> Bool {
    guard let request = decider.close() else { return false }
    commits.flight = fly(request)
    return true
  }

  /// Waits for the commit that is under way, does what follows from it, and begins the next one.
  func land() async {
    guard let flight else { return }
    let outcome = await flight.outcome
    commits.flight = nil
    switch outcome {
    case .success(let receipt): finish(receipt)
    case .failure(let failure): takeBack(failure)
    }
    await depart()
  }

  /// Waits until all that was decided is durable, or known not to be.
  func rest() async {
    while flight != nil || commits.chore != nil || decider.isOpen {
      if flight != nil {
        await land()
      } else if decider.isOpen {
        await depart()
      } else {
        await endChore()
        await depart()
      }
    }
  }

  private func fly(_ request: CommitRequest) -> Flight {
    Flight(isEager: commits.isEager, whenOver: commits.whenOver) { [committer] in
      do throws(CommitFailure) {
        return .success(try await committer(request))
      } catch {
        return .failure(error)
      }
    }
  }

  // MARK: - Act

  /// Does what follows from a commit. The next one begins first, so that storage is not idle meanwhile.
  private func finish(_ receipt: CommitReceipt?) {
    let (decision, effects) = decider.landed(receipt, at: clock.now)
    let mayGoOn = receipt != nil && decider.isOpen && fenced == nil && decider.doubtfulness == nil
    let isNextUnstored = mayGoOn && !close()
    carryOut(effects) { for answer in decision.answers { give(answer, nil) } }
    decider.letGo(decision, after: effects)
    tellState()
    if isNextUnstored { finish(nil) }
  }

  private func takeBack(_ failure: CommitFailure) {
    let (effects, answers) = decider.failed(failure, at: clock.now)
    if case .fenced = failure {
      // Whoever owns the channels now acts for them.
      commits.fenced = failure
      for answer in answers { give(answer, failure) }
      return abandon(effects, failure)
    }
    carryOut(effects) { for answer in answers { give(answer, failure) } }
    tellState()
  }

  private func doChores() async {
    if commits.chore?.isOver == true { await endChore() }
    guard commits.chore == nil, decider.doubtfulness == nil, fenced == nil, let request = decider.takeChore() else { return }
    commits.chore = fly(request)
    if !commits.isEager { await endChore() }
  }

  private func endChore() async {
    guard let outcome = await commits.chore?.outcome else { return }
    commits.chore = nil
    if case .failure(let failure) = outcome, case .fenced = failure { commits.fenced = failure }
    for input in decider.choreEnded(outcome) { follow(input) }
    tellState()
  }
}
