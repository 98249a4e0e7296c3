internal import Channels
internal import RelayNetwork
internal import Store
internal import StrictJSON

extension Catalog {
  /// Brings the catalog in line with the files.
  ///
  /// What a person changed lasts until the file says something else than when it was last loaded. What is declared and was removed
  /// comes back. What is not declared any more is disabled and marked.
  /// - Parameter passwords: sealed passwords by server address.
  mutating func declare(
    _ declarations: Declarations, _ passwords: [String: [UInt8]], _ counters: inout Store.Counters
  ) throws(BatonError) {
    var seen: Set<CatalogReference> = []
    for item in declarations.operators {
      let id = declare(item, &counters)
      seen.insert(.operator(id))
      for server in item.servers { seen.insert(declare(server, id, passwords, &counters)) }
      for relay in item.relays { seen.insert(declare(relay, id, &counters)) }
    }
    for server in declarations.servers { seen.insert(declare(server, nil, passwords, &counters)) }
    for relay in declarations.relays { seen.insert(declare(relay, nil, &counters)) }
    try checkNames(declarations)

    for (id, row) in operators where row.origin.isDeclared && !seen.contains(.operator(id)) {
      operators[id]?.isEnabled = false
      operators[id]?.origin.isUndeclared = true
    }
    for (id, row) in servers where row.origin.isDeclared && !seen.contains(.server(id)) {
      servers[id]?.isEnabled = false
      servers[id]?.origin.isUndeclared = true
    }
    for (id, row) in relays where row.origin.isDeclared && !seen.contains(.relay(id)) {
      relays[id]?.isEnabled = false
      relays[id]?.origin.isUndeclared = true
    }
  }

  /// Tells which members of a declaration are to be applied.
  private struct News {
    let old: JSONValue?
    let new: JSONValue

    /// - Parameter isFresh: whether all of it counts as new.
    init(_ origin: Origin, _ new: JSONValue, isFresh: Bool) {
      old = isFresh || !origin.isDeclared ? nil : origin.declaration
      self.new = new
    }

    func says(_ member: String) -> Bool { old == nil || old?[member] != new[member] }
  }

  private mutating func declare(_ item: Declarations.Operator, _ counters: inout Store.Counters) -> OperatorID {
    let same = operators.values.filter { $0.name == item.name }.min {
      ($0.isDeleted ? 1 : 0, $0.id) < ($1.isDeleted ? 1 : 0, $1.id)
    }
    let id = same?.id ?? OperatorID(rawValue: counters.operator + 1)
    counters.operator = max(counters.operator, id.rawValue)
    var row = same ?? OperatorRow(id: id, name: item.name)
    let declaration: JSONValue = [
      "legalName": item.legalName.map(JSONValue.string) ?? .null, "domains": .array(item.domains.map(JSONValue.string)),
      "enabled": .bool(item.isEnabled), "smp": Self.json(item.smpRoles), "xftp": Self.json(item.xftpRoles),
      "conditionsAcceptedAt": item.conditionsAcceptedAt.map { .integer($0.milliseconds) } ?? .null,
    ]
    let news = News(row.origin, declaration, isFresh: same == nil || row.isDeleted)
    if news.says("legalName") { row.legalName = item.legalName }
    if news.says("domains") { row.domains = item.domains }
    if news.says("enabled") { row.isEnabled = item.isEnabled }
    if news.says("smp") { row.smpRoles = item.smpRoles }
    if news.says("xftp") { row.xftpRoles = item.xftpRoles }
    // The file may say that the conditions were accepted; a person's acceptance is not taken back by its silence.
    if news.says("conditionsAcceptedAt"), let accepted = item.conditionsAcceptedAt { row.conditionsAcceptedAt = accepted }
    row.isDeleted = false
    row.origin = Origin(isPreset: true, file: item.file, declaration: declaration)
    operators[id] = row
    return id
  }

