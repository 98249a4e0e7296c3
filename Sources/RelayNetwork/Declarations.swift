public import Channels

/// The content of all files in `operators.d` together.
public struct Declarations: Hashable, Sendable {
  public var operators: [Operator]
  /// One's own servers.
  public var servers: [Server]
  /// One's own relays.
  public var relays: [Relay]

  public init(operators: [Operator] = [], servers: [Server] = [], relays: [Relay] = []) {
    self.operators = operators
    self.servers = servers
    self.relays = relays
  }

  /// The number of each kind, wherever they are declared.
  public var counts: (operators: Int, servers: Int, relays: Int) {
    (
      operators.count, operators.reduce(servers.count) { $0 + $1.servers.count },
      operators.reduce(relays.count) { $0 + $1.relays.count }
    )
  }

  public struct Operator: Hashable, Sendable {
    /// Name of the file that declares it.
    public var file: String
    public var name: String
    public var legalName: String?
    public var domains: [String]
    public var isEnabled: Bool
    public var smpRoles: ServerRoles
    public var xftpRoles: ServerRoles
    public var conditionsAcceptedAt: Timestamp?
    public var servers: [Server]
    public var relays: [Relay]

    public init(
      file: String, name: String, legalName: String? = nil, domains: [String] = [], isEnabled: Bool = true,
      smpRoles: ServerRoles = ServerRoles(storage: true, proxy: true, names: true),
      xftpRoles: ServerRoles = ServerRoles(storage: true, proxy: true, names: false),
      conditionsAcceptedAt: Timestamp? = nil, servers: [Server] = [], relays: [Relay] = []
    ) {
      self.file = file
      self.name = name
      self.legalName = legalName
      self.domains = domains
      self.isEnabled = isEnabled
      self.smpRoles = smpRoles
      self.xftpRoles = xftpRoles
      self.conditionsAcceptedAt = conditionsAcceptedAt
      self.servers = servers
      self.relays = relays
    }
  }

  public struct Server: Hashable, Sendable {
    public var file: String
    public var address: ServerAddress
    public var isEnabled: Bool
    public var roles: ServerRoles.Override

    public init(file: String, address: ServerAddress, isEnabled: Bool = true, roles: ServerRoles.Override = .init()) {
      self.file = file
      self.address = address
      self.isEnabled = isEnabled
      self.roles = roles
    }
  }

  public struct Relay: Hashable, Sendable {
    public var file: String
    /// The line in the file, from 1, or `nil` if it does not come from a file.
    public var line: Int?
    public var network: NetworkKind
    public var address: RelayAddress
    /// The name, or `nil` for the host.
    public var name: String?
    public var domains: [String]
    public var isEnabled: Bool

    public init(
      file: String, line: Int? = nil, network: NetworkKind, address: RelayAddress, name: String? = nil, domains: [String] = [],
      isEnabled: Bool = true
    ) {
      self.file = file
      self.line = line
      self.network = network
      self.address = address
      self.name = name
      self.domains = domains
      self.isEnabled = isEnabled
    }
  }
}

/// An error in a file that declares operators.
public struct FileFlaw: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// The line, from 1, or `nil` if the whole file is meant.
  public let line: Int?
  public let column: Int?
  public let text: String

  public init(file: String, line: Int?, column: Int?, text: String) {
    self.file = file
    self.line = line
    self.column = column
    self.text = text
  }

  public var description: String {
    ([file] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":") + ": \(text)"
  }
}
