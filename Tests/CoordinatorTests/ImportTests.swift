import Channels
import Coordinator
import Logging
import RelayNetwork
import SimpleX
import Storage
import TestSupport
import Testing

/// The presets of a chat core are imported into Baton, and nothing else changes.
@Suite(.timeLimit(.minutes(10)))
struct ImportTests {
  private static let key = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI"
  private static func relay(_ host: String) -> String { "https://\(host)/r#\(key)?c=\(key)" }
  private static func server(_ host: String) -> String { "smp://\(key)=@\(host)" }

  private static func preset(
    _ name: String, domain: String, servers: [String] = ["s1", "s2"], relays: [String] = ["r1", "r2"], isEnabled: Bool = true
  ) -> PresetImport {
    PresetImport(
      operator: OperatorEdit(
        name: name, legalName: "\(name) Ltd", domains: [domain], isEnabled: isEnabled, smpRoles: .init(storage: false),
        conditionsAcceptedAt: Timestamp(milliseconds: 5)),
      servers: servers.map {
        ServerEdit(address: server("\($0).\(domain)"), isEnabled: $0 != "s2", roles: .init(names: false))
      },
      relays: relays.map {
        RelayEdit(address: relay("\($0).\(domain)"), name: "Relay \($0)", domains: [domain], isEnabled: $0 != "r2")
      })
  }

  /// All known objects with their revisions.
  private struct Known: Equatable {
    let operators: [OperatorRow]
    let servers: [ServerRow]
    let relays: [RelayRow]

    init(_ coordinator: Coordinator) {
      (operators, servers, relays) = (coordinator.operators, coordinator.servers, coordinator.relays)
    }
  }

