public import Channels
public import RelayNetwork

/// An operator that comes with a chat core, with its servers and relays as the core lists them for its user.
public struct PresetOperator: Hashable, Sendable {
  /// A message or file server of the operator.
  public struct Server: Hashable, Sendable {
    /// Where it is.
    public let address: ServerAddress
    /// Where its roles differ from those of its operator.
    public let roles: ServerRoles.Override
    /// Whether the core may use it.
    public let isEnabled: Bool
  }

  /// A chat relay of the operator.
  public struct Relay: Hashable, Sendable {
    /// In normal form.
    public let address: RelayAddress
    /// What it calls itself.
    public let name: String
    /// By these the core finds its operator.
    public let domains: [String]
    /// Whether new channels may use it.
    public let isEnabled: Bool
  }

  /// The trade name.
  public let name: String
  /// nil: the core knows none.
  public let legalName: String?
  /// Endings of the host names of its servers.
  public let domains: [String]
  /// Whether the core may use its servers and relays.
  public let isEnabled: Bool
  /// What its message servers may do; nil where the core does not say.
  public let smpRoles: ServerRoles.Override
  /// What its file servers may do; nil where the core does not say.
  public let xftpRoles: ServerRoles.Override
  /// When its conditions of use were accepted in the core; nil: they were not, or nobody knows when.
  public let conditionsAcceptedAt: Timestamp?
  /// Those that came with the core, in its order.
  public let servers: [Server]
  /// Those that came with the core, in its order.
  public let relays: [Relay]
}

extension PresetOperator {
  /// nil when nothing of the group came with the core. What somebody added to the core, or gave up there, is left out, and so is what
  /// Baton cannot read.
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