  private mutating func declare(
    _ item: Declarations.Server, _ owner: OperatorID?, _ passwords: [String: [UInt8]], _ counters: inout Store.Counters
  ) -> CatalogReference {
    let address = item.address
    let same = servers.values.first { $0.address == address.text }
    let id = same?.id ?? ServerID(rawValue: counters.server + 1)
    counters.server = max(counters.server, id.rawValue)
    var row =
      same
      ?? ServerRow(
        id: id, transport: address.transport, address: address.text, fingerprint: address.fingerprint,
        hosts: address.hosts, port: address.port)
    let declaration: JSONValue = [
      "enabled": .bool(item.isEnabled), "roles": Self.json(item.roles),
      "operator": owner.map { .integer($0.rawValue) } ?? .null,
    ]
    let news = News(row.origin, declaration, isFresh: same == nil || row.isDeleted)
    if news.says("enabled") { row.isEnabled = item.isEnabled }
    if news.says("roles") { row.roles = item.roles }
    if news.says("operator") { (row.serverOperator, row.isOperatorAssigned) = (owner, owner != nil) }
    if let sealed = passwords[address.text] { row.sealedPassword = sealed }
    row.isDeleted = false
    row.origin = Origin(isPreset: true, file: item.file, declaration: declaration)
    servers[id] = row
    return .server(id)
  }

  private mutating func declare(
    _ item: Declarations.Relay, _ owner: OperatorID?, _ counters: inout Store.Counters
  ) -> CatalogReference {
    let same = relay(item.network, item.address)
    let id = same?.id ?? RelayID(rawValue: counters.relay + 1)
    counters.relay = max(counters.relay, id.rawValue)
    let address = item.address
    var row =
      same
      ?? RelayRow(
        id: id, network: item.network, address: address.text, host: address.host, comparisonKey: address.comparisonKey,
        name: "", revision: 0)
    let declaration: JSONValue = [
      "name": item.name.map(JSONValue.string) ?? .null, "enabled": .bool(item.isEnabled),
      "domains": .array(item.domains.map(JSONValue.string)), "operator": owner.map { .integer($0.rawValue) } ?? .null,
    ]
    let news = News(row.origin, declaration, isFresh: same == nil || row.isDeleted)
    // Names are checked once all are known: files may swap those of two relays.
    if let name = item.name {
      if news.says("name") { row.name = name }
    } else if row.name.isEmpty || row.isDeleted {
      row.name = freeName(address.displayHost, except: id)
    }
    if news.says("enabled") { row.isEnabled = item.isEnabled }
    if news.says("domains") { row.domains = item.domains }
    if news.says("operator") { (row.relayOperator, row.isOperatorAssigned) = (owner, owner != nil) }
    row.isDeleted = false
    row.origin = Origin(isPreset: true, file: item.file, declaration: declaration)
    relays[id] = row
    return .relay(id)
  }

  private func checkNames(_ declarations: Declarations) throws(BatonError) {
    let byName = Dictionary(grouping: relays.values.filter { !$0.isDeleted }, by: \.name)
    var flaws: [FileFlaw] = []
    for item in declarations.operators.flatMap(\.relays) + declarations.relays {
      guard let row = relay(item.network, item.address), let other = byName[row.name]?.first(where: { $0.id != row.id }) else {
        continue
      }
      flaws.append(
        FileFlaw(
          file: item.file, line: nil, column: nil,
          text: "the name '\(row.name)' of relay \(row.address) is in use by relay \(other.id.rawValue), \(other.address)"))
    }
    guard flaws.isEmpty else { throw .invalidFiles(flaws) }
  }

  private static func json(_ roles: ServerRoles) -> JSONValue {
    ["storage": .bool(roles.storage), "proxy": .bool(roles.proxy), "names": .bool(roles.names)]
  }

  private static func json(_ roles: ServerRoles.Override) -> JSONValue {
    let members = ["storage": roles.storage, "proxy": roles.proxy, "names": roles.names]
    return .object(members.compactMapValues { $0.map(JSONValue.bool) })
  }
}
