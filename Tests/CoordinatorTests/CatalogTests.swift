import Channels
import RelayNetwork
import SimpleX
import Storage
import StrictJSON
import Testing

@testable import Coordinator

/// The rules of operators, servers and relays, without any daemon around them.
struct CatalogTests {
  /// A catalog that people and files change.
  private struct World {
    var catalog = Catalog()
    var counters = StoreCounters(revision: 0, channel: 0, operator: 0, server: 0, relay: 0, identity: 0)

    /// Applies a change as the coordinator does: the whole or nothing of it.
    @discardableResult
    mutating func apply(_ change: CatalogChange) throws -> CatalogObject? {
      var next = catalog
      var nextCounters = counters
      let reference = try next.apply(change, counters: &nextCounters)
      (catalog, counters) = (next, nextCounters)
      return reference.flatMap { catalog[$0] }
    }

    mutating func addOperator(_ name: String, domains: [String] = []) throws -> OperatorID {
      guard case .operator(let row)? = try apply(.addOperator(OperatorEdit(name: name, domains: domains))) else { throw Lost() }
      return row.id
    }

    mutating func addServer(_ text: String, _ edit: ServerEdit = ServerEdit()) throws -> ServerRow {
      let place = CatalogChange.ServerPlace(address: try SimpleXServerAddress.parse(text), sealedPassword: nil)
      guard case .server(let row)? = try apply(.addServer(place, edit)) else { throw Lost() }
      return row
    }

    mutating func addRelay(_ address: String, _ edit: RelayEdit = RelayEdit()) throws -> RelayRow {
      guard case .relay(let row)? = try apply(.addRelay(.nostr, Self.relay(address), edit)) else { throw Lost() }
      return row
    }

    static func relay(_ address: String) -> RelayAddress {
      RelayAddress(text: address, displayHost: String(address.dropFirst(6)))
    }

