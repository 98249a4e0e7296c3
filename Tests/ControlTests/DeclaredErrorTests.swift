import Channels
import ControlAPI
import Coordinator
import Logging
import NIOPosix
import Sentences
import Storage
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Errors that clients get when a call is refused, and when the daemon itself is at fault.
struct DeclaredErrorTests {
  private static let root = VarlinkPeer(pid: 1, uid: 0, gid: 0, groups: [0])

  private static func context(_ bench: Bench, _ log: RecordingLog = RecordingLog()) -> ControlContext {
    let threads = ControlThreads()
    let store = ControlStore(bench.store, on: threads)
    return ControlContext(
      coordinator: bench.coordinator, store: store, posts: store, activities: ChannelActivities(store, nil),
      access: Access(ownUser: 0, changeGroup: nil, readGroup: nil),
      logger: log.logger, version: "test", startedAt: SystemClock().now,
      reload: { ReloadReport(files: 0, operators: 0, servers: 0, relays: 0, options: [], needRestart: []) },
      declarationsTrouble: { nil }, logLevel: LogLevelControl(), listLimits: ListLimits(),
      threads: threads)
  }

  /// The interfaces whose methods may refuse a call for this reason. A new reason must name them.
  private static func interfaces(that error: BatonError) -> [IDL.Interface] {
    switch error {
    case .noSuchOperator, .wouldBreak, .declaredByFile: [Interfaces.operators, Interfaces.servers, Interfaces.relays]
    case .staleRevision(.operator): [Interfaces.operators]
    case .staleRevision(.server): [Interfaces.servers]
    case .staleRevision(.relay): [Interfaces.relays]
    case .noSuchServer: [Interfaces.servers]
    case .noSuchRelay: [Interfaces.relays, Interfaces.channels, Interfaces.posts]
    case .noSuchChannel:
      [Interfaces.channels, Interfaces.posts, Interfaces.messages, Interfaces.members, Interfaces.people]
    // The daemon itself is always the one that was asked. A reload in doubt is an internal error, which says so.
    case .elsewhere, .outcomeUnknown:
      Interfaces.all.filter { ![Interfaces.monitor.name, Interfaces.daemon.name, Interfaces.systemd.name].contains($0.name) }
    case .notInChannel: [Interfaces.channels, Interfaces.posts]
    case .post(.invalidPost): [Interfaces.posts, Interfaces.members]
    case .post(.notSupported): [Interfaces.posts, Interfaces.members, Interfaces.channels]
    case .following(.notOwned): [Interfaces.channels, Interfaces.posts, Interfaces.members]
    case .following: [Interfaces.channels]
    case .post: [Interfaces.posts]
    case .message(.notFollowed): [Interfaces.messages, Interfaces.members, Interfaces.people, Interfaces.channels]
    case .message: [Interfaces.messages]
    case .noSuchIdentity: [Interfaces.identities, Interfaces.channels]
    case .invalidAddress, .duplicateAddress: [Interfaces.servers, Interfaces.relays]
    case .duplicateName: [Interfaces.operators, Interfaces.relays, Interfaces.identities]
    case .invalidDisplayName: [Interfaces.operators, Interfaces.relays, Interfaces.identities, Interfaces.channels]
    case .invalidDomain: [Interfaces.operators, Interfaces.relays]
    case .operatorInUse: [Interfaces.operators]
    case .relayInUse: [Interfaces.relays]
    case .identityInUse, .invalidKey: [Interfaces.identities]
    case .invalidFiles: [Interfaces.daemon, Interfaces.systemd]
    case .noEnabledRelays, .noGroupRelays, .notEnoughRelays, .tooManyRelays, .invalidProfile, .invalidImage,
      .networkMismatch, .alreadyInChannel, .idempotencyKeyReused, .groupNeedsOneRelay, .noGroupSupport,
      .staleChannel, .lastRelay, .choiceChanged:
      [Interfaces.channels]
    case .networkUnavailable:
      [
        Interfaces.servers, Interfaces.relays, Interfaces.identities, Interfaces.channels, Interfaces.posts,
        Interfaces.messages, Interfaces.members,
      ]
    case .busy: Interfaces.all.filter { $0.name != Interfaces.monitor.name }
    case .storageDamaged, .storageUnavailable: Interfaces.all
    }
  }

