public import Channels
internal import RelayNetwork
internal import Storage

/// A person's request to change an operator. `nil` fields are unchanged.
public struct OperatorEdit: Hashable, Sendable {
  public var name: String?
  /// An empty text clears the field.
  public var legalName: String?
  public var domains: [String]?
  public var isEnabled: Bool?
  public var smpRoles: ServerRoles.Override
  public var xftpRoles: ServerRoles.Override
  /// When the conditions were accepted. `.some(nil)` revokes the acceptance.
  public var conditionsAcceptedAt: Timestamp??

  public init(
    name: String? = nil, legalName: String? = nil, domains: [String]? = nil, isEnabled: Bool? = nil,
    smpRoles: ServerRoles.Override = .init(), xftpRoles: ServerRoles.Override = .init(),
    conditionsAcceptedAt: Timestamp?? = nil
  ) {
    self.name = name
    self.legalName = legalName
    self.domains = domains
    self.isEnabled = isEnabled
    self.smpRoles = smpRoles
    self.xftpRoles = xftpRoles
    self.conditionsAcceptedAt = conditionsAcceptedAt
  }

  /// The edit with every field checked and in normal form.
  func validated() throws(BatonError) -> OperatorEdit {
    var edit = self
    if let name { edit.name = try Self.name(name) }
    if let legalName, !legalName.isEmpty { edit.legalName = try Self.name(legalName) }
    edit.domains = try domains.map(Self.domains)
    return edit
  }

  static func name(_ text: String) throws(BatonError) -> String {
    do { return try ObjectName.validated(text) } catch { throw .invalidDisplayName(reason: error.reason) }
  }

  static let domainsMax = 100

  static func domains(_ texts: [String]) throws(BatonError) -> [String] {
    guard texts.count <= domainsMax else {
      throw .invalidDomain(domain: texts[domainsMax], reason: "more than \(domainsMax) domains are not taken")
    }
    var seen: Set<String> = []
    var domains: [String] = []
    for text in texts {
      do {
        let domain = try Domain.validated(text)
        if seen.insert(domain).inserted { domains.append(domain) }
      } catch {
        throw .invalidDomain(domain: String(text.prefix(253)), reason: error.reason)
      }
    }
    return domains
  }
}

/// The operator to which a server or relay should belong.
public enum Assignment: Hashable, Sendable {
  /// The operator follows from the domains.
  case byDomain
  case to(OperatorID)
}

/// A person's request to change a server. `nil` fields are unchanged.
public struct ServerEdit: Hashable, Sendable {
  /// The new address, which may carry a password.
  public var address: String?
  /// An empty text clears the field.
  public var password: String?
  public var assignment: Assignment?
  public var isEnabled: Bool?
  /// The overrides. `nil` means unchanged.
  public var roles: ServerRoles.Override?

  public init(
    address: String? = nil, password: String? = nil, assignment: Assignment? = nil, isEnabled: Bool? = nil,
    roles: ServerRoles.Override? = nil
  ) {
    self.address = address
    self.password = password
    self.assignment = assignment
    self.isEnabled = isEnabled
    self.roles = roles
  }
}

/// A person's request to change a relay. `nil` fields are unchanged.
public struct RelayEdit: Hashable, Sendable {
  public var address: String?
  public var name: String?
  public var domains: [String]?
  public var assignment: Assignment?
  public var isEnabled: Bool?

  public init(
    address: String? = nil, name: String? = nil, domains: [String]? = nil, assignment: Assignment? = nil,
    isEnabled: Bool? = nil
  ) {
    self.address = address
    self.name = name
    self.domains = domains
    self.assignment = assignment
    self.isEnabled = isEnabled
  }
}

/// A change of the catalog, its texts checked and its addresses parsed.
enum CatalogChange: Equatable, Sendable {
  struct ServerPlace: Hashable, Sendable {
    let address: ServerAddress
    /// The sealed password. `nil` if there is none.
    let sealedPassword: [UInt8]?
  }
  case addOperator(OperatorEdit)
  case updateOperator(OperatorID, revision: Int64, OperatorEdit)
  case removeOperator(OperatorID)
  case addServer(ServerPlace, ServerEdit)
  /// - place: the new address or password. `nil` keeps both.
  case updateServer(ServerID, revision: Int64, ServerPlace?, ServerEdit)
  case removeServer(ServerID)
  case addRelay(NetworkKind, RelayAddress, RelayEdit)
  case updateRelay(RelayID, revision: Int64, RelayAddress?, RelayEdit)
  case removeRelay(RelayID)
  case declare(Declarations, passwords: [String: Password])
  case importPresets(NetworkKind, [Preset])

  /// An operator that a network provides.
  struct Preset: Equatable, Sendable {
    let edit: OperatorEdit
    let servers: [(place: ServerPlace, edit: ServerEdit)]
    let relays: [(address: RelayAddress, edit: RelayEdit)]

    static func == (a: Self, b: Self) -> Bool {
      a.edit == b.edit && a.servers.elementsEqual(b.servers, by: ==) && a.relays.elementsEqual(b.relays, by: ==)
    }
  }

  /// A server's password in its file.
  struct Password: Hashable, Sendable {
    let sealed: [UInt8]
    /// A digest that tells passwords apart without revealing them.
    let digest: String
  }

  /// The words of the journal for the objects that it changed.
  var title: String {
    switch self {
    case .addOperator, .addServer, .addRelay: "was added"
    case .updateOperator, .updateServer, .updateRelay: "was changed"
    case .removeOperator, .removeServer, .removeRelay: "was removed"
    case .declare: "follows its file"
    case .importPresets: "was imported"
    }
  }
}
