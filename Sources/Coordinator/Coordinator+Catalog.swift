public import Channels
internal import Logging
public import RelayNetwork
internal import Secrets
internal import Sentences
public import Storage

// Operators, servers and relays.
extension Coordinator {
  // MARK: - Operators

  /// Adds an operator. The name of a removed one brings it back with its id.
  /// - Parameter force: whether to do it even if it adds errors to the catalog as a whole.
  public func addOperator(_ edit: OperatorEdit, force: Bool = false) async throws(BatonError) -> OperatorRow {
    let edit = try edit.validated()
    guard case .operator(let row)? = try await change(.addOperator(edit), force: force) else { throw .busy }
    return row
  }

  /// - Parameter force: whether to do it even if it adds errors to the catalog as a whole.
  public func updateOperator(
    _ id: OperatorID, revision: Int64, _ edit: OperatorEdit, force: Bool
  ) async throws(BatonError) -> OperatorRow {
    let edit = try edit.validated()
    guard case .operator(let row)? = try await change(.updateOperator(id, revision: revision, edit), force: force) else {
      throw .noSuchOperator(id)
    }
    return row
  }

  /// Removes an operator. Refused while servers or relays belong to it unless `force` is set, which removes them too.
  public func removeOperator(_ id: OperatorID, force: Bool) async throws(BatonError) -> OperatorRow {
    guard case .operator(let row)? = try await change(.removeOperator(id), force: force) else { throw .noSuchOperator(id) }
    return row
  }

  // MARK: - Servers

  /// Adds a message or file server. The address of a removed one brings it back with its id.
  /// - Parameters:
  ///   - edit: its address is needed and may contain a password.
  ///   - force: whether to do it even if it adds errors to the catalog as a whole.
  public func addServer(_ edit: ServerEdit, force: Bool) async throws(BatonError) -> ServerRow {
    let place = try place(of: edit)
    guard case .server(let row)? = try await change(.addServer(place, edit), force: force) else { throw .busy }
    return row
  }

  public func updateServer(
    _ id: ServerID, revision: Int64, _ edit: ServerEdit, force: Bool
  ) async throws(BatonError) -> ServerRow {
    guard let known = directory.catalog.servers[id], !known.isDeleted else { throw .noSuchServer(id) }
    var place: CatalogChange.ServerPlace?
    if edit.address != nil || edit.password != nil {
      let address = try parse(server: edit.address ?? known.address)
      let password = edit.password ?? address.password
      // The sealed password is bound to its address.
      let kept = address.text == known.address ? known.sealedPassword : nil
      place = CatalogChange.ServerPlace(
        address: address, sealedPassword: password == nil ? kept : try seal(password, address.text))
    }
    guard case .server(let row)? = try await change(.updateServer(id, revision: revision, place, edit), force: force) else {
      throw .noSuchServer(id)
    }
    return row
  }

  /// - Parameter force: whether to do it even if it adds errors to the catalog as a whole.
  public func removeServer(_ id: ServerID, force: Bool) async throws(BatonError) -> ServerRow {
    guard case .server(let row)? = try await change(.removeServer(id), force: force) else { throw .noSuchServer(id) }
    return row
  }

  // MARK: - Relays

  /// Adds a relay. The address of a removed one brings it back with its id.
  /// - Parameter edit: its address is needed. Without a name the relay is named after its host.
  public func addRelay(network kind: NetworkKind, _ edit: RelayEdit, force: Bool) async throws(BatonError) -> RelayRow {
    let address = try parse(edit.address ?? "", kind)
    let edit = try validated(edit)
    guard case .relay(let row)? = try await change(.addRelay(kind, address, edit), force: force) else { throw .busy }
    return row
  }

  public func updateRelay(
    _ id: RelayID, revision: Int64, _ edit: RelayEdit, force: Bool
  ) async throws(BatonError) -> RelayRow {
    guard let known = directory.relays[id], !known.isDeleted else { throw .noSuchRelay(id) }
    var address: RelayAddress?
    if let text = edit.address { address = try parse(text, known.network) }
    let edit = try validated(edit)
    guard case .relay(let row)? = try await change(.updateRelay(id, revision: revision, address, edit), force: force) else {
      throw .noSuchRelay(id)
    }
    return row
  }

  /// Removes a relay from the choice for new channels. Refused while channels use it unless `force` is set. These channels keep it.
  public func removeRelay(_ id: RelayID, force: Bool) async throws(BatonError) -> RelayRow {
    guard case .relay(let row)? = try await change(.removeRelay(id), force: force) else { throw .noSuchRelay(id) }
    return row
  }

