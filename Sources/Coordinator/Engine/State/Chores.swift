internal import Channels
internal import Storage

/// Writes that no one waits for. They follow the next commit, in a separate commit.
struct Chores {
  private var due: [StoreMutation] = []
  /// Records of unreadable channels that could not be stored. The next round of upkeep tries again.
  private var late: [StoreMutation] = []
  /// Why storage refuses some chores, by their purpose.
  private var refusals: [String: String] = [:]
  /// The revision at which the list of changes is cut again. `nil` before the first commit.
  private var compactAt: Int64?

  /// Changes that subscribers can catch up with.
  static let changesKeptMax: Int64 = 100_000
  static let compactEvery: Int64 = 10_000

  mutating func add(_ mutation: StoreMutation) { due.append(mutation) }

  /// Sets the history to forget, in place of an earlier setting.
  mutating func forgetHistory(before end: Timestamp, rowsMax: Int, limit: Int) {
    due.removeAll { if case .forgetHistory = $0 { true } else { false } }
    due.append(.forgetHistory(before: end, rowsMax: rowsMax, limit: limit))
  }

  /// Cuts the list of changes to its window now and then, including changes that another daemon has committed.
  mutating func compactIfDue(through revision: Int64) {
    guard revision >= compactAt ?? .max else {
      compactAt = compactAt ?? revision + Self.compactEvery
      return
    }
    guard revision > Self.changesKeptMax else { return }
    compactAt = revision + Self.compactEvery
    due.append(.compactChanges(through: revision - Self.changesKeptMax))
  }

  /// Removes and returns the writes that must be stored now.
  mutating func take() -> [StoreMutation] {
    defer { due = [] }
    return due
  }

  /// Records that the writes could not be stored. Most of them are added again later anyway.
  mutating func failed(_ mutations: [StoreMutation]) {
    late += mutations.filter { if case .quarantine = $0 { true } else { false } }
  }

  /// Records that a write is stored.
  mutating func stored(_ mutation: StoreMutation) { refusals[Self.purpose(of: mutation)] = nil }

  /// Records that storage refused a write.
  /// - Returns: the purpose of the write, for the operator. `nil` if a write with this purpose was refused for this reason before.
  mutating func refused(_ mutation: StoreMutation, _ reason: String) -> String? {
    let purpose = Self.purpose(of: mutation)
    return refusals.updateValue(reason, forKey: purpose) == reason ? nil : purpose
  }

  private static func purpose(of mutation: StoreMutation) -> String {
    switch mutation {
    case .quarantine(let id, _, _): "the note that channel \(id.rawValue) is skipped"
    case .forgetHistory: "the removal of old history"
    case .compactChanges: "the removal of old changes"
    default: "upkeep"
    }
  }

  /// Forgets records about channels in these slots, which another daemon has.
  mutating func forget(_ some: SlotSet) {
    func isAboutThem(_ mutation: StoreMutation) -> Bool {
      if case .quarantine(let id, _, _) = mutation { some.contains(id) } else { false }
    }
    due.removeAll(where: isAboutThem)
    late.removeAll(where: isAboutThem)
  }

  /// Tries the writes again that are not added again otherwise.
  mutating func tryAgain() {
    due += late
    late = []
  }
}
