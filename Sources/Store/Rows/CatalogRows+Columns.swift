internal import Channels
package import Storage
internal import StrictJSON

extension OperatorRow {
  /// The values of all columns except the sum, in the order of `SummedTable.operators`.
  package func bind(to row: inout some RowSink) {
    row.bind(id.rawValue)
    row.bind(name)
    row.bind(legalName)
    row.bind(domains.jsonText)
    row.bind(isEnabled)
    row.bind(isDeleted)
    row.bind(smpRoles.storage)
    row.bind(smpRoles.proxy)
    row.bind(smpRoles.names)
    row.bind(xftpRoles.storage)
    row.bind(xftpRoles.proxy)
    row.bind(conditionsAcceptedAt?.milliseconds)
    row.bind(origin.isPreset)
    row.bind(origin.isUndeclared)
    row.bind(origin.file)
    row.bind(origin.declaration?.text)
    row.bind(revision: revision)
  }

  /// The row that `values` reads, in the order of `SummedTable.operators`.
  /// - Throws: `StoreError.corrupt` when the row is damaged.
  package init(_ values: inout some RowSource) throws {
    let (id, name, legalName) = (OperatorID(rawValue: values.integer()), values.text(), values.textIfAny())
    let (domains, isEnabled, isDeleted) = (values.list(), values.flag(), values.flag())
    let smpRoles = ServerRoles(storage: values.flag(), proxy: values.flag(), names: values.flag())
    let xftpRoles = ServerRoles(storage: values.flag(), proxy: values.flag(), names: false)
    let acceptedAt = values.timeIfAny()
    let origin = Origin(
      isPreset: values.flag(), isUndeclared: values.flag(), file: values.textIfAny(), declaration: values.jsonIfAny())
    let revision = values.integer()
    try values.end(.operators)
    self.init(
      id: id, name: name, legalName: legalName, domains: domains, isEnabled: isEnabled, isDeleted: isDeleted,
      smpRoles: smpRoles, xftpRoles: xftpRoles, conditionsAcceptedAt: acceptedAt, origin: origin, revision: revision)
  }
}

extension ServerRow {
  /// The values of all columns except the sum, in the order of `SummedTable.servers`.
  package func bind(to row: inout some RowSink) {
    row.bind(id.rawValue)
    row.bind(transport.rawValue)
    row.bind(address)
    row.bind(fingerprint)
    row.bind(hosts.jsonText)
    row.bind(port)
    row.bind(sealedPassword)
    row.bind(serverOperator?.rawValue)
    row.bind(isOperatorAssigned)
    row.bind(isEnabled)
    row.bind(isDeleted)
    row.bind(roles.storage)
    row.bind(roles.proxy)
    row.bind(roles.names)
    row.bind(condition.tested)
    row.bind(condition.testedAt?.milliseconds)
    row.bind(condition.fullyTestedAt?.milliseconds)
    row.bind(condition.health.rawValue)
    row.bind(condition.healthSince?.milliseconds)
    row.bind(condition.lastError)
    row.bind(condition.fault)
    row.bind(condition.roundTripMilliseconds)
    row.bind(condition.failures)
    row.bind(condition.failedAt?.milliseconds)
    row.bind(origin.isPreset)
    row.bind(origin.isUndeclared)
    row.bind(origin.file)
    row.bind(origin.declaration?.text)
    row.bind(revision: revision)
  }

  /// The row that `values` reads, in the order of `SummedTable.servers`.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or has an unknown word.
  package init(_ values: inout some RowSource) throws {
    let (id, transportWord) = (ServerID(rawValue: values.integer()), values.text())
    let (address, fingerprint, hosts) = (values.text(), values.text(), values.list())
    let (port, sealedPassword) = (values.integerIfAny(), values.blobIfAny())
    let (organisation, isOperatorAssigned) = (values.integerIfAny(), values.flag())
    let (isEnabled, isDeleted) = (values.flag(), values.flag())
    let roles = ServerRoles.Override(storage: values.flagIfAny(), proxy: values.flagIfAny(), names: values.flagIfAny())
    let (tested, testedAt, fullyTestedAt) = (values.flagIfAny(), values.timeIfAny(), values.timeIfAny())
    let (healthWord, healthSince) = (values.text(), values.timeIfAny())
    let (lastError, fault, roundTrip) = (values.textIfAny(), values.textIfAny(), values.integerIfAny())
    let (failures, failedAt) = (values.count(), values.timeIfAny())
    let origin = Origin(
      isPreset: values.flag(), isUndeclared: values.flag(), file: values.textIfAny(), declaration: values.jsonIfAny())
    let revision = values.integer()
    try values.end(.servers)
    guard let transport = ServerProtocol(rawValue: transportWord), let health = PeerCondition.Health(rawValue: healthWord)
    else { throw values.unreadable(.servers) }
    self.init(
      id: id, transport: transport, address: address, fingerprint: fingerprint, hosts: hosts,
      port: port.map { Int(clamping: $0) }, sealedPassword: sealedPassword,
      serverOperator: organisation.map(OperatorID.init(rawValue:)), isOperatorAssigned: isOperatorAssigned,
      isEnabled: isEnabled, isDeleted: isDeleted, roles: roles,
      condition: PeerCondition(
        health: health, healthSince: healthSince, lastError: lastError, fault: fault, tested: tested, testedAt: testedAt,
        fullyTestedAt: fullyTestedAt, roundTripMilliseconds: roundTrip, failures: failures, failedAt: failedAt),
      origin: origin, revision: revision)
  }
}

