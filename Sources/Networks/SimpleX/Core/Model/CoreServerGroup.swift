internal import StrictJSON

/// The servers and relays of one operator in the list of a user (`UserOperatorServers`, docs/design/simplex.md#the-cores-catalog).
/// Everything that Baton does not change goes back to the core unchanged.
public struct CoreServerGroup: Hashable, Sendable {
  /// The operator, or `nil` in the group of everything without an operator.
  public var `operator`: CoreOperator?
  /// Message servers (`smp://`).
  public var messageServers: [CoreServer]
  /// File servers (`xftp://`).
  public var fileServers: [CoreServer]
  /// Chat relays.
  public var relays: [CoreRelay]
  /// Members unknown to Baton.
  private var others: [String: JSONValue]

  private static let knownKeys: Set<String> = ["operator", "smpServers", "xftpServers", "chatRelays"]

  /// An empty group for servers and relays without an operator.
  public init() {
    (`operator`, messageServers, fileServers, relays, others) = (nil, [], [], [], [:])
  }

  var json: JSONValue {
    var members = others
    members["operator"] = `operator`?.json
    members["smpServers"] = .array(messageServers.map(\.json))
    members["xftpServers"] = .array(fileServers.map(\.json))
    members["chatRelays"] = .array(relays.map(\.json))
    return .object(members)
  }
}

extension CoreServerGroup: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    `operator` = try reader.readIfPresent("operator")
    messageServers = try reader.list("smpServers")
    fileServers = try reader.list("xftpServers")
    relays = try reader.list("chatRelays")
    others = reader.members.filter { !Self.knownKeys.contains($0.key) && $0.value != .null }
  }
}

extension CoreServerGroup: CustomStringConvertible, CustomReflectable {
  public var description: String {
    "\(`operator`?.name ?? "no operator"): \(messageServers.count) message servers, \(fileServers.count) file servers, "
      + "\(relays.count) relays"
  }
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "operator": `operator` as Any, "messageServers": messageServers, "fileServers": fileServers, "relays": relays,
      ])
  }
}
