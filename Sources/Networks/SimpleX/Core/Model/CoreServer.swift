public import RelayNetwork
internal import StrictJSON

/// A message or file server in the list of a user of the core (`UserServer`, docs/design/simplex.md#the-cores-catalog).
/// It keeps members unknown to Baton. Its address may contain a password, so it is never shown unchanged.
public struct CoreServer: Hashable, Sendable {
  public typealias ID = CoreID<CoreServer>

  private(set) var members: [String: JSONValue]

  /// A server that the core does not have yet.
  /// - Parameter address: the address, with the password if the server requires one.
  public init(address: CoreServerAddress) {
    members = ["server": .string(address.secretText), "preset": false, "enabled": true, "deleted": false, "roles": [:]]
  }

  /// The number in the core's database, or `nil` if the core does not have it yet.
  public var id: ID? { members["serverId"]?.integer.map(ID.init(rawValue:)) }

  /// The address, or `nil` if Baton cannot read it.
  public var address: ServerAddress? { try? SimpleXServerAddress.parse(members["server"]?.string ?? "") }

  /// The address for people, without the password.
  public var shownAddress: String { address?.text ?? AddressEcho.echo(members["server"]?.string ?? "") }

  /// Whether it came with the core.
  public var isPreset: Bool { members["preset"]?.bool ?? false }

  /// The result of the last test, or `nil` if it was never tested.
  public var isTested: Bool? {
    get { members["tested"]?.bool }
    set { members["tested"] = newValue.map(JSONValue.bool) }
  }

  /// Whether the core may use it.
  public var isEnabled: Bool {
    get { members["enabled"]?.bool ?? false }
    set { members["enabled"] = .bool(newValue) }
  }

  /// Whether it must be deleted.
  public var isDeleted: Bool {
    get { members["deleted"]?.bool ?? false }
    set { members["deleted"] = .bool(newValue) }
  }

  var json: JSONValue { .object(members) }
}

extension CoreServer: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let id: ID? = try reader.idIfPresent("serverId")
    _ = try reader.string("server")
    _ = try reader.bool("preset")
    _ = try reader.boolIfPresent("tested")
    _ = try reader.bool("enabled")
    _ = try reader.bool("deleted")
    members = reader.members
    members["serverId"] = id.map { .integer($0.rawValue) }
  }
}

extension CoreServer: CustomStringConvertible, CustomReflectable {
  public var description: String { "server \(id.map(\.description) ?? "new") \(shownAddress)" }
  public var customMirror: Mirror { Mirror(self, children: ["id": id as Any, "address": shownAddress]) }
}
