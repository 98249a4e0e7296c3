internal import Channels
internal import PostgreSQL

extension SlotSet {
  /// A condition for a statement, so that it finds only channels of these slots.
  /// - Parameters:
  ///   - column: the id of a channel, as SQL.
  ///   - number: the number of the statement's next parameter.
  func condition(_ column: String, _ number: Int) -> String {
    isAll ? "" : " AND \(column) & \(Self.count - 1) = ANY($\(number))"
  }

  /// The same for posts of channels in these slots.
  /// - Parameter column: the id of a post, as SQL.
  func condition(ofPost column: String, _ number: Int) -> String {
    condition("(SELECT p.channel_id FROM posts p WHERE p.id = \(column))", number)
  }

  /// The values that `condition` needs.
  var parameters: [SQLValue] { isAll ? [] : [.ints(numbers.sorted().map { Int64($0) })] }
}