  // MARK: - Files

  /// Brings operators, servers and relays in line with the files.
  /// - Throws: `BatonError`, and nothing has changed.
  public func declare(_ declarations: Declarations) async throws(BatonError) {
    var passwords: [String: CatalogChange.Password] = [:]
    for server in declarations.operators.flatMap(\.servers) + declarations.servers {
      guard let password = server.address.password else { continue }
      let address = server.address.text
      guard let sealed = try seal(password, address) else { continue }
      passwords[address] = .init(
        sealed: sealed, digest: secrets.digest(Array(password.utf8), label: SecretBox.label(ofServer: address)))
    }
    _ = try await change(.declare(declarations, passwords: passwords), force: true)
    let counts = declarations.counts
    let (operators, servers) = (counted(counts.operators, "operator"), counted(counts.servers, "server"))
    logger.event(
      .declarationsLoaded, .info, "files declare \(operators), \(servers) and \(counted(counts.relays, "relay"))", [:])
    for finding in directory.catalog.findings() where finding.kind.isError { logger.warning("\(finding.message)") }
  }

  /// Reports that the files are invalid.
  public func refuseDeclarations(_ flaws: [FileFlaw]) {
    for flaw in flaws {
      logger.event(
        .declarationsRefused, .error, "\(flaw.description). Nothing was changed",
        ["BATON_FILE": "\(flaw.file)"])
    }
  }

  // MARK: - Reading

  /// The current operators, including deleted ones.
  public var operators: [OperatorRow] { directory.catalog.operators.values.sorted { $0.id < $1.id } }

  /// The current servers, including deleted ones.
  public var servers: [ServerRow] { directory.catalog.servers.values.sorted { $0.id < $1.id } }

  /// Servers that may be used: they and their operators are enabled. Other servers are not tested, and need no attention.
  public var enabledServers: [ServerRow] {
    let catalog = directory.catalog
    return catalog.servers.values.filter(catalog.isEnabled)
  }

  /// Relays that new channels may get: they and their operators are enabled. Other relays are not tested, and need no attention.
  public var enabledRelays: [RelayRow] {
    let catalog = directory.catalog
    return directory.relays.values.filter(catalog.isEnabled)
  }

  /// The current relays, including deleted ones.
  public var relays: [RelayRow] { directory.relays.values.sorted { $0.id < $1.id } }

  /// The current object, deleted or not.
  public func object(_ changed: ChangeRow.Object) -> CatalogObject? {
    switch changed {
    case .operator(let id): directory.catalog[.operator(id)]
    case .server(let id): directory.catalog[.server(id)]
    case .relay(let id): directory.catalog[.relay(id)]
    case .channel, .channelRelay: nil
    }
  }

  /// Whether any known object is declared by a file.
  public var hasDeclared: Bool {
    let catalog = directory.catalog
    return catalog.operators.values.contains(where: \.origin.isDeclared)
      || catalog.servers.values.contains(where: \.origin.isDeclared)
      || catalog.relays.values.contains(where: \.origin.isDeclared)
  }

  /// The effective roles of a server: its operator's, or the default of servers without one, with the server's overrides.
  public func roles(of server: ServerRow) -> ServerRoles { directory.catalog.roles(of: server) }

  /// Findings about operators, servers and relays as a whole, and about networks.
  public var findings: [CatalogCheck.Finding] {
    let unusable = networkTroubles.map { unusable in
      let relays = self.relays.filter { $0.network == unusable.network && !$0.isDeleted }.map(\.id).sorted()
      return CatalogCheck.Finding.unusable(unusable.network, unusable.trouble.trouble.detail, relays: relays)
    }
    return unusable + directory.catalog.findings()
  }

  // MARK: - Tests

  /// Tests a relay step by step and records the verdict once the stream is read to its end.
  public func testRelay(_ id: RelayID) throws(BatonError) -> AsyncStream<ProbeStep> {
    guard let row = directory.relays[id], !row.isDeleted else { throw .noSuchRelay(id) }
    return remembering(.relay(id), row.address, try begin(parse(row.address, row.network), row.network))
  }

  /// Tests an address. If a known relay has it, the verdict is recorded for that relay.
  public func testRelay(address: String, network kind: NetworkKind) throws(BatonError) -> AsyncStream<ProbeStep> {
    let address = try parse(address, kind)
    if let row = directory.catalog.relay(kind, address), !row.isDeleted { return try testRelay(row.id) }
    return try begin(address, kind)
  }

