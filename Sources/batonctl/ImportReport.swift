internal import Sentences

/// The outcome of an import so far.
struct ImportReport: Codable, Hashable, Sendable {
  struct Refused: Codable, Hashable, Sendable {
    /// The number of the line in the file, counted from 1.
    let line: Int
    /// The name of the error.
    let error: String
    /// The sentence for people.
    let message: String
  }

  enum Outcome: Hashable {
    case accepted
    /// An earlier request with the same key published it.
    case duplicate
    case refused(error: String, message: String)
  }

  /// The number of lines that are not empty.
  private(set) var offered = 0
  private(set) var accepted = 0
  private(set) var duplicate = 0
  private(set) var refused = 0
  /// The first lines that were refused, `refusalsMax` at most.
  private(set) var refusals: [Refused] = []

  static let refusalsMax = 1000

  mutating func record(_ outcome: Outcome, line: Int) {
    offered += 1
    switch outcome {
    case .accepted: accepted += 1
    case .duplicate: duplicate += 1
    case .refused(let error, let message):
      refused += 1
      if refusals.count < Self.refusalsMax { refusals.append(Refused(line: line, error: error, message: message)) }
    }
  }

  /// The counts in one line.
  var progress: String {
    "\(counted(offered, "line")) offered, \(accepted) accepted, \(duplicate) duplicate, \(refused) refused"
  }

  /// The counts, and the refused lines with the reasons.
  var lines: [String] {
    var lines = ["offered    \(offered)", "accepted   \(accepted)", "duplicate  \(duplicate)", "refused    \(refused)"]
    lines += refusals.map { "  line \($0.line): \($0.message)" }
    if refused > refusals.count { lines.append("  and \(refused - refusals.count) more") }
    return lines
  }
}