  private static let types: [any ControlRefusal.Type] = [
    OperatorsRefusal.self, ServersRefusal.self, RelaysRefusal.self, IdentitiesRefusal.self, ChannelsRefusal.self,
    PostsRefusal.self, MessagesRefusal.self, MembersRefusal.self, PeopleRefusal.self, MonitorRefusal.self, DaemonRefusal.self,
    ServiceRefusal.self,
  ]

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
      .staleRevision(
        current: .server(ServerRow(id: .init(rawValue: 1), transport: .smp, address: "x", fingerprint: "x", hosts: ["x"]))),
      .staleRevision(current: .relay(RelayRow(id: relay, network: .nostr, address: "x", name: "x", revision: 1))),
      .declaredByFile(field: "x", file: "x"), .operatorInUse(servers: 1, relays: 1), .wouldBreak([]), .invalidFiles([]),
      .networkMismatch(relay), .alreadyInChannel(relay, .active), .notInChannel(relay),
      .idempotencyKeyReused(.init(rawValue: 1), isDeleted: false), .groupNeedsOneRelay, .noGroupSupport(relay, reason: "x"),
      .staleChannel(channel), .identityInUse(channels: 1), .invalidKey(reason: "x"), .lastRelay(.init(rawValue: 1)),
      .choiceChanged, .elsewhere(.init(rawValue: 1)), .relayInUse(channels: 1), .busy, .storageDamaged(reason: "x"),
      .storageUnavailable(reason: "x"), .outcomeUnknown(reason: "x"),
      .networkUnavailable(.nostr, reason: "x"), .post(.noSuchPost(.init(rawValue: 1))),
      .post(.invalidPost(field: "text", reason: "x")), .post(.keyReused(.init(rawValue: 1), isDeleted: true)),
      .post(.notCancellable(.init(rawValue: 1))), .post(.notSupported(.simplex, reason: "x")),
      .post(.invalidRetention(field: "keepDays", reason: "x")), .post(.frozen(.init(rawValue: 1))),
      .message(.notFollowed(.init(rawValue: 1))), .message(.noSuchMessage(.init(rawValue: 1))),
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
      let type = try #require(Self.types.first { $0.interface == interface.name })
      for refusal in Self.refusals(channel) {
        let sent = type.init(refusal, bench.coordinator)?.error
        let isExpected = Self.interfaces(that: refusal).contains { $0.name == interface.name }
        #expect((sent != nil) == isExpected, "\(interface.name): \(refusal)")
        guard let sent else { continue }
        #expect(declared.contains(sent.name))
        // Clients decode the same error.
        #expect(type.init(sent).error == sent)
      }
    }
    try await bench.stop()
  }

  /// The journal and the command line say the same of a refusal.
  @Test func everyRefusalHasOneSentence() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1).map(RelayID.init(rawValue:))
    let channel = try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "News"), relays: relays))
    for refusal in Self.refusals(channel) {
      for interface in Self.interfaces(that: refusal) {
        let type = try #require(Interfaces.refusals.first { $0.interface == interface.name })
        let sent = try #require(Self.types.first { $0.interface == interface.name }?.init(refusal, bench.coordinator)).error
        #expect(sent.sentence == type.init(sent).sentence)
        switch refusal {
        // Here clients are told more than the engine knows, or to try again.
        case .notInChannel, .duplicateAddress, .invalidKey, .choiceChanged, .elsewhere: continue
        case .duplicateName where interface.name == Interfaces.identities.name: continue
        // For clients it is no post.
        case .post(.invalidPost) where interface.name == Interfaces.members.name: continue
        default: #expect(sent.sentence == refusal.sentence, "\(interface.name)")
        }
      }
    }
    try await bench.stop()
  }

  /// The journal is for people; Swift's debug text of a value is not.
  @Test func everyRefusalIsASentence() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1).map(RelayID.init(rawValue:))
    let channel = try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "News"), relays: relays))
    // Two of them have no words of their own here, and two name a field in brackets.
    let others: [BatonError] = [
      .invalidFiles([]), .networkUnavailable(.nostr, reason: "x"), .post(.invalidPost(field: "text", reason: "x")),
      .post(.invalidRetention(field: "keepDays", reason: "x")), .post(.frozen(.init(rawValue: 1))),
      .message(.notFollowed(.init(rawValue: 1))), .message(.noSuchMessage(.init(rawValue: 1))),
    ]
    for refusal in Self.refusals(channel) where !others.contains(refusal) {
      let words = "\(refusal)"
      #expect(words.contains(" ") && !words.contains("rawValue") && !words.contains("(") && words.count < 120)
    }
    try await bench.stop()
  }

  private struct Fault: Error {}

  private struct FaultyService: IdentitiesService, ControlService {
    func get(_ request: IdentitiesGetRequest) throws -> IdentityReply { throw Fault() }
    func list(_ request: ListRequest, _ stream: ReplyStream<IdentitiesListReply>?) throws -> IdentitiesListReply {
      throw VarlinkError("org.batond.Identities.Undeclared")
    }
    func add(_ request: IdentitiesAddRequest) throws -> IdentityReply { throw BatonError.groupNeedsOneRelay }
    func remove(_ request: IdentitiesRemoveRequest) throws -> IdentityReply {
      throw IdentitiesRefusal.identityInUse(channels: 7)
    }
  }

  @Test func faultOfTheDaemonHasAnErrorAndAnEntryOfItsOwn() async throws {
    let bench = try await Bench()
    let log = RecordingLog()
    let interface = ControlInterface(Interfaces.identities, Self.context(bench, log), FaultyService())
    let fault = IdentitiesRefusal.internalError
    let expected = [("Get", fault), ("List", fault), ("Add", fault), ("Remove", .identityInUse(channels: 7))]
    for (name, refusal) in expected {
      await #expect(throws: refusal.error) {
        try await interface.answer(
          VarlinkCall(method: "org.batond.Identities.\(name)", parameters: ["id": 1, "name": "x"]), from: Self.root,
          stream: VarlinkStream { _ in })
      }
    }
    let entries = log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.internalFault.rawValue }
    #expect(entries.map { $0.fields["BATON_METHOD"] } == ["Get", "List", "Add"].map { "org.batond.Identities.\($0)" })
    #expect(entries.allSatisfy { $0.level == .error })
    try await bench.stop()
  }
}