  private func begin(_ address: RelayAddress, _ kind: NetworkKind) throws(BatonError) -> AsyncStream<ProbeStep> {
    guard let network = directory.networks[kind] else { throw unserved(kind) }
    return network.test(address: address, identity: directory.mainIdentity(on: kind), depth: .full)
  }

  /// Tests a server step by step and records the verdict once the stream is read to its end.
  public func testServer(_ id: ServerID) throws(BatonError) -> AsyncStream<ProbeStep> {
    guard let row = directory.catalog.servers[id], !row.isDeleted else { throw .noSuchServer(id) }
    return remembering(.server(id), row.address, try begin(parse(server: row.address)))
  }

  /// Tests the address of a server. If a known server has it, the verdict is recorded for that server.
  public func testServer(address: String) throws(BatonError) -> AsyncStream<ProbeStep> {
    let address = try parse(server: address)
    if let row = server(at: address), !row.isDeleted { return try testServer(row.id) }
    return try begin(address)
  }

  /// The servers that `text` refers to: the one with this address in any spelling, or all with this host, by id.
  /// - Throws: `invalidAddress` if it looks like an address but is not valid.
  public func servers(named text: String) throws(BatonError) -> [ServerRow] {
    if text.contains("://") { return [server(at: try parse(server: text))].compactMap { $0 }.filter { !$0.isDeleted } }
    return servers.filter { !$0.isDeleted && $0.hosts.contains(text.lowercased()) }
  }

  private func server(at address: ServerAddress) -> ServerRow? {
    directory.catalog.servers.values.first { $0.address == address.text }
  }

  private func begin(_ address: ServerAddress) throws(BatonError) -> AsyncStream<ProbeStep> {
    guard let servers = directory.servers else { throw unserved(.simplex) }
    return servers.test(address)
  }

  private func remembering(
    _ peer: Probed, _ address: String, _ steps: AsyncStream<ProbeStep>
  ) -> AsyncStream<ProbeStep> {
    AsyncStream { continuation in
      let task = Task {
        var all: [ProbeStep] = []
        for await step in steps {
          all.append(step)
          continuation.yield(step)
        }
        let verdict = ProbeVerdict(all, isFull: true)
        if !Task.isCancelled { try? await ask { .tested(peer, address: address, verdict, $0) } }
        continuation.finish()
      }
      continuation.onTermination = { if case .cancelled = $0 { task.cancel() } }
    }
  }

  // MARK: - Helpers

  func place(of edit: ServerEdit) throws(BatonError) -> CatalogChange.ServerPlace {
    let address = try parse(server: edit.address ?? "")
    return CatalogChange.ServerPlace(
      address: address, sealedPassword: try seal(edit.password ?? address.password, address.text))
  }

  func change(_ change: CatalogChange, force: Bool) async throws(BatonError) -> CatalogObject? {
    try await ask { .change(change, force: force, $0) }
  }

  func parse(_ address: String, _ kind: NetworkKind) throws(BatonError) -> RelayAddress {
    guard let addressing = directory.addressing[kind] else { throw unserved(kind) }
    do {
      return try addressing.parse(address: HumanText.link(address))
    } catch {
      throw .invalidAddress(address: error.address, reason: error.reason, position: error.position)
    }
  }

  private func parse(server address: String) throws(BatonError) -> ServerAddress {
    guard let servers = directory.servers else { throw unserved(.simplex) }
    do {
      return try servers.parse(server: HumanText.link(address))
    } catch {
      throw .invalidAddress(address: error.address, reason: error.reason, position: error.position)
    }
  }

  private func validated(_ edit: RelayEdit) throws(BatonError) -> RelayEdit {
    var edit = edit
    edit.name = try edit.name.map(OperatorEdit.name)
    edit.domains = try edit.domains.map(OperatorEdit.domains)
    return edit
  }

  /// Upper bound of a server's password, in bytes.
  public static let passwordBytesMax = 200

  private func seal(_ password: String?, _ address: String) throws(BatonError) -> [UInt8]? {
    guard let password, !password.isEmpty else { return nil }
    guard password.utf8.count <= Self.passwordBytesMax,
      password.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && !"@:/".unicodeScalars.contains($0) })
    else {
      throw .invalidAddress(
        address: address,
        reason: "the password may have at most \(Self.passwordBytesMax) bytes, without spaces and without @ : /", position: nil)
    }
    return secrets.seal(Secret(password.utf8), label: SecretBox.label(ofServer: address))
  }
}
