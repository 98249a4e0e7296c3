internal import StrictJSON

/// A chat relay in the list of a user of the core (`UserChatRelay`, docs/design/simplex.md#the-cores-catalog).
/// It keeps members unknown to Baton, so that it goes back to the core unchanged.
public struct CoreRelay: Hashable, Sendable {
  public typealias ID = CoreID<CoreRelay>

  private(set) var members: [String: JSONValue]

  /// A relay that the core does not have yet. It belongs in the group without an operator.
  /// - Parameters:
  ///   - address: its address.
  ///   - name: the name of the relay.
  public init(address: CoreRelayAddress, name: String) {
    members = [
      "address": .string(address.text), "relayProfile": ["displayName": .string(name), "fullName": ""],
      "domains": [], "preset": false, "enabled": true, "deleted": false,
    ]
  }

  /// The number in the core's database, or `nil` if the core does not have it yet.
  public var id: ID? { members["chatRelayId"]?.integer.map(ID.init(rawValue:)) }

  /// The short link, as the core writes it.
  public var address: String { members["address"]?.string ?? "" }

  /// The key that equals `RelayAddress.comparisonKey` of the same relay, however either is written. `nil` if the address is not a link.
  public var comparisonKey: String? { (try? SimpleXLink(address))?.comparisonKey }

  /// The name that the relay gives itself.
  public var name: String { members["relayProfile"]?["displayName"]?.string ?? "" }

  /// The domains by which the core finds the relay's operator.
  public var domains: [String] { members["domains"]?.array?.compactMap(\.string) ?? [] }

  /// Whether it came with the core.
  public var isPreset: Bool { members["preset"]?.bool ?? false }

  /// The result of the last test, or `nil` if it was never tested.
  public var isTested: Bool? {
    get { members["tested"]?.bool }
    set { members["tested"] = newValue.map(JSONValue.bool) }
  }

  /// Whether new channels may use it.
  public var isEnabled: Bool {
    get { members["enabled"]?.bool ?? false }
    set { members["enabled"] = .bool(newValue) }
  }

  /// Whether it must be deleted, or is deleted except in the channels that use it.
  public var isDeleted: Bool {
    get { members["deleted"]?.bool ?? false }
    set { members["deleted"] = .bool(newValue) }
  }

  var json: JSONValue { .object(members) }
}

extension CoreRelay: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let id: ID? = try reader.idIfPresent("chatRelayId")
    _ = try reader.string("address")
    _ = try reader.objectIfPresent("relayProfile")?.string("displayName")
    _ = try reader.strings("domains")
    _ = try reader.bool("preset")
    _ = try reader.boolIfPresent("tested")
    _ = try reader.bool("enabled")
    _ = try reader.bool("deleted")
    members = reader.members
    members["chatRelayId"] = id.map { .integer($0.rawValue) }
  }
}

extension CoreRelay: CustomStringConvertible, CustomReflectable {
  public var description: String { "relay \(id.map(\.description) ?? "new") \(address)" }
  public var customMirror: Mirror { Mirror(self, children: ["id": id as Any, "address": address]) }
}
