internal import Channels
internal import Storage

/// Writes that nobody waits for. They follow the next commit, in a commit of their own.
struct Chores {
  private var due: [StoreMutation] = []
  /// Records of unreadable channels that could not be stored; the next round of upkeep tries again.
  private var late: [StoreMutation] = []
  private var changesSinceCompaction = 0

  /// Changes that subscribers can catch up with.
  static let changesKeptMax: Int64 = 100_000
  static let compactEvery = 10_000

  mutating func add(_ mutation: StoreMutation) { due.append(mutation) }

  /// Sets what history to forget, in place of an earlier setting.
  mutating func forgetHistory(before end: Timestamp, rowsMax: Int, limit: Int) {
    due.removeAll { if case .forgetHistory = $0 { true } else { false } }
    due.append(.forgetHistory(before: end, rowsMax: rowsMax, limit: limit))
  }

  /// Keeps the list of changes within its window, now and then.
  /// - Parameter added: changes that were just committed.
  mutating func compactIfDue(_ added: Int, through revision: Int64) {
    changesSinceCompaction += added
    guard changesSinceCompaction >= Self.compactEvery, revision > Self.changesKeptMax else { return }
    changesSinceCompaction = 0
    due.append(.compactChanges(through: revision - Self.changesKeptMax))
  }

  /// Takes the writes that must be stored now.
  mutating func take() -> [StoreMutation] {
    defer { due = [] }
    return due
  }

  /// Notes that what was taken could not be stored. Most of it comes again by itself.
  mutating func failed(_ mutations: [StoreMutation]) {
    late += mutations.filter { if case .quarantine = $0 { true } else { false } }
  }

  /// Tries again what does not come by itself.
  mutating func tryAgain() {
    due += late
    late = []
  }
}
