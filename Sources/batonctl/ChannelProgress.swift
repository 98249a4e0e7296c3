internal import ControlAPI

// How a channel is coming along.
extension ChannelView {
  /// A bar, the count, and a line per relay. Where the terminal is too low for all relays, those that are not done, then those that failed,
  /// and how many others there are.
  /// - Parameter size: of the terminal that the lines are to fit; nil: there is none.
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
    // At least as much for what there is to say of a relay as for its name.
    let widest = shown.map(\.relayName.displayWidth).max() ?? 0
    let width = size.map { min(widest, max(1, ($0.columns - 6) / 2)) } ?? widest
    let lines = [bar.isEmpty ? count : "\(bar) \(count)"] + shown.map { relayLine($0, width: width) }
    let all = others.isEmpty ? lines : lines + ["  … \(Self.summary(others))"]
    return size.map { Array(all.prefix(max(1, $0.rows - 1))) } ?? all
  }

  /// - Parameter columns: how many there are for it; nil: as many as it likes.
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
