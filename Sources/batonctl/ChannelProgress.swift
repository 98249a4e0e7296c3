internal import ControlAPI

// The progress of a channel.
extension ChannelView {
  /// A bar, the count, and a line per relay. If the terminal has too few rows for all relays, it shows those that are not done, then those
  /// that failed, and the number of the others.
  /// - Parameter size: the size of the terminal that the lines must fit; `nil` without a terminal.
  func progress(_ channel: Channel, in size: Terminal.Size?) -> [String] {
    let members = Self.members(channel)
    let (active, lost) = (members.filter { $0.status == "active" }, members.filter(Self.isLost))
    let count = "\(active.count)/\(members.count) relays active"
    let bar = bar(active.count, of: members.count, columns: size.map { $0.columns - count.displayWidth - 2 })
    var (shown, others) = (members, [ChannelRelay]())
    // The bar and the cursor have a row each.
    if let size, members.count > size.rows - 2 {
      let open = members.filter { $0.status != "active" && !Self.isLost($0) }
      let ranked = open + lost + active
      let room = max(0, min(size.rows - 3, open.count + lost.count))
      (shown, others) = (Array(ranked.prefix(room)), Array(ranked.dropFirst(room)))
    }
    // The description of a relay gets at least as much room as its name.
    let widest = shown.map(\.relayName.displayWidth).max() ?? 0
    let width = size.map { min(widest, max(1, ($0.columns - 6) / 2)) } ?? widest
    let lines = [bar.isEmpty ? count : "\(bar) \(count)"] + shown.map { relayLine($0, width: width) }
    let all = others.isEmpty ? lines : lines + ["  … \(Self.summary(others))"]
    return size.map { Array(all.prefix(max(1, $0.rows - 1))) } ?? all
  }

  /// - Parameter columns: the room for it, in columns; `nil` without a limit.
  private func bar(_ count: Int, of total: Int, columns: Int?) -> String {
    let cells = min(30, columns ?? 30)
    guard cells >= 3 else { return "" }
    let full = count * cells / max(total, 1)
    return terminal.paint(String(repeating: "█", count: full), .green)
      + terminal.paint(String(repeating: "░", count: cells - full), .gray)
  }

  private static func summary(_ relays: [ChannelRelay]) -> String {
    let counts = Dictionary(relays.map { ($0.status, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
    return "and \(relays.count) more: " + counts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}
