public import Channels
public import RelayNetwork

/// An operator that comes with a chat core, with its servers and relays as the core lists them for its user.
public struct PresetOperator: Hashable, Sendable {
  /// A message or file server of the operator.
  public struct Server: Hashable, Sendable {
    /// The address.
    public let address: ServerAddress
    /// The deviations from the roles of its operator.
    public let roles: ServerRoles.Override
    /// Whether the core may use the server.
    public let isEnabled: Bool
  }

  /// A chat relay of the operator.
  public struct Relay: Hashable, Sendable {
    /// The address in normal form.
    public let address: RelayAddress
    /// The name that the relay gives itself.
    public let name: String
    /// The domains by which the core finds its operator.
    public let domains: [String]
    /// Whether new channels may use it.
    public let isEnabled: Bool
  }

  /// The trade name.
  public let name: String
  /// The legal name, or `nil`.
  public let legalName: String?
  /// The endings of the host names of its servers.
  public let domains: [String]
  /// Whether the core may use its servers and relays.
  public let isEnabled: Bool
  /// The roles of its message servers, or `nil` if the core does not give them.
  public let smpRoles: ServerRoles.Override
  /// The roles of its file servers, or `nil` if the core does not give them.
  public let xftpRoles: ServerRoles.Override
  /// When its conditions of use were accepted in the core. `nil` if they were not, or the time is unknown.
  public let conditionsAcceptedAt: Timestamp?
  /// The entries that came with the core, in the core's order.
  public let servers: [Server]
  /// The entries that came with the core, in the core's order.
  public let relays: [Relay]
}

extension PresetOperator {
  /// Reads a group. `nil` if nothing in it came with the core. Entries that someone added to the core, or deleted there, are left out, and
  /// so are entries that Baton cannot read.
  init?(_ group: CoreServerGroup) {
    guard let owner = group.operator, !owner.name.isEmpty else { return nil }
    servers = (group.messageServers + group.fileServers).filter { $0.isPreset && !$0.isDeleted }.compactMap { server in
      guard let address = server.address else { return nil }
      return Server(address: address, roles: server.roles, isEnabled: server.isEnabled)
    }
    relays = group.relays.filter { $0.isPreset && !$0.isDeleted }.compactMap { relay in
      guard let address = try? SimpleXAddressing().parse(address: relay.address) else { return nil }
      return Relay(address: address, name: relay.name, domains: relay.domains, isEnabled: relay.isEnabled)
    }
    guard owner.tag != nil || !servers.isEmpty || !relays.isEmpty else { return nil }
    (name, legalName, domains, isEnabled) = (owner.name, owner.legalName, owner.domains, owner.isEnabled)
    (smpRoles, xftpRoles) = (owner.messageRoles, owner.fileRoles)
    conditionsAcceptedAt = owner.conditionsAcceptedAt.flatMap(Timestamp.init(core:))
  }
}
