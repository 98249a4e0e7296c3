internal import ArgumentParser
internal import Channels
internal import Filters
internal import StrictJSON

/// The words that options accept.
enum Words {
  static let phases = of(ChannelPhase.self)
  static let statuses = of(RelayStatus.self)
  static let deliveries = of(DeliveryStatus.self)
  static let causes = of(Cause.self)
  static let networks = of(NetworkKind.self)
  static let healths = of(PeerCondition.Health.self)
  static let protocols = of(ServerProtocol.self)

  private static func of<Value: CaseIterable & RawRepresentable>(_ type: Value.Type) -> [String]
  where Value.RawValue == String {
    type.allCases.map(\.rawValue)
  }

  /// Accepts one of `words` and refuses other text.
  static func one(of words: [String]) -> @Sendable (String) throws -> String {
    { word in
      if words.contains(word) { return word }
      let hint = Nearest.to(word, among: words).map { "did you mean \($0)? The values are" } ?? "the values are"
      throw ValidationError("\(hint) \(words.joined(separator: ", "))")
    }
  }

  /// The condition that a field is one of `values`, or `nil` if there are no values.
  static func condition(_ field: String, _ values: [String]) -> JSONValue? {
    guard let first = values.first else { return nil }
    return [field: values.count == 1 ? .string(first) : ["$in": .array(values.map(JSONValue.string))]]
  }
}