  @Test func unknownOperatorsServersAndRelaysAreAddedOnce() async throws {
    let bench = try await Bench()
    let presets = [Self.preset("One", domain: "one.example"), Self.preset("Two", domain: "two.example", isEnabled: false)]
    try await bench.coordinator.importPresets(presets, network: .simplex)
    let known = Known(bench.coordinator)
    #expect(known.operators.map(\.name) == ["One", "Two"] && known.operators.map(\.isEnabled) == [true, false])
    let one = try #require(known.operators.first)
    #expect(one.legalName == "One Ltd" && one.domains == ["one.example"] && one.conditionsAcceptedAt?.milliseconds == 5)
    #expect(one.smpRoles == ServerRoles(storage: false, proxy: true, names: true) && one.origin == Origin())
    #expect(known.servers.map(\.isEnabled) == [true, false, true, false] && known.servers[0].roles.names == false)
    #expect(known.relays.map(\.name) == ["Relay r1", "Relay r2", "Relay r1 (2)", "Relay r2 (2)"])
    #expect(known.relays.map(\.isEnabled) == [true, false, true, false] && known.relays[0].domains == ["one.example"])
    #expect(known.relays.map(\.relayOperator) == [1, 1, 2, 2].map(OperatorID.init(rawValue:)))
    #expect(known.servers.map(\.serverOperator) == [1, 1, 2, 2].map(OperatorID.init(rawValue:)))
    let lines = bench.log.entries.filter { $0.message.contains("was imported") }
    #expect(
      lines.count == 10 && lines.contains { $0.message == "relay 1 'Relay r1' was imported" && $0.fields["BATON_RELAY"] == "1" }
    )
    try await bench.coordinator.importPresets(presets, network: .simplex)
    #expect(Known(bench.coordinator) == known, "again changes nothing")
    try await bench.stop()
    // Nor after a restart.
    let later = try await Bench(bench)
    try await later.coordinator.importPresets(presets, network: .simplex)
    #expect(Known(later.coordinator) == known)
    try await later.stop()
  }

  @Test func whatWasChangedDisabledOrRemovedStaysSo() async throws {
    let bench = try await Bench()
    let coordinator = bench.coordinator
    let presets = [Self.preset("One", domain: "one.example"), Self.preset("Two", domain: "two.example")]
    try await coordinator.importPresets(presets, network: .simplex)
    let one = coordinator.operators[0]
    _ = try await coordinator.updateOperator(
      one.id, revision: one.revision, OperatorEdit(name: "Mine", isEnabled: false), force: true)
    _ = try await coordinator.removeRelay(coordinator.relays[0].id, force: true)
    let relay = coordinator.relays[1]
    _ = try await coordinator.updateRelay(
      relay.id, revision: relay.revision, RelayEdit(name: "r", isEnabled: true), force: true)
    _ = try await coordinator.removeServer(coordinator.servers[0].id, force: true)
    _ = try await coordinator.removeOperator(coordinator.operators[1].id, force: true)
    let known = Known(coordinator)
    try await coordinator.importPresets(presets, network: .simplex)
    #expect(Known(coordinator) == known)
    // The presets of a newer core go to the operator under its new name, and not to the one that was removed.
    let newer = presets.map { preset in
      var preset = preset
      let domain = preset.operator.domains?.first ?? ""
      preset.relays.append(RelayEdit(address: Self.relay("r3.\(domain)"), name: "Relay r3"))
      preset.servers.append(ServerEdit(address: "xftp://\(Self.key)=@x3.\(domain)"))
      // The server that was removed, under another spelling.
      preset.servers.append(ServerEdit(address: Self.server("s1.\(domain),other.\(domain)")))
      return preset
    }
    try await coordinator.importPresets(newer, network: .simplex)
    let now = Known(coordinator)
    #expect(now.operators == known.operators)
    #expect(Array(now.relays.dropLast()) == known.relays && Array(now.servers.dropLast()) == known.servers)
    #expect(now.relays.last?.relayOperator == one.id && now.servers.last?.hosts == ["x3.one.example"])
    try await bench.stop()
  }

  @Test func importLeavesWhatFilesAndPeopleAddedBefore() async throws {
    let bench = try await Bench()
    let coordinator = bench.coordinator
    let address = try SimpleXAddressing().parse(address: Self.relay("r1.one.example"))
    let declared = Declarations.Operator(
      file: "f.yaml", name: "The first", domains: ["one.example"],
      relays: [Declarations.Relay(file: "f.yaml", network: .simplex, address: address)])
    try await coordinator.declare(Declarations(operators: [declared]))
    let own = try await coordinator.addRelay(network: .simplex, RelayEdit(address: Self.relay("r1.two.example")), force: true)
    _ = try await coordinator.addServer(ServerEdit(address: Self.server("mine.two.example")), force: true)
    let known = Known(coordinator)
    try await coordinator.importPresets(
      [Self.preset("One", domain: "one.example"), Self.preset("Two", domain: "two.example", isEnabled: false)],
      network: .simplex)
    let now = Known(coordinator)
    #expect(Array(now.relays.prefix(known.relays.count)) == known.relays)
    #expect(Array(now.servers.prefix(known.servers.count)) == known.servers)
    #expect(
      now.operators.map(\.name) == ["The first", "Two"] && now.operators[0] == known.operators[0], "files speak for theirs")
    // Objects that people added have no operator, so they do not go to a new operator, which is also disabled.
    #expect(now.operators[1].domains.isEmpty && now.relays.first { $0.id == own.id }?.relayOperator == nil)
    #expect(now.relays.last?.relayOperator == now.operators[1].id && now.relays.count == known.relays.count + 1)
    #expect(now.servers.count == known.servers.count + 2)
    // Files can still take everything over.
    let theirs = Declarations.Operator(file: "f.yaml", name: "Two", domains: ["two.example"])
    try await coordinator.declare(Declarations(operators: [declared, theirs]))
    #expect(coordinator.operators[1].origin.isDeclared && coordinator.operators[1].domains == ["two.example"])
    try await bench.stop()
  }

  @Test func whatCannotBeReadIsLeftOutWithAWarning() async throws {
    let bench = try await Bench()
    var preset = Self.preset("One", domain: "one.example")
    preset.operator.domains = ["one.example", "no domain"]
    preset.servers.append(ServerEdit(address: "smp://nonsense"))
    preset.relays[0].name = "\u{1B}[31m"
    preset.relays.append(RelayEdit(address: "https://one.example/c#\(Self.key)", name: "A contact"))
    try await bench.coordinator.importPresets(
      [PresetImport(operator: OperatorEdit(name: " ")), preset], network: .simplex)
    let known = Known(bench.coordinator)
    #expect(known.operators.map(\.domains) == [["one.example"]] && known.servers.count == 2)
    #expect(known.relays.map(\.name) == ["r1.one.example", "Relay r2"])
    let warnings = bench.log.entries.filter { $0.level == .warning && $0.message.contains("is left out") }.map(\.message)
    #expect(
      warnings.count == 3 && warnings.contains { $0.hasPrefix("preset relay 'A contact' is left out: ") }, "\(warnings)")
    try await bench.stop()
  }
}