    func relay(_ id: Int64) throws -> RelayRow { try #require(catalog.relays[RelayID(rawValue: id)]) }
    func server(_ id: Int64) throws -> ServerRow { try #require(catalog.servers[ServerID(rawValue: id)]) }
    func owner(_ id: Int64) throws -> OperatorRow { try #require(catalog.operators[OperatorID(rawValue: id)]) }
  }
  private struct Lost: Error {}

  private static let key = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI="
  private static func smp(_ host: String) -> String { "smp://\(key)@\(host)" }

  // MARK: - Ownership

  @Test func serversAndRelaysMapToOperatorsByDomainAtADot() throws {
    var world = World()
    let simplex = try world.addOperator("SimpleX Chat", domains: ["simplex.im"])
    #expect(try world.addServer(Self.smp("smp8.simplex.im")).serverOperator == simplex)
    #expect(try world.addServer(Self.smp("smp.notsimplex.im")).serverOperator == nil)
    #expect(try world.addServer(Self.smp("10.0.0.1")).serverOperator == nil)
    #expect(try world.addRelay("wss://relay.simplex.im").relayOperator == simplex)
    #expect(try world.addRelay("wss://elsewhere.example", RelayEdit(domains: ["simplex.im"])).relayOperator == simplex)
    #expect(try world.addRelay("wss://own.example").relayOperator == nil)
  }

  @Test func whatBelongsToNoOperatorFollowsDomainsThatAreAddedLater() throws {
    var world = World()
    let relay = try world.addRelay("wss://relay.example.org").id.rawValue
    let id = try world.addOperator("Example", domains: ["example.org"])
    #expect(try world.relay(relay).relayOperator == id)
    try world.apply(.updateOperator(id, revision: 0, OperatorEdit(domains: [])))
    #expect(try world.relay(relay).relayOperator == nil)
  }

  @Test func assignmentByAPersonOverridesDomains() throws {
    var world = World()
    let first = try world.addOperator("First", domains: ["example.org"])
    let second = try world.addOperator("Second")
    let relay = try world.addRelay("wss://r.example.org", RelayEdit(assignment: .to(second)))
    #expect(relay.relayOperator == second)
    try world.apply(.updateRelay(relay.id, revision: 0, nil, RelayEdit(assignment: .byDomain)))
    #expect(try world.relay(1).relayOperator == first)
    #expect(throws: BatonError.noSuchOperator(OperatorID(rawValue: 9))) {
      try world.addRelay("wss://x.example", RelayEdit(assignment: .to(OperatorID(rawValue: 9))))
    }
  }

  @Test func disabledOperatorTakesItsRelaysOutOfTheChoice() throws {
    var world = World()
    let id = try world.addOperator("Example", domains: ["example.org"])
    _ = try world.addRelay("wss://r.example.org")
    let own = try world.addRelay("wss://own.example")
    func eligible() -> [RelayID] {
      world.catalog.candidates(on: .nostr, at: Timestamp(milliseconds: 0)).filter(\.isEligible).map(\.relay).sorted()
    }
    #expect(eligible().count == 2)
    try world.apply(.updateOperator(id, revision: 0, OperatorEdit(isEnabled: false)))
    #expect(eligible() == [own.id])
  }

  // MARK: - Roles

  @Test func rolesComeFromTheServerThenTheOperatorThenTheDefault() throws {
    var world = World()
    let flux = try world.addOperator("Flux", domains: ["simplexonflux.com"])
    try world.apply(.updateOperator(flux, revision: 0, OperatorEdit(smpRoles: .init(storage: false))))
    let theirs = try world.addServer(Self.smp("smp1.simplexonflux.com"))
    #expect(world.catalog.roles(of: theirs) == ServerRoles(storage: false, proxy: true, names: true))
    let deviating = try world.addServer(
      Self.smp("smp2.simplexonflux.com"), ServerEdit(roles: .init(storage: true, names: false)))
    #expect(world.catalog.roles(of: deviating) == ServerRoles(storage: true, proxy: true, names: false))
    let own = try world.addServer(Self.smp("smp.example.org"))
    #expect(world.catalog.roles(of: own) == ServerRoles(storage: true, proxy: true, names: false))
    let files = try world.addServer("xftp://\(Self.key)@x.example.org", ServerEdit(roles: .init(names: true)))
    #expect(!world.catalog.roles(of: files).names, "file servers resolve no names")
  }

  // MARK: - Adding and removing

  @Test func addressOfARemovedRelayOrServerBringsItBackWithItsID() throws {
    var world = World()
    var relay = try world.addRelay("wss://r.example")
    try world.apply(.removeRelay(relay.id))
    #expect(try world.relay(1).isDeleted)
    relay = try world.addRelay("wss://r.example", RelayEdit(name: "again"))
    #expect(relay.id.rawValue == 1 && !relay.isDeleted && relay.name == "again")
    let server = try world.addServer(Self.smp("s.example"))
    try world.apply(.removeServer(server.id))
    #expect(try world.addServer(Self.smp("S.example:5223")).id == server.id)
    #expect(throws: BatonError.duplicateAddress(1)) { try world.addServer(Self.smp("s.example")) }
  }

  @Test func sameRelayWrittenDifferentlyIsOne() throws {
    var world = World()
    func add(_ text: String) throws {
      try world.apply(.addRelay(.simplex, SimpleXAddressing().parse(address: text), RelayEdit()))
    }
    try add("https://smp4.simplex.im/r#yxNOMJcry5jMTRPEBVtGBATYaKeoRIsZRBPIDLx7x6M")
    #expect(throws: BatonError.duplicateAddress(1)) {
      try add("simplex:/R#yxNOMJcry5jMTRPEBVtGBATYaKeoRIsZRBPIDLx7x6M?h=smp4.simplex.im")
    }
  }

  @Test func operatorTakesItsServersAndRelaysAlong() throws {
    var world = World()
    let id = try world.addOperator("Example", domains: ["example.org"])
    _ = try world.addRelay("wss://r.example.org")
    _ = try world.addServer(Self.smp("s.example.org"))
    #expect(world.catalog.belongings(of: id).servers.count == 1)
    try world.apply(.removeOperator(id))
    #expect(try world.relay(1).isDeleted && world.server(1).isDeleted && world.owner(1).isDeleted)
    #expect(try world.addOperator("Example") == id, "the name brings it back with its id")
  }

  @Test func relaysWithoutANameGetOneThatIsFree() throws {
    var world = World()
    _ = try world.addRelay("wss://a.example")
    #expect(try world.relay(1).name == "a.example")
    try world.apply(.updateRelay(RelayID(rawValue: 1), revision: 0, nil, RelayEdit(name: "b.example")))
    #expect(try world.addRelay("wss://b.example").name == "b.example (2)")
    #expect(throws: BatonError.duplicateName("b.example")) {
      try world.addRelay("wss://c.example", RelayEdit(name: "b.example"))
    }
  }

