internal import Channels
internal import Storage

/// What a `Shell` needs of a decider: a value that says what inputs ask of storage, decides on inputs and answers, and gives what it has
/// decided as one request to storage. It cannot act.
///
/// What was decided since the last commit began is *open*. Inputs are decided as if the commit under way were durable.
protocol Deciding {
  associatedtype Input: Sendable
  /// What inputs ask of storage.
  associatedtype Reads
  /// What storage answers.
  associatedtype Facts
  associatedtype Decision: Answering
  /// What a decision leads to outside.
  associatedtype Effects

  /// The number of inputs that the open decision decides.
  var openCount: Int { get }
  /// Whether anything is open.
  var isOpen: Bool { get }
  /// Why nothing can be committed: it is not known what is stored. `nil` if it is known.
  var doubtfulness: String? { get }

  /// What to decide on in place of inputs that are about many objects.
  mutating func unfold(_ inputs: [Input], at now: Timestamp) -> [Input]

  /// Whether an input can be decided only when all that was decided before is durable.
  func needsRest(_ input: Input) -> Bool

  /// What inputs ask of storage, before they are decided.
  func reads(for inputs: [Input], at now: Timestamp) -> Reads

  mutating func decide(_ inputs: [Input], _ facts: Facts, at now: Timestamp)

  /// Ends the open decision: from here on it is being committed.
  /// - Returns: what to store; `nil` if there is nothing to store.
  mutating func close() -> CommitRequest?

  /// The decision that was being committed is durable.
  /// - Parameter receipt: what storage answered; `nil` if there was nothing to store.
  mutating func landed(_ receipt: CommitReceipt?, at now: Timestamp) -> (decision: Decision, effects: Effects)

  /// The decision that was being committed failed; what is open was decided on top of it, so that is dropped, too.
  /// - Returns: what follows all the same, and who must be refused.
  mutating func failed(_ failure: CommitFailure, at now: Timestamp) -> (effects: Effects, answers: [Decision.Answer])

  /// Forgets what no one needs any more, once the effects of a decision were carried out.
  mutating func letGo(_ decision: Decision, after effects: Effects)

  // What no one waits for, such as upkeep. It is stored in commits of its own, one at a time, so that it refuses no one when it fails.

  /// - Returns: what to store; `nil` if there is nothing.
  mutating func takeChore() -> CommitRequest?

  /// The latest chore is over.
  /// - Returns: inputs that follow from it.
  mutating func choreEnded(_ outcome: Flight.Outcome) -> [Input]
}

/// A decision that answers requests.
protocol Answering {
  associatedtype Answer
  var answers: [Answer] { get }
}
