internal import StrictJSON

/// An operator of servers and relays in the core (`ServerOperator`, docs/design/simplex.md#the-cores-catalog). It keeps members unknown to
/// Baton.
public struct CoreOperator: Hashable, Sendable {
  public typealias ID = CoreID<CoreOperator>

  private(set) var members: [String: JSONValue]

  /// The number in the core's database.
  public var id: ID { ID(rawValue: members["operatorId"]?.integer ?? 0) }

  /// `simplex` or `flux`. `nil` for operators that did not come with the core.
  public var tag: String? { members["operatorTag"]?.string }

  /// Its trade name.
  public var name: String { members["tradeName"]?.string ?? "" }

  /// Its legal name, or `nil`.
  public var legalName: String? { members["legalName"]?.string }

  /// The endings of the host names of the operator's servers. Its relays have them in their `domains`.
  public var domains: [String] { members["serverDomains"]?.array?.compactMap(\.string) ?? [] }

  /// Whether the core may use its servers and relays.
  public var isEnabled: Bool {
    get { members["enabled"]?.bool ?? false }
    set { members["enabled"] = .bool(newValue) }
  }

  /// Whether its conditions of use are accepted.
  public var hasAcceptedConditions: Bool { members["conditionsAcceptance"]?["type"]?.string == "accepted" }

  /// When they were accepted, as the core writes it. `nil` if they were not, or the core gives no time.
  public var conditionsAcceptedAt: String? {
    hasAcceptedConditions ? members["conditionsAcceptance"]?["acceptedAt"]?.string : nil
  }

  var json: JSONValue { .object(members) }
}

extension CoreOperator: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let id: ID = try reader.id("operatorId")
    _ = try reader.stringIfPresent("operatorTag")
    _ = try reader.string("tradeName")
    _ = try reader.strings("serverDomains")
    _ = try reader.bool("enabled")
    members = reader.members
    members["operatorId"] = .integer(id.rawValue)
  }
}

extension CoreOperator: CustomStringConvertible, CustomReflectable {
  public var description: String { "operator \(id) \(name)" }
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "name": name, "isEnabled": isEnabled]) }
}