extension RelayRow {
  /// The values of all columns except the sum, in the order of `SummedTable.relays`.
  package func bind(to row: inout some RowSink) {
    var description: JSONValue?
    if let profile {
      let members = ["name": profile.name, "text": profile.text, "software": profile.software]
      description = .object(members.compactMapValues { $0.map(JSONValue.string) })
    }
    row.bind(id.rawValue)
    row.bind(network.rawValue)
    row.bind(address)
    row.bind(name)
    row.bind(relayOperator?.rawValue)
    row.bind(isEnabled)
    row.bind(origin.isPreset)
    row.bind(isDeleted)
    row.bind(condition.tested)
    row.bind(condition.testedAt?.milliseconds)
    row.bind(condition.health.rawValue)
    row.bind(condition.healthSince?.milliseconds)
    row.bind(condition.lastError)
    row.bind(condition.roundTripMilliseconds)
    row.bind(revision: revision)
    row.bind(host)
    row.bind(comparisonKey)
    row.bind(domains.jsonText)
    row.bind(isOperatorAssigned)
    row.bind(description?.text)
    row.bind(capabilities.jsonText)
    row.bind(condition.fullyTestedAt?.milliseconds)
    row.bind(condition.fault)
    row.bind(condition.failures)
    row.bind(condition.failedAt?.milliseconds)
    row.bind(origin.isUndeclared)
    row.bind(origin.file)
    row.bind(origin.declaration?.text)
  }

  /// The row that `values` reads, in the order of `SummedTable.relays`.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or has an unknown word.
  package init(_ values: inout some RowSource) throws {
    let (id, networkWord) = (RelayID(rawValue: values.integer()), values.text())
    let (address, name, organisation) = (values.text(), values.text(), values.integerIfAny())
    let (isEnabled, isPreset, isDeleted) = (values.flag(), values.flag(), values.flag())
    let (tested, testedAt) = (values.flagIfAny(), values.timeIfAny())
    let (healthWord, healthSince) = (values.text(), values.timeIfAny())
    let (lastError, roundTrip, revision) = (values.textIfAny(), values.integerIfAny(), values.integer())
    let (host, comparisonKey, domains) = (values.text(), values.text(), values.list())
    let (isOperatorAssigned, description, capabilities) = (values.flag(), values.jsonIfAny(), values.list())
    let (fullyTestedAt, fault) = (values.timeIfAny(), values.textIfAny())
    let (failures, failedAt) = (values.count(), values.timeIfAny())
    let (isUndeclared, file, declaration) = (values.flag(), values.textIfAny(), values.jsonIfAny())
    try values.end(.relays)
    guard let network = NetworkKind(rawValue: networkWord), let health = PeerCondition.Health(rawValue: healthWord) else {
      throw values.unreadable(.relays)
    }
    self.init(
      id: id, network: network, address: address, host: host, comparisonKey: comparisonKey, name: name, domains: domains,
      relayOperator: organisation.map(OperatorID.init(rawValue:)), isOperatorAssigned: isOperatorAssigned,
      isEnabled: isEnabled, isDeleted: isDeleted,
      profile: description.map {
        Description(name: $0["name"]?.string, text: $0["text"]?.string, software: $0["software"]?.string)
      },
      capabilities: capabilities,
      condition: PeerCondition(
        health: health, healthSince: healthSince, lastError: lastError, fault: fault, tested: tested, testedAt: testedAt,
        fullyTestedAt: fullyTestedAt, roundTripMilliseconds: roundTrip, failures: failures, failedAt: failedAt),
      origin: Origin(isPreset: isPreset, isUndeclared: isUndeclared, file: file, declaration: declaration),
      revision: revision)
  }
}

extension IdentityRow {
  /// The values of all columns except the sum, in the order of `SummedTable.identities`, for an identity that was not removed.
  package func bind(to row: inout some RowSink) {
    row.bind(id.rawValue)
    row.bind(name)
    row.bind(network.rawValue)
    row.bind(publicName)
    row.bind(sealedKey)
    row.bind(createdAt.milliseconds)
    row.bind(false)
  }

  /// The row that `values` reads, in the order of `SummedTable.identities`, or `nil` if the identity was removed.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or of an unknown network.
  package init?(_ values: inout some RowSource) throws {
    let (id, name, networkWord) = (IdentityID(rawValue: values.integer()), values.text(), values.text())
    let (publicName, sealedKey) = (values.text(), values.blobIfAny())
    let (createdAt, isRemoved) = (values.integer(), values.flag())
    try values.end(.identities)
    guard !isRemoved else { return nil }
    guard let network = NetworkKind(rawValue: networkWord), let sealedKey else { throw values.unreadable(.identities) }
    self.init(
      id: id, name: name, network: network, publicName: publicName, sealedKey: sealedKey,
      createdAt: Timestamp(milliseconds: createdAt))
  }
}

extension [String] {
  /// The list as JSON.
  fileprivate var jsonText: String { JSONValue.array(map(JSONValue.string)).text }
}

extension RowSource {
  /// A list of texts as JSON. Other values are left out.
  fileprivate mutating func list() -> [String] { ((try? JSONParser.parse(text()))?.array ?? []).compactMap(\.string) }

  /// JSON, or `nil` if it is absent or not valid.
  fileprivate mutating func jsonIfAny() -> JSONValue? { textIfAny().flatMap { try? JSONParser.parse($0) } }
}
