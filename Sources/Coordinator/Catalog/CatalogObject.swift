internal import Channels
public import Storage

/// An operator, a server or a relay.
public enum CatalogObject: Hashable, Sendable {
  case `operator`(OperatorRow)
  case server(ServerRow)
  case relay(RelayRow)

  /// The word for the object in change events.
  public var kind: String {
    switch self {
    case .operator: "operator"
    case .server: "server"
    case .relay: "relay"
    }
  }

  public var id: Int64 {
    switch self {
    case .operator(let row): row.id.rawValue
    case .server(let row): row.id.rawValue
    case .relay(let row): row.id.rawValue
    }
  }

  public var revision: Int64 {
    get {
      switch self {
      case .operator(let row): row.revision
      case .server(let row): row.revision
      case .relay(let row): row.revision
      }
    }
    set {
      switch self {
      case .operator(var row):
        row.revision = newValue
        self = .operator(row)
      case .server(var row):
        row.revision = newValue
        self = .server(row)
      case .relay(var row):
        row.revision = newValue
        self = .relay(row)
      }
    }
  }

  var reference: CatalogReference {
    switch self {
    case .operator(let row): .operator(row.id)
    case .server(let row): .server(row.id)
    case .relay(let row): .relay(row.id)
    }
  }

  /// The object's name for people.
  var title: String {
    switch self {
    case .operator(let row): row.name
    case .server(let row): row.hosts.first ?? row.address
    case .relay(let row): row.name
    }
  }

  /// The relay or server as a peer for tests, and its condition. `nil` for an operator.
  var tested: (peer: Probed, condition: PeerCondition)? {
    switch self {
    case .operator: nil
    case .server(let row): (.server(row.id), row.condition)
    case .relay(let row): (.relay(row.id), row.condition)
    }
  }

  var save: StoreMutation {
    switch self {
    case .operator(let row): .saveOperator(row)
    case .server(let row): .saveServer(row)
    case .relay(let row): .saveRelay(row)
    }
  }
}

/// The last known health of a relay or server, and its beginning.
struct KnownHealth: Equatable {
  var health = PeerCondition.Health.unknown
  var since: Timestamp?

  init() {}

  init(_ condition: PeerCondition) { (health, since) = (condition.health, condition.healthSince) }
}

extension Catalog {
  /// The health of its relays and servers.
  var healths: [Probed: KnownHealth] {
    var healths: [Probed: KnownHealth] = [:]
    for row in relays.values { healths[.relay(row.id)] = KnownHealth(row.condition) }
    for row in servers.values { healths[.server(row.id)] = KnownHealth(row.condition) }
    return healths
  }
}

/// A reference to an operator, server or relay.
enum CatalogReference: Hashable, Comparable, Sendable {
  case `operator`(OperatorID)
  case server(ServerID)
  case relay(RelayID)

  var isOperator: Bool { if case .operator = self { true } else { false } }

  var changed: ChangeRow.Object {
    switch self {
    case .operator(let id): .operator(id)
    case .server(let id): .server(id)
    case .relay(let id): .relay(id)
    }
  }
}
