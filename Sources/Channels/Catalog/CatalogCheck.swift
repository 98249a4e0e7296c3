/// Finds problems of operators, servers and relays as a whole (SimpleX 7.0, `validateUserServers`). It is pure: objects go in, findings
/// come out. Deleted objects are not passed to it.
public enum CatalogCheck {
  public struct Operator: Hashable, Sendable {
    public let id: OperatorID
    public let isEnabled: Bool
    public let smpRoles: ServerRoles
    public let xftpRoles: ServerRoles

    public init(id: OperatorID, isEnabled: Bool, smpRoles: ServerRoles, xftpRoles: ServerRoles) {
      self.id = id
      self.isEnabled = isEnabled
      self.smpRoles = smpRoles
      self.xftpRoles = xftpRoles
    }
  }

  public struct Server: Hashable, Sendable {
    public let id: ServerID
    public let transport: ServerProtocol
    public let hosts: [String]
    /// `nil` if it is one's own.
    public let serverOperator: OperatorID?
    public let isEnabled: Bool
    public let override: ServerRoles.Override

    public init(
      id: ServerID, transport: ServerProtocol, hosts: [String], serverOperator: OperatorID?, isEnabled: Bool,
      override: ServerRoles.Override
    ) {
      self.id = id
      self.transport = transport
      self.hosts = hosts
      self.serverOperator = serverOperator
      self.isEnabled = isEnabled
      self.override = override
    }
  }

  public struct Relay: Hashable, Sendable {
    public let id: RelayID
    public let network: NetworkKind
    public let relayOperator: OperatorID?
    public let isEnabled: Bool
    /// A key that is equal for two addresses of one relay.
    public let comparisonKey: String

    public init(id: RelayID, network: NetworkKind, relayOperator: OperatorID?, isEnabled: Bool, comparisonKey: String) {
      self.id = id
      self.network = network
      self.relayOperator = relayOperator
      self.isEnabled = isEnabled
      self.comparisonKey = comparisonKey
    }
  }

  /// A problem, or a possible one.
  public struct Finding: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
      /// No server of the protocol can be used.
      case noServers
      /// Servers can be used, but none may keep messages or files.
      case storageMissing
      /// Servers can be used, but none may act as a proxy.
      case proxyMissing
      /// Two servers of one protocol share a host.
      case duplicateServer
      /// Two relays have one address.
      case duplicateRelayAddress
      /// No relay can be chosen for a channel.
      case noEnabledRelays
      /// No message server resolves names.
      case noNamesServers
      /// A whole network is unusable.
      case networkUnusable

