internal import ControlAPI

/// One line of the history of a channel, of all channels, or of a post.
protocol HistoryLine {
  var relayName: String { get }
  var from: String { get }
  var to: String { get }
  var cause: String? { get }
  var detail: String { get }
  var attempt: Int { get }
  var time: String { get }
}

extension Transition: HistoryLine {}
extension PostTransition: HistoryLine {}

struct HistoryRow {
  let line: any HistoryLine
  let times: Times

  static let columns = columns(with: [])

  /// - Parameter others: more columns, after the time.
  static func columns(with others: [TableColumn<HistoryRow>]) -> [TableColumn<HistoryRow>] {
    [TableColumn("TIME", rank: 0) { $0.times.text($0.line.time) }] + others + rest
  }

  private static let rest: [TableColumn<HistoryRow>] = [
    TableColumn("RELAY", rank: 0, least: 8) { $0.line.relayName },
    TableColumn("FROM", rank: 2) { $0.line.from },
    TableColumn("TO", rank: 0, color: { .of($0.line.to) }) { $0.line.to },
    TableColumn("ATTEMPT", rank: 3) { "\($0.line.attempt)" },
    TableColumn("WHY", rank: 1, least: 8) { row in
      [row.line.cause.map { "(\($0))" }, row.line.detail].compactMap { $0 }.joined(separator: " ")
    },
  ]
}
