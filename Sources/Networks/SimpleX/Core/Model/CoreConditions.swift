/// Operators and whether their conditions of use are accepted (`serverOperatorConditions`).
public struct CoreConditions: Hashable, Sendable {
  /// The action that conditions of use require.
  public enum Action: String, Hashable, Sendable, CaseIterable {
    /// Someone must read and accept them.
    case review
    case accepted
  }

  /// The core's operators, in its order.
  public let operators: [CoreOperator]
  /// The action that the conditions require, or `nil`.
  public let action: CoreWord<Action>?
}

extension CoreConditions: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    operators = try reader.list("serverOperators")
    action = try reader.objectIfPresent("conditionsAction").map { action throws(CoreShapeError) in try action.word("type") }
  }
}
