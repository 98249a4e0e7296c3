internal import Channels
internal import Storage

/// Drives a decider. Inputs pass from top to bottom: their reads from storage are carried out, the decider decides, its decision is
/// committed, and the effects are carried out. The order of obligations is the same for every decider:
///
/// 1. Store. Nothing that a decision leads to happens before the commit is durable.
/// 2. Carry out the effects, in the order that their type defines.
/// 3. Answer the requests, last of all.
///
/// If the commit fails, only effects that do not depend on it remain, and the requests are refused with the reason. During a commit the
/// shell continues to decide, as if it were durable. All of that is one decision, and the next commit. If the first commit fails, both are
/// dropped. Once another process owns the stored data, the shell does nothing.
///
/// Only one task ever touches a shell.
protocol Shell: AnyObject {
  associatedtype Value: Deciding

  var decider: Value { get set }
  var commits: Commits { get set }
  var clock: any CoordinatorClock { get }

  /// Carries out the reads of inputs. The answer lacks reads that failed.
  func answer(_ reads: Value.Reads) async -> Value.Facts

  /// A function that commits a request, from any task.
  var committer: @Sendable (CommitRequest) async throws(CommitFailure) -> CommitReceipt { get }

  /// Finds out the stored state if it is unknown. It may fail, and is called again.
  func settleDoubt() async

  /// Carries out the effects of a decision.
  /// - Parameter reply: answers the requests. Called last.
  func carryOut(_ effects: Value.Effects, reply: () -> Void)

  /// Answers a request.
  /// - Parameter failure: why nothing was stored. `nil` if it was.
  func give(_ answer: Value.Decision.Answer, _ failure: CommitFailure?)

  /// Refuses inputs that will not be decided, because another process owns the stored data.
  func refuse(_ inputs: [Value.Input], _ failure: CommitFailure)

  /// Refuses the requests that depend on effects, for the same reason.
  func abandon(_ effects: Value.Effects, _ failure: CommitFailure)

  /// Handles an input of the shell itself, later.
  func follow(_ input: Value.Input)

  /// Publishes how many inputs wait for the commit that is under way.
  func tellOpen(_ count: Int)

  /// Publishes the rest of the state after a decision or a chore.
  func tellState()

  /// Schedules the next wake-up of the decider. It follows every decision.
  func scheduleWake()
}

/// The commits of a shell.
struct Commits {
  /// Whether commits begin immediately. Otherwise they begin when the shell needs their outcome.
  let isEager: Bool
  /// Called when a commit is over, so that `advance` is called soon.
  let whenOver: @Sendable () -> Void
  /// The commit that is under way.
  fileprivate var flight: Flight?
  /// The commit of chores that is under way.
  fileprivate var chore: Flight?
  /// The number of inputs that wait until all earlier decisions are durable.
  fileprivate var inputsResting = 0
  /// Set once another process owns the stored data.
  fileprivate var fenced: CommitFailure?

  init(isEager: Bool, whenOver: @escaping @Sendable () -> Void) {
    self.isEager = isEager
    self.whenOver = whenOver
  }
}

extension Shell {
  /// The number of open inputs at which deciding waits for the commit under way, because the next commit must not become too large.
  private var decidedMax: Int { 512 }

  /// The commit that is under way.
  var flight: Flight? { commits.flight }
  /// Why nothing may be done any longer, if another process owns the stored data.
  var fenced: CommitFailure? { commits.fenced }

  // MARK: - Decide

  /// Continues if a commit is over.
  func advance() async {
    if flight?.isOver == true { await land() } else if commits.chore?.isOver == true { await depart() }
  }

  /// The inputs in order, in batches that may be decided together.
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

  /// Decides on inputs, and begins to commit the decision.
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

  /// Begins to commit the open decision, unless a commit is under way. Chores are stored after that.
  func depart() async {
    repeat {
      begin()
      await doChores()
    } while flight == nil && decider.isOpen
    tellOpen(decider.openCount + commits.inputsResting)
    scheduleWake()
  }

  /// Begins a commit. Decisions without writes take effect immediately.
  private func begin() {
    while flight == nil, decider.isOpen {
      if let fenced { return takeBack(fenced) }
      if let words = decider.doubtfulness { return takeBack(.unavailable(words)) }
      if !close() { finish(nil) }
    }
  }

  /// Ends the open decision, and begins to store it.
  /// - Returns: `false` if there is nothing to store. The decision must be finished then.
  private func close() -> Bool {
    guard let request = decider.close() else { return false }
    commits.flight = fly(request)
    return true
  }

  /// Waits for the commit that is under way, finishes it, and begins the next one.
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

  /// Waits until all decisions are durable, or have failed.
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

  /// Carries out the effects of a commit. The next commit begins first, so that storage is not idle.
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
      // The new owner of the channels acts for them now.
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