  /// People who read two names see no difference between them.
  @Test func namesThatLookAlikeAreOneName() throws {
    var world = World()
    _ = try world.addOperator("☀ Club")
    _ = try world.addRelay("wss://a.example", RelayEdit(name: "☀ Relay"))
    #expect(throws: BatonError.duplicateName("☀ Club")) { try world.addOperator("☀\u{FE0F} Club") }
    #expect(throws: BatonError.duplicateName("☀ Relay")) {
      try world.addRelay("wss://b.example", RelayEdit(name: "☀\u{FE0F} Relay"))
    }
  }

  @Test func staleUpdateIsRefusedWithTheCurrentObject() throws {
    var world = World()
    let relay = try world.addRelay("wss://a.example")
    world.catalog.relays[relay.id]?.revision = 7
    let current = try world.relay(1)
    #expect(throws: BatonError.staleRevision(current: .relay(current))) {
      try world.apply(.updateRelay(relay.id, revision: 6, nil, RelayEdit(name: "x")))
    }
    #expect(try world.relay(1).name == "a.example")
  }

  // MARK: - Errors that a change adds

  @Test func veryFirstServerIsTakenThoughTheOtherKindIsMissing() throws {
    var world = World()
    _ = try world.addRelay("wss://a.example")
    let before = world.catalog
    _ = try world.addServer(Self.smp("s.example"))
    #expect(world.catalog.errors(since: before).isEmpty)
    #expect(world.catalog.findings().map(\.kind) == [.noNamesServers, .noServers])
  }

  @Test func disablingTheLastServerAddsAnError() throws {
    var world = World()
    let server = try world.addServer(Self.smp("s.example"))
    let before = world.catalog
    try world.apply(.updateServer(server.id, revision: 0, nil, ServerEdit(isEnabled: false)))
    #expect(world.catalog.errors(since: before).map(\.kind) == [.noServers])
    #expect(world.catalog.errors(since: world.catalog).isEmpty, "what was wrong before is not held against a change")
  }

  @Test func serverThatSharesAHostAddsAnError() throws {
    var world = World()
    _ = try world.addServer(Self.smp("a.example,x.onion"))
    let before = world.catalog
    _ = try world.addServer(Self.smp("b.example,x.onion"))
    #expect(world.catalog.errors(since: before).map(\.kind) == [.duplicateServer])
  }

  // MARK: - Files

  private func relay(_ address: String, name: String? = nil, isEnabled: Bool = true, domains: [String] = [])
    -> Declarations.Relay
  {
    .init(
      file: "f.yaml", network: .nostr, address: World.relay(address), name: name, domains: domains, isEnabled: isEnabled)
  }

  private func file(_ relays: Declarations.Relay...) -> CatalogChange {
    .declare(Declarations(operators: [.init(file: "f.yaml", name: "Example", relays: relays)]), passwords: [:])
  }

  @Test func whatFilesDeclareIsPresetAndItsAddressIsReadOnly() throws {
    var world = World()
    try world.apply(file(relay("wss://a.example", name: "a")))
    let row = try world.relay(1)
    #expect(row.origin.isDeclared && row.origin.file == "f.yaml" && row.relayOperator == OperatorID(rawValue: 1))
    #expect(throws: BatonError.declaredByFile(field: "address", file: "f.yaml")) {
      try world.apply(.updateRelay(row.id, revision: 0, World.relay("wss://b.example"), RelayEdit()))
    }
    #expect(throws: BatonError.declaredByFile(field: "name", file: "f.yaml")) {
      try world.apply(.updateOperator(OperatorID(rawValue: 1), revision: 0, OperatorEdit(name: "Other")))
    }
  }

  @Test func presetMayBeDisabledAndStaysSoUntilTheFileSaysOtherwise() throws {
    var world = World()
    try world.apply(file(relay("wss://a.example", name: "a")))
    try world.apply(.updateRelay(RelayID(rawValue: 1), revision: 0, nil, RelayEdit(name: "mine", isEnabled: false)))
    try world.apply(file(relay("wss://a.example", name: "a")))
    #expect(try !world.relay(1).isEnabled && world.relay(1).name == "mine")
    try world.apply(file(relay("wss://a.example", name: "new", isEnabled: false)))
    #expect(try world.relay(1).name == "new")
    try world.apply(file(relay("wss://a.example", name: "new", isEnabled: true)))
    #expect(try world.relay(1).isEnabled)
  }

  @Test func presetThatWasRemovedComesBack() throws {
    var world = World()
    try world.apply(file(relay("wss://a.example")))
    try world.apply(.removeOperator(OperatorID(rawValue: 1)))
    #expect(try world.relay(1).isDeleted)
    try world.apply(file(relay("wss://a.example")))
    #expect(try !world.relay(1).isDeleted && world.relay(1).isEnabled && !world.owner(1).isDeleted)
  }

  @Test func whatVanishesFromFilesIsDisabledAndMarked() throws {
    var world = World()
    try world.apply(file(relay("wss://a.example"), relay("wss://b.example")))
    try world.apply(file(relay("wss://b.example")))
    let row = try world.relay(1)
    #expect(!row.isEnabled && !row.isDeleted && row.origin.isUndeclared && row.origin.isPreset)
    try world.apply(.declare(Declarations(), passwords: [:]))
    #expect(try !world.owner(1).isEnabled && world.owner(1).origin.isUndeclared && world.relay(2).origin.isUndeclared)
    // A relay that a person enables again is theirs from then on; files that still do not name it leave it alone.
    try world.apply(.updateRelay(RelayID(rawValue: 1), revision: 0, nil, RelayEdit(isEnabled: true)))
    try world.apply(.declare(Declarations(), passwords: [:]))
    #expect(try world.relay(1).isEnabled && world.relay(1).origin == Origin())
    // A relay that is declared again is enabled again.
    try world.apply(file(relay("wss://b.example")))
    #expect(try world.relay(2).isEnabled && world.relay(2).origin.isDeclared && world.owner(1).isEnabled)
  }

  @Test func fileAdoptsWhatAPersonAddedBefore() throws {
    var world = World()
    let mine = try world.addRelay("wss://a.example", RelayEdit(name: "mine"))
    try world.apply(file(relay("wss://a.example", name: "theirs")))
    #expect(try world.relay(1).id == mine.id && world.relay(1).name == "theirs" && world.relay(1).origin.isPreset)
    #expect(world.catalog.relays.count == 1)
  }

  @Test func fileMaySwapTheNamesOfItsRelays() throws {
    var world = World()
    try world.apply(file(relay("wss://a.example", name: "one"), relay("wss://b.example", name: "two")))
    try world.apply(file(relay("wss://a.example", name: "two"), relay("wss://b.example", name: "one")))
    #expect(try world.relay(1).name == "two" && world.relay(2).name == "one")
  }

  @Test func nameThatAnotherRelayHasIsRefusedWithTheFile() throws {
    var world = World()
    _ = try world.addRelay("wss://own.example", RelayEdit(name: "taken"))
    #expect { try world.apply(file(relay("wss://a.example", name: "taken"))) } throws: { error in
      guard case .invalidFiles(let flaws) = error as? BatonError else { return false }
      return flaws.first?.file == "f.yaml" && flaws.first?.text.contains("'taken'") == true
    }
    #expect(world.catalog.relays.count == 1)
  }

  @Test func relayThatMovesInItsFileKeepsItsName() throws {
    var world = World()
    try world.apply(file(relay("wss://old.example", name: "a")))
    try world.apply(file(relay("wss://new.example", name: "a")))
    #expect(try world.relay(2).name == "a" && world.relay(2).isEnabled)
    #expect(try world.relay(1).origin.isUndeclared && world.relay(1).name == "old.example")
  }

  @Test func relayWithoutANameYieldsToOneThatIsGivenThatName() throws {
    var world = World()
    try world.apply(file(relay("wss://r.example"), relay("wss://x.example", name: "r.example")))
    #expect(try world.relay(1).name == "r.example (2)" && world.relay(2).name == "r.example")
  }

  @Test func spellingThatIsPutRightInTheFileIsTaken() throws {
    var world = World()
    let key = "yxNOMJcry5jMTRPEBVtGBATYaKeoRIsZRBPIDLx7x6M"
    func declare(_ text: String) throws {
      let address = try SimpleXAddressing().parse(address: text)
      let relay = Declarations.Relay(file: "f.yaml", network: .simplex, address: address)
      try world.apply(.declare(Declarations(relays: [relay]), passwords: [:]))
    }
    try declare("https://smp.example/r#\(key)?c=\(key)")
    try declare("https://smp.example/r#\(key)?p=7001&c=\(key)")
    #expect(world.catalog.relays.count == 1)
    #expect(try world.relay(1).address.contains("p=7001"))
  }

  @Test func operatorThatFilesNoLongerNameGetsNothingNew() throws {
    var world = World()
    func declare(_ name: String) throws {
      let item = Declarations.Operator(file: "f.yaml", name: name, domains: ["example.org"])
      try world.apply(.declare(Declarations(operators: [item]), passwords: [:]))
    }
    try declare("Before")
    _ = try world.addRelay("wss://r.example.org")
    try declare("After")
    #expect(try world.relay(1).relayOperator == OperatorID(rawValue: 2))
    #expect(world.catalog.isOperatorEnabled(try world.relay(1).relayOperator))
  }

  @Test func passwordOfAPersonStaysUntilTheFileGivesAnother() throws {
    var world = World()
    let address = try SimpleXServerAddress.parse(Self.smp("s.example"))
    func declare(_ password: UInt8?) throws {
      let server = Declarations.Server(file: "f.yaml", address: address)
      let passwords = password.map { [address.text: CatalogChange.Password(sealed: [$0], digest: "\($0)")] } ?? [:]
      try world.apply(.declare(Declarations(servers: [server]), passwords: passwords))
    }
    try declare(1)
    #expect(try world.server(1).sealedPassword == [1])
    let place = CatalogChange.ServerPlace(address: address, sealedPassword: [9])
    try world.apply(.updateServer(ServerID(rawValue: 1), revision: 0, place, ServerEdit()))
    try declare(1)
    #expect(try world.server(1).sealedPassword == [9])
    try declare(2)
    #expect(try world.server(1).sealedPassword == [2])
    try declare(nil)
    #expect(try world.server(1).sealedPassword == nil)
  }

  // MARK: - Changes that make nothing worse

  @Test func removalThatMendsSomethingIsNotHeldAgainstTheRest() throws {
    var world = World()
    for host in ["a", "b", "c"] { _ = try world.addServer(Self.smp("\(host).example,x.onion")) }
    let before = world.catalog
    try world.apply(.removeServer(ServerID(rawValue: 3)))
    #expect(world.catalog.errors(since: before).isEmpty && world.catalog.findings().contains { $0.kind == .duplicateServer })
  }

  @Test func firstServerWithoutStorageIsNoWorseThanNone() throws {
    var world = World()
    let flux = try world.addOperator("Flux", domains: ["simplexonflux.com"])
    try world.apply(.updateOperator(flux, revision: 0, OperatorEdit(smpRoles: .init(storage: false))))
    let before = world.catalog
    _ = try world.addServer(Self.smp("smp1.simplexonflux.com"))
    #expect(world.catalog.errors(since: before).isEmpty)
  }

  @Test func onionHostsAreInNoDomain() throws {
    var world = World()
    _ = try world.addOperator("All", domains: ["onion"])
    #expect(
      try world.addServer(Self.smp("beccx4yfxxbvyhqypaavemqurytl6hozr47wfc7uuecacjqdvwpw2xid.onion")).serverOperator == nil)
  }

  /// Files of the largest size must not take minutes, because they are read before the daemon is ready.
  @Test func twentyThousandObjectsAreDeclaredAndChanged() throws {
    var world = World()
    let operators = (0..<2_000).map { number in
      Declarations.Operator(
        file: "f.yaml", name: "o\(number)", domains: ["d\(number).example"],
        relays: [relay("wss://r\(number).elsewhere.example")])
    }
    let own = (0..<16_000).map { relay("wss://own.example/\($0)") }
    try world.apply(.declare(Declarations(operators: operators, relays: own), passwords: [:]))
    #expect(world.catalog.relays.count == 18_000)
    let names = Set(world.catalog.relays.values.map(\.name))
    #expect(names.count == 18_000, "all names differ")
    try world.apply(.updateRelay(RelayID(rawValue: 1), revision: 0, nil, RelayEdit(name: "x")))
  }
}
