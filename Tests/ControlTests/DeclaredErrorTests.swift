import Channels
import ControlAPI
import Coordinator
import Logging
import NIOPosix
import Storage
import Store
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// What clients are told when a call is refused, and when the daemon itself is at fault.
struct DeclaredErrorTests {
  private static let root = VarlinkPeer(pid: 1, uid: 0, gid: 0, groups: [0])

  private static func context(_ bench: Bench, _ log: RecordingLog = RecordingLog()) -> ControlContext {
    let threads = ControlThreads(slow: .singleton, quick: .singleton)
    return ControlContext(
      coordinator: bench.coordinator, store: ControlStore(bench.store, on: threads),
      access: Access(ownUser: 0, changeGroup: nil, readGroup: nil),
      logger: log.logger, version: "test", startedAt: SystemClock().now,
      reload: { ReloadReport(files: 0, operators: 0, servers: 0, relays: 0, options: [], needRestart: []) },
      declarationsTrouble: { nil }, logLevel: LogLevelControl(), listLimits: ListLimits(),
      threads: threads)
  }

  /// Interfaces whose methods may refuse a call for this reason. A new reason has to say where it can come up.
  private static func interfaces(that error: BatonError) -> [IDL.Interface] {
    switch error {
    case .noSuchOperator, .wouldBreak, .staleRevision, .declaredByFile:
      [Interfaces.operators, Interfaces.servers, Interfaces.relays]
    case .noSuchServer: [Interfaces.servers]
    case .noSuchRelay: [Interfaces.relays, Interfaces.channels]
    case .noSuchIdentity: [Interfaces.identities, Interfaces.channels]
    case .invalidAddress, .duplicateAddress: [Interfaces.servers, Interfaces.relays]
    case .duplicateName: [Interfaces.operators, Interfaces.relays, Interfaces.identities]
    case .invalidDisplayName: [Interfaces.operators, Interfaces.relays, Interfaces.identities, Interfaces.channels]
    case .invalidDomain: [Interfaces.operators, Interfaces.relays]
    case .operatorInUse: [Interfaces.operators]
    case .relayInUse: [Interfaces.relays]
    case .identityInUse, .invalidKey: [Interfaces.identities]
    case .invalidFiles: [Interfaces.daemon, Interfaces.systemd]
    case .noSuchChannel, .noEnabledRelays, .noGroupRelays, .notEnoughRelays, .tooManyRelays, .invalidProfile, .invalidImage,
      .networkMismatch, .alreadyInChannel, .notInChannel, .idempotencyKeyReused, .groupNeedsOneRelay, .noGroupSupport,
      .staleChannel, .lastRelay, .choiceChanged:
      [Interfaces.channels]
    case .networkUnavailable: [Interfaces.servers, Interfaces.relays, Interfaces.identities, Interfaces.channels]
    case .busy, .storageUnavailable: Interfaces.all.filter { $0.name != Interfaces.monitor.name }
    }
  }

  private static func refusals(_ channel: ChannelSnapshot) -> [BatonError] {
    let relay = RelayID(rawValue: 1)
    return [
      .noSuchOperator(.init(rawValue: 1)), .noSuchServer(.init(rawValue: 1)), .noSuchRelay(relay),
      .noSuchChannel(.init(rawValue: 1)), .noSuchIdentity("x"), .noEnabledRelays(.nostr), .noGroupRelays(.nostr, untested: 1),
      .notEnoughRelays(wanted: 2, available: 1), .tooManyRelays(wanted: 99, max: 32), .invalidDisplayName(reason: "x"),
      .invalidProfile(field: "x", reason: "x"), .invalidImage(reason: "x"),
      .invalidAddress(address: "x", reason: "x", position: 1), .duplicateAddress(1), .duplicateName("x"),
      .invalidDomain(domain: "x", reason: "x"),
      .staleRevision(current: .operator(OperatorRow(id: .init(rawValue: 1), name: "x"))),
      .declaredByFile(field: "x", file: "x"), .operatorInUse(servers: 1, relays: 1), .wouldBreak([]), .invalidFiles([]),
      .networkMismatch(relay), .alreadyInChannel(relay, .active), .notInChannel(relay),
      .idempotencyKeyReused(.init(rawValue: 1), isDeleted: false), .groupNeedsOneRelay, .noGroupSupport(relay, reason: "x"),
      .staleChannel(channel), .identityInUse(channels: 1), .invalidKey(reason: "x"), .lastRelay(.init(rawValue: 1)),
      .choiceChanged, .relayInUse(channels: 1), .busy, .storageUnavailable(reason: "x"),
      .networkUnavailable(.nostr, reason: "x"),
    ]
  }

  @Test func everyInterfaceDeclaresEveryErrorThatItCanSend() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1).map(RelayID.init(rawValue:))
    let channel = try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "News"), relays: relays))
    for interface in Interfaces.all {
      let declared = Set(interface.errors.map { "\(interface.name).\($0.name)" })
      for name in ["StorageDamaged", "StorageUnavailable", "InternalError"] {
        #expect(declared.contains("\(interface.name).\(name)"))
      }
      for refusal in Self.refusals(channel) where Self.interfaces(that: refusal).contains(where: { $0.name == interface.name })
      {
        let name = try refusal.varlink(interface.name, bench.coordinator).name
        #expect(declared.contains(name))
      }
    }
    try await bench.stop()
  }

  /// The journal is for people: what Swift shows of a value is not.
  @Test func everyRefusalIsASentence() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1).map(RelayID.init(rawValue:))
    let channel = try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "News"), relays: relays))
    for refusal in Self.refusals(channel)
    where refusal != .invalidFiles([]) && refusal != .networkUnavailable(.nostr, reason: "x") {
      let words = "\(refusal)"
      #expect(words.contains(" ") && !words.contains("rawValue") && !words.contains("(") && words.count < 120)
    }
    try await bench.stop()
  }

  private struct Fault: Error {}

  @Test func faultOfTheDaemonHasAnErrorAndAnEntryOfItsOwn() async throws {
    let bench = try await Bench()
    let log = RecordingLog()
    let interface = ControlInterface(
      definition: try IDL.parse(
        "interface org.batond.Relays\nmethod Get() -> ()\nmethod List() -> ()\nmethod Remove() -> ()\n"
          + "method Test() -> ()\nerror InternalError ()\nerror Known ()\n"),
      context: Self.context(bench, log),
      methods: [
        "Get": { _, _ in throw Fault() },
        "List": { _, _ in throw VarlinkError("org.batond.Relays.Undeclared") },
        "Remove": { _, _ in throw BatonError.groupNeedsOneRelay },
        "Test": { _, _ in throw VarlinkError("org.batond.Relays.Known") },
      ])
    for (name, error) in [("Get", "InternalError"), ("List", "InternalError"), ("Remove", "InternalError"), ("Test", "Known")] {
      await #expect(throws: VarlinkError("org.batond.Relays.\(error)")) {
        try await interface.answer(
          VarlinkCall(method: "org.batond.Relays.\(name)"), from: Self.root, stream: VarlinkStream { _ in })
      }
    }
    let entries = log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.internalFault.rawValue }
    #expect(entries.map { $0.fields["BATON_METHOD"] } == ["Get", "List", "Remove"].map { "org.batond.Relays.\($0)" })
    #expect(entries.allSatisfy { $0.level == .error })
    try await bench.stop()
  }
}
