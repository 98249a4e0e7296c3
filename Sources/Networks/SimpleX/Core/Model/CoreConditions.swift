/// Operators and whether their conditions of use are accepted (`serverOperatorConditions`).
public struct CoreConditions: Hashable, Sendable {
  /// What is to be done about conditions of use.
  public enum Action: String, Hashable, Sendable, CaseIterable {
    /// Somebody must read and accept them.
    case review
    case accepted
  }

  /// Every operator that the core knows, in its order.
  public let operators: [CoreOperator]
  /// What is to be done about the conditions; nil: nothing.
  public let action: CoreWord<Action>?
}

extension CoreConditions: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    operators = try reader.list("serverOperators")
    action = try reader.objectIfPresent("conditionsAction").map { action throws(CoreShapeError) in try action.word("type") }
  }
}
