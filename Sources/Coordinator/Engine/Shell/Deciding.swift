internal import Channels
internal import Storage

/// A decider as `Shell` needs it: a value that lists the reads that inputs need, decides on inputs and answers, and turns its decision into
/// one request to storage. It cannot act.
///
/// Decisions since the last commit began are *open*. Inputs are decided as if the commit under way were durable.
protocol Deciding {
  associatedtype Input: Sendable
  /// The reads that inputs need from storage.
  associatedtype Reads
  /// The answers of storage.
  associatedtype Facts
  associatedtype Decision: Answering
  /// The consequences of a decision outside the decider.
  associatedtype Effects

  /// The number of inputs in the open decision.
  var openCount: Int { get }
  /// Whether anything is open.
  var isOpen: Bool { get }
  /// Why nothing can be committed, if the stored state is unknown.
  var doubtfulness: String? { get }

  /// The inputs to decide, with those about many objects split up.
  mutating func unfold(_ inputs: [Input], at now: Timestamp) -> [Input]

  /// Whether an input can be decided only once all earlier decisions are durable.
  func needsRest(_ input: Input) -> Bool

  /// The reads that inputs need before they are decided.
  func reads(for inputs: [Input], at now: Timestamp) -> Reads

  mutating func decide(_ inputs: [Input], _ facts: Facts, at now: Timestamp)

  /// Ends the open decision, which is about to be committed.
  /// - Returns: the request to storage. `nil` if there is nothing to store.
  mutating func close() -> CommitRequest?

  /// The decision in the commit is durable.
  /// - Parameter receipt: the answer of storage. `nil` if there was nothing to store.
  mutating func landed(_ receipt: CommitReceipt?, at now: Timestamp) -> (decision: Decision, effects: Effects)

  /// The decision in the commit failed. The open decision is based on it and is dropped, too.
  /// - Returns: the effects that do not depend on the commit, and the requests to refuse.
  mutating func failed(_ failure: CommitFailure, at now: Timestamp) -> (effects: Effects, answers: [Decision.Answer])

  /// Forgets data that is no longer needed, once the effects of a decision were carried out.
  mutating func letGo(_ decision: Decision, after effects: Effects)

  // Chores, such as upkeep, have no one waiting. They are stored in separate commits, one at a time, whose failure refuses no requests.

  /// - Returns: the request to storage. `nil` if there is nothing to store.
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
