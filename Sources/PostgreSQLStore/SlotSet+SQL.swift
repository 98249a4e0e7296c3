internal import Channels
internal import PostgreSQL

extension SlotSet {
  /// What a statement adds to its conditions, so that it finds only channels of these slots.
  /// - Parameters:
  ///   - column: the id of a channel, as SQL.
  ///   - number: the number of the statement's next parameter.
  func condition(_ column: String, _ number: Int) -> String {
    isAll ? "" : " AND \(column) & \(Self.count - 1) = ANY($\(number))"
  }

  /// The values that `condition` needs.
  var parameters: [SQLValue] { isAll ? [] : [.ints(numbers.sorted().map { Int64($0) })] }
}
