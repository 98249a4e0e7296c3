import Channels
import Logging
import NIOPosix
import RelayNetwork
import ScriptedCore
import StrictJSON
import Testing

@testable import SimpleX

/// What a core brings along is told, and told again only when it is something else.
@Suite(.timeLimit(.minutes(10)))
struct CorePresetsTests {
  @Test func presetsAreToldAfterEachConnectWhenTheyChanged() async throws {
    let server = try await ScriptedServer(CoreModel.withPresets(), group: MultiThreadedEventLoopGroup.singleton)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let client = CoreClient(
      endpoint: try CoreEndpoint(host: "127.0.0.1", port: try await server.port),
      group: MultiThreadedEventLoopGroup.singleton, limits: .patient(redial: .milliseconds(20)), logger: logger)
    let (told, telling) = AsyncStream.makeStream(of: [PresetOperator].self)
    let network = SimpleXNetwork(
      client: client, lanes: [], logger: logger, now: { Timestamp(milliseconds: 0) }, known: { _ in nil },
      served: { _, _ in [] },
      presets: { telling.yield($0) })
    let task = Task { await network.run { _ in } }
    var tellings = told.makeAsyncIterator()

    let first = try #require(await tellings.next())
    #expect(first.map(\.name) == ["SimpleX Chat", "Flux"] && first.allSatisfy(\.isEnabled))
    #expect(first[0].legalName == "SimpleX Chat Ltd" && first[0].domains == ["simplex.im"])
    #expect(first[1].smpRoles == ServerRoles.Override(storage: false, proxy: true, names: true))
    #expect(first.allSatisfy { $0.servers.count == 6 && $0.conditionsAcceptedAt == nil })
    #expect(first[0].servers.map(\.address.transport) == [.smp, .smp, .smp, .xftp, .xftp, .xftp])
    #expect(first[0].servers[0].roles.isEmpty && first[0].servers[0].address.hosts == ["smp1.simplex.im"])
    #expect(first[0].relays.map(\.address.text) == CoreModel.presetRelays && first[1].relays.isEmpty)
    #expect(first[0].relays[2].name == "SimpleX Chat Relay 3" && first[0].relays[2].domains == ["simplex.im"])

    // The same list is not told again.
    try await server.dropConnections()
    try await server.wait(forCommand: "/_servers 1", times: 2)
    // Someone turned the first operator off in the core and accepted its conditions there.
    try await server.withModel { model in
      model.editFirstOperator { members in
        members["enabled"] = false
        members["conditionsAcceptance"] = ["type": "accepted", "acceptedAt": "2026-01-02T03:04:05Z", "autoAccepted": false]
      }
    }
    try await server.dropConnections()
    let second = try #require(await tellings.next())
    #expect(second.map(\.isEnabled) == [false, true] && second[0].relays == first[0].relays)
    #expect(second[0].conditionsAcceptedAt == Timestamp(core: "2026-01-02T03:04:05Z"))
    #expect(second[0].conditionsAcceptedAt != nil && second[1] == first[1])
    task.cancel()
    await task.value
    try await server.stop()
    telling.finish()
    #expect(await tellings.next() == nil)
  }

  @Test func whatSomebodyAddedOrGaveUpIsNoPreset() throws {
    func group(_ json: JSONValue) throws -> PresetOperator? { PresetOperator(try CoreServerGroup(try CoreReader(json))) }
    func relay(_ number: Int, preset: Bool, deleted: Bool, address: String? = nil) -> JSONValue {
      [
        "chatRelayId": .integer(Int64(number)), "address": .string(address ?? CoreModel.presetRelays[number]),
        "relayProfile": ["displayName": "r"], "domains": [], "preset": .bool(preset), "enabled": true,
        "deleted": .bool(deleted),
      ]
    }
    let owner: JSONValue = [
      "operatorId": 1, "operatorTag": "simplex", "tradeName": "SimpleX Chat", "serverDomains": [], "enabled": true,
    ]
    let relays: JSONValue = .array([
      relay(0, preset: true, deleted: false), relay(1, preset: false, deleted: false), relay(2, preset: true, deleted: true),
      relay(0, preset: true, deleted: false, address: "no link"),
    ])
    let found = try group(["operator": owner, "smpServers": [], "xftpServers": [], "chatRelays": relays])
    #expect(found?.relays.map(\.address.text) == [CoreModel.presetRelays[0]] && found?.smpRoles.isEmpty == true)
    #expect(try group(["smpServers": [], "xftpServers": [], "chatRelays": relays]) == nil, "it belongs to no one")
    var custom = owner.object ?? [:]
    custom["operatorTag"] = nil
    #expect(try group(["operator": .object(custom), "smpServers": [], "xftpServers": [], "chatRelays": []]) == nil)
  }
}
