/// The progress of an operation on several relays: a bar, the count, and a line per relay.
struct RelayProgress {
  struct Relay {
    /// The order in which relays are shown if there is no room for all.
    enum Rank: Int {
      case open, lost, done
    }
    let name: String
    let status: String
    let rank: Rank
    /// The line of the relay.
    /// - Parameter: the width of the name, in columns.
    let line: (Int) -> String
  }

  let terminal: Terminal
  /// The words behind the count, as in `2/3 relays active`.
  let words: String

  /// The bar, and a line for each relay. Without a terminal, only relays that are done or failed, because open ones would be repeated. If
  /// the terminal has too few rows for all relays, open relays come first, then failed ones, and the rest is counted.
  /// - Parameter size: the size of the terminal that the lines must fit, or `nil` without a terminal.
  func lines(_ relays: [Relay], in size: Terminal.Size?) -> [String] {
    guard let size else {
      let settled = relays.filter { $0.rank != .open }
      let width = relays.map(\.name.displayWidth).max() ?? 0
      return settled.map { $0.line(width) }
    }
    let done = relays.count { $0.rank == .done }
    let count = "\(done)/\(relays.count) \(words)"
    let bar = bar(done, of: relays.count, columns: size.columns - count.displayWidth - 2)
    var (shown, others) = (relays, [Relay]())
    // The bar and the cursor need a row each.
    if relays.count > size.rows - 2 {
      let ranked = [Relay.Rank.open, .lost, .done].flatMap { rank in relays.filter { $0.rank == rank } }
      let room = max(0, min(size.rows - 3, relays.count - done))
      (shown, others) = (Array(ranked.prefix(room)), Array(ranked.dropFirst(room)))
    }
    // The description of a relay gets at least as much room as its name.
    let widest = shown.map(\.name.displayWidth).max() ?? 0
    let width = min(widest, max(1, (size.columns - 6) / 2))
    let lines = [bar.isEmpty ? count : "\(bar) \(count)"] + shown.map { $0.line(width) }
    let all = others.isEmpty ? lines : lines + ["  \(Marks.current.ellipsis) \(Self.summary(others))"]
    return Array(all.prefix(max(1, size.rows - 1)))
  }

  /// - Parameter columns: the room for the bar, in columns.
  private func bar(_ count: Int, of total: Int, columns: Int) -> String {
    let cells = min(30, columns)
    guard cells >= 3 else { return "" }
    let full = count * cells / max(total, 1)
    return terminal.paint(String(repeating: Marks.current.full, count: full), .green)
      + terminal.paint(String(repeating: Marks.current.empty, count: cells - full), .gray)
  }

  private static func summary(_ relays: [Relay]) -> String {
    let counts = Dictionary(relays.map { ($0.status, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
    return "and \(relays.count) more: " + counts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}