      /// Whether the finding keeps channels from working. All other findings are warnings.
      public var isError: Bool {
        switch self {
        case .noServers, .storageMissing, .proxyMissing, .duplicateServer, .duplicateRelayAddress, .networkUnusable: true
        case .noEnabledRelays, .noNamesServers: false
        }
      }
    }
    public let kind: Kind
    public let transport: ServerProtocol?
    public let network: NetworkKind?
    /// The host that servers share.
    public let host: String?
    public let servers: [ServerID]
    public let relays: [RelayID]
    /// The network's own report.
    private let detail: String

    init(
      _ kind: Kind, transport: ServerProtocol? = nil, network: NetworkKind? = nil, host: String? = nil,
      servers: [ServerID] = [], relays: [RelayID] = [], detail: String = ""
    ) {
      self.detail = detail
      self.kind = kind
      self.transport = transport
      self.network = network
      self.host = host
      self.servers = servers
      self.relays = relays
    }

    /// The finding on a network that is unusable as a whole. This is not a property of the catalog, but it hinders channels as much.
    public static func unusable(_ network: NetworkKind, _ detail: String, relays: [RelayID]) -> Self {
      Self(.networkUnusable, network: network, relays: relays, detail: detail)
    }

    /// Whether this held already when `earlier` was found. A change is not refused for a problem that it did not make worse.
    public func isCovered(by earlier: Finding) -> Bool {
      guard transport == earlier.transport, network == earlier.network, host == earlier.host else { return false }
      switch kind {
      case .storageMissing, .proxyMissing: return earlier.kind == kind || earlier.kind == .noServers
      case .noServers, .noEnabledRelays, .noNamesServers, .networkUnusable: return earlier.kind == kind
      case .duplicateServer, .duplicateRelayAddress:
        return earlier.kind == kind && Set(servers).isSubset(of: earlier.servers) && Set(relays).isSubset(of: earlier.relays)
      }
    }

    /// One sentence about the problem and the remedy.
    public var message: String {
      let name = transport?.rawValue.uppercased() ?? ""
      switch kind {
      case .noServers: return "no \(name) server is enabled: add or enable one, or enable its operator"
      case .storageMissing: return "no enabled \(name) server has the role 'storage': give it to one"
      case .proxyMissing: return "no enabled \(name) server has the role 'proxy': give it to one"
      case .duplicateServer:
        let ids = servers.map { "\($0.rawValue)" }.joined(separator: " and ")
        return "the \(name) servers \(ids) share the host \(host ?? ""): remove all but one"
      case .duplicateRelayAddress:
        return "the relays \(relays.map { "\($0.rawValue)" }.joined(separator: " and ")) have one address: remove all but one"
      case .noEnabledRelays:
        return "no relay\(network.map { " on \($0.rawValue)" } ?? "") is enabled: add or enable one, or enable its operator"
      case .noNamesServers: return "no enabled SMP server has the role 'names': names of channels cannot be resolved"
      case .networkUnusable: return "\(network?.rawValue ?? "a network") does not work: \(detail)"
      }
    }
  }

  /// All findings, in a fixed order.
  ///
  /// SimpleX is in use once there is a server or a SimpleX relay. Before that, missing servers do not matter.
  /// - Parameter includesUnused: report missing servers even when SimpleX is not in use.
  public static func findings(
    operators: [Operator], servers: [Server], relays: [Relay], includesUnused: Bool = false
  ) -> [Finding] {
    let operators = Dictionary(operators.map { ($0.id, $0) }) { first, _ in first }
    func isOn(_ id: OperatorID?) -> Bool { id.map { operators[$0]?.isEnabled ?? true } ?? true }
    var found: [Finding] = []
    let isInUse = includesUnused || !servers.isEmpty || relays.contains { $0.network == .simplex }
    for transport in isInUse ? ServerProtocol.allCases : [] {
      let usable = servers.filter { $0.transport == transport && $0.isEnabled && isOn($0.serverOperator) }
      let roles = usable.map { server -> ServerRoles in
        let known = server.serverOperator.flatMap { operators[$0] }
        let base = known.map { transport == .smp ? $0.smpRoles : $0.xftpRoles } ?? .own
        return base.with(server.override, on: transport)
      }
      if usable.isEmpty {
        found.append(Finding(.noServers, transport: transport))
      } else {
        let ids = usable.map(\.id).sorted()
        func note(_ kind: Finding.Kind) { found.append(Finding(kind, transport: transport, servers: ids)) }
        if !roles.contains(where: \.storage) { note(.storageMissing) }
        if !roles.contains(where: \.proxy) { note(.proxyMissing) }
        if transport == .smp, !roles.contains(where: \.names) { note(.noNamesServers) }
      }
    }
    return found + duplicates(servers) + duplicates(relays) + missing(relays, isOn)
  }

  private static func duplicates(_ servers: [Server]) -> [Finding] {
    var found: [Finding] = []
    for transport in ServerProtocol.allCases {
      var byHost: [String: [ServerID]] = [:]
      for server in servers where server.transport == transport {
        for host in Set(server.hosts) { byHost[host, default: []].append(server.id) }
      }
      for (host, ids) in byHost.sorted(by: { $0.key < $1.key }) where ids.count > 1 {
        found.append(Finding(.duplicateServer, transport: transport, host: host, servers: ids.sorted()))
      }
    }
    return found
  }

  private static func duplicates(_ relays: [Relay]) -> [Finding] {
    struct Key: Hashable {
      let network: NetworkKind
      let key: String
    }
    return Dictionary(grouping: relays) { Key(network: $0.network, key: $0.comparisonKey) }.values
      .filter { $0.count > 1 }
      .map { Finding(.duplicateRelayAddress, network: $0[0].network, relays: $0.map(\.id).sorted()) }
      .sorted { $0.relays.lexicographicallyPrecedes($1.relays) }
  }

  private static func missing(_ relays: [Relay], _ isOn: (OperatorID?) -> Bool) -> [Finding] {
    guard !relays.isEmpty else { return [Finding(.noEnabledRelays)] }
    return NetworkKind.allCases.compactMap { network in
      let own = relays.filter { $0.network == network }
      guard !own.isEmpty, !own.contains(where: { $0.isEnabled && isOn($0.relayOperator) }) else { return nil }
      return Finding(.noEnabledRelays, network: network, relays: own.map(\.id).sorted())
    }
  }
}
