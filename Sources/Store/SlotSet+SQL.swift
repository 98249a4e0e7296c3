internal import Channels

extension SlotSet {
  /// A condition for a query, so that it finds only channels of these slots. A store in a file belongs to one daemon, which owns them all.
  /// - Parameter column: the id of a channel, as SQL.
  func condition(_ column: String = "channel_id") -> String { isAll ? "" : " AND \(test(column))" }

  /// The same for a query without other conditions.
  func onlyCondition(_ column: String = "channel_id") -> String { isAll ? "" : " WHERE \(test(column))" }

  private func test(_ column: String) -> String {
    // SQLite refuses an `INDEXED BY` where nothing can match, so there is a number in any case.
    let wanted = isEmpty ? [-1] : numbers.sorted()
    return "\(column) % \(Self.count) IN (\(wanted.map(String.init).joined(separator: ", ")))"
  }

  /// The same for posts of channels in these slots.
  /// - Parameter column: the id of a post, as SQL.
  func condition(ofPost column: String) -> String { condition("(SELECT p.channel_id FROM posts p WHERE p.id = \(column))") }
}
