import Channels
import Logging
import RelayNetwork
import ScriptedCore
import StrictJSON
import Synchronization
import TestTools
import Testing

@testable import SimpleX

/// What Baton asks a core and tells of its relays, in text files; see `Transcripts/`. No socket, no clock: the worker and the scripted
/// core, one step after the other.
struct CoreTranscriptTests {
  @Test(arguments: ["healthy.txt", "failures.txt", "silence.txt", "crashes.txt", "later.txt"])
  func workerBehavesAsTold(_ name: String) async throws {
    let transcript = try Transcript(name, beside: #filePath)
    #expect(!transcript.blocks.isEmpty)
    let player = Player()
    let difference = try await transcript.difference { try await player.run($0) }
    #expect(difference == nil, "\(difference ?? "")")
  }
}

private final class Player {
  struct UnknownCommand: Error { let text: String }

  private struct World {
    var model = CoreModel(relays: [])
    var lines: [String] = []
    var contents: [ChannelID: ChannelContent] = [:]
    var now: Int64 = 1_767_225_600_000
    /// The next command that begins so is carried out, and its answer is lost.
    var crash: String?
    var isDown = false
    /// Relays that were read back, by channel: those that the store has as active.
    var active: [ChannelID: Set<RelayID>] = [:]
    /// Names that were given since the program began.
    var prepared: Set<String> = []
    /// Answers to tests of relays, which the worker does not wait for.
    var inputs: [SimpleXNetwork.Input] = []
  }
  private final class Shared: Sendable { let world = Mutex(World()) }

  static let relays = AddressSamples.relays(4)
  private static let behaviours: [String: RelayBehaviour] = [
    "good": .good, "silent": .silent, "deadLink": .deadLink, "unreachable": .unreachable, "failsLater": .failsLater,
    "failsToJoin": .failsToJoin,
    "rejects": .rejects, "rejectsRoster": .rejectsRoster, "wrongEntity": .wrongEntity, "leaves": .leaves,
    "losesLink": .losesLink, "breaks": .breaks,
  ]

  private let shared = Shared()
  private var worker: CoreWorker?
  private var number = 0

  func run(_ commands: [String]) async throws -> [String] {
    for command in commands { try await run(command) }
    return shared.world.withLock { world in
      defer { world.lines = [] }
      return world.lines
    }
  }

  private func run(_ command: String) async throws {
    let words = command.split(separator: " ").map(String.init)
    switch words.first {
    case "core":
      var model = CoreModel(relays: Self.relays)
      model.settlesAtOnce = false
      shared.world.withLock { $0 = World(model: model) }
      number = 0
      begin()
    case "relay":
      guard let at = Int(words[1]), let behaviour = Self.behaviours[words[2]] else { throw UnknownCommand(text: command) }
      shared.world.withLock { $0.model.behaviours[Self.relays[at - 1]] = behaviour }
    case "early": shared.world.withLock { $0.model.stepsBeforeReply = Int(words[1]) ?? 0 }
    case "channel": try await prepare(words[1], words.dropFirst(2).joined(separator: " "))
    case "revise": try revise(words[1], words.dropFirst(2).joined(separator: " "))
    case "invite", "verify", "announce", "withdraw", "delete":
      for word in words.dropFirst() { perform(words[0], word) }
      await work()
    case "leave":
      shared.world.withLock { world in
        guard let id = world.contents[ChannelID(rawValue: Int64(words[1].prefix(1)) ?? 0)].flatMap({ $0.group?.rawValue }),
          let relay = Int(words[1].suffix(1))
        else { return }
        world.model.leave(channel: id, relayAddress: Self.relays[relay - 1])
      }
      await work()
    case "test": await test(Int(words[1]) ?? 0)
    case "step":
      _ = shared.world.withLock { $0.model.step() }
      await work()
    case "settle":
      shared.world.withLock { $0.model.settle() }
      await work()
    case "advance":
      let minutes = Int64(words[1].dropLast(3)) ?? 0
      shared.world.withLock { world in
        world.now += minutes * 60_000
        world.model.advance(by: .seconds(minutes * 60))
      }
    case "nudge":
      worker?.take(.nudged)
      await work()
    case "crash": shared.world.withLock { $0.crash = words.dropFirst().joined(separator: " ") }
    case "other":
      // Another core stands where the one with the channels was. With a name, it has a channel of its own, with the same number.
      shared.world.withLock { world in
        world.model = CoreModel(relays: Self.relays)
        world.model.settlesAtOnce = false
        guard words.count > 1 else { return }
        Self.makeForeignChannel(words[1], &world)
        // Numbers are given out again, the names that are made from keys are not.
        _ = world.model.execute("/_delete #1")
        Self.makeForeignChannel(words[1], &world)
      }
      begin()
      await work()
    case "foreign": shared.world.withLock { Self.makeForeignChannel(words[1], &$0) }
    case "user":
      // Someone else uses the core.
      _ = shared.world.withLock { world in
        let isNew = world.model.execute("/_user \(words[1])")["type"] == "chatCmdError"
        return isNew
          ? world.model.execute(
            #"/_create user {"profile":{"displayName":"user \#(words[1])","fullName":""},"pastTimestamp":false}"#) : nil
      }
    case "old":
      worker?.take(.core(.up(CoreVersion("6.5.5"), user: nil)))
      await work()
    case "up":
      up()
      await work()
    case "restart":
      shared.world.withLock { $0.prepared = [] }
      begin()
      await work()
    default: throw UnknownCommand(text: command)
    }
  }

  // MARK: - The worker and its world

  private func begin() {
    let shared = shared
    var limits = SimpleXLimits()
    (limits.gatherTime, limits.doubtTime, limits.failedTestCounts) = (.zero, .zero, .zero)
    worker = CoreWorker(
      limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      around: .init(
        now: { Timestamp(milliseconds: shared.world.withLock(\.now)) }, known: { Self.known($0, shared) },
        served: { Self.served($0, $1, shared) }, isNew: { name in shared.world.withLock { $0.prepared.contains(name) } },
        ask: { Self.ask($0, shared) },
        test: { lane, user, address in
          let result = Self.ask(.testRelay(user, address), shared)
          shared.world.withLock { $0.inputs.append(.tested(lane: lane, address, result)) }
        }, arrived: { Self.takeInputs(shared) }, report: { Self.heard($0, shared) }, nudge: { _ in }))
    up()
  }

  private static func takeInputs(_ shared: Shared) -> [SimpleXNetwork.Input] {
    shared.world.withLock { world in
      defer { world.inputs = [] }
      return world.inputs
    }
  }

  private func up() {
    worker?.take(.lane(0, isUp: true))
    shared.world.withLock { $0.isDown = false }
    let user = CoreUser.ID(rawValue: 1)
    guard case .success(.activeUser(let active)) = Self.answer("/user", shared), active.id == user else { return }
    worker?.take(.core(.up(CoreVersion("7.0.2"), user: active)))
  }

  /// Hands the core's events over and lets the worker do what it has to do.
  private func work() async {
    guard let worker else { return }
    while true {
      let (events, isDown) = shared.world.withLock { world in
        let events = world.isDown ? [] : world.model.takeEvents()
        return (events, world.isDown)
      }
      for event in events {
        for one in ScriptedReplies.events(event) {
          shared.world.withLock { $0.lines.append("event \(event["type"]?.string ?? "?")") }
          worker.take(.core(.event(one)))
        }
      }
      if isDown { worker.take(.core(.down(reason: "the connection broke"))) }
      let answers = Self.takeInputs(shared)
      for answer in answers { worker.take(answer) }
      guard await worker.step() || !events.isEmpty || !answers.isEmpty else { return }
    }
  }

  private static func answer(_ text: String, _ shared: Shared) -> Result<CoreReply, CoreFailure> {
    ScriptedReplies.result(shared.world.withLock { $0.model.execute(text) })
  }

  private static func ask(_ command: CoreCommand, _ shared: Shared) -> Result<CoreReply, CoreFailure> {
    if shared.world.withLock({ $0.isDown }) { return .failure(.notSent(.noConnection("not connected"))) }
    shared.world.withLock { $0.lines.append("ask \(command)") }
    let result = answer(command.text, shared)
    let isLost = shared.world.withLock { world in
      guard let crash = world.crash, command.text.hasPrefix(crash) else { return false }
      (world.crash, world.isDown) = (nil, true)
      world.lines.append("the answer is lost")
      return true
    }
    return isLost ? .failure(.unknown(.noConnection("the connection broke"))) : result
  }

  private static func known(_ name: String, _ shared: Shared) -> KnownChannel? {
    shared.world.withLock { world in
      guard let (id, content) = world.contents.first(where: { $0.value.networkID == name }) else { return nil }
      let active = (world.active[id] ?? []).map { ($0, Self.relays[Int($0.rawValue) - 1]) }
      return KnownChannel(id: id, content: content, relays: Dictionary(uniqueKeysWithValues: active))
    }
  }

  private static func served(_ after: ChannelID?, _ limit: Int, _ shared: Shared) -> [KnownChannel] {
    let names = shared.world.withLock { world in
      world.contents.filter { $0.key > after ?? ChannelID(rawValue: 0) && world.active[$0.key]?.isEmpty == false }
        .sorted { $0.key < $1.key }.prefix(limit).map(\.value.networkID)
    }
    return names.compactMap { known($0, shared) }
  }

  private static func heard(_ report: NetworkReport, _ shared: Shared) {
    shared.world.withLock { world in
      switch report {
      case .named(let channel, let name, let trustAnchor):
        world.lines.append("channel \(channel.rawValue) is \(name), link \(trustAnchor.prefix(28))…")
        guard let content = world.contents[channel] else { return }
        world.contents[channel] = ChannelContent(
          identity: content.identity, networkID: name, trustAnchor: trustAnchor, document: content.document,
          edition: content.edition,
          newestEdition: content.newestEdition)
      case .outcome(let channel, let relay, let number, let outcome):
        world.lines.append("\(channel.rawValue)@\(relay.rawValue) #\(number) \(words(outcome))")
        switch outcome {
        case .verified: world.active[channel, default: []].insert(relay)
        case .missing, .withdrawn, .refused: world.active[channel]?.remove(relay)
        default: break
        }
      case .lost(let channel, let relay, let trouble):
        world.lines.append("\(channel.rawValue)@\(relay.rawValue) lost: \(trouble.cause) \(trouble.detail)")
        world.active[channel]?.remove(relay)
      case .relayUp(let relay, _): world.lines.append("relay \(relay.rawValue) up")
      case .relayDown(let relay, let trouble): world.lines.append("relay \(relay.rawValue) down: \(trouble.cause)")
      case .stray(let channel, let relay, _): world.lines.append("\(channel.rawValue)@\(relay.rawValue) strays")
      case .state(_, .works), .delivery, .compared, .read, .served, .synced, .searched, .unreadable: break
      case .state(_, .down(let trouble)): world.lines.append("network \(trouble.kind): \(trouble.trouble.detail)")
      }
    }
  }

  private static func words(_ outcome: RelayOutcome) -> String {
    switch outcome {
    case .handedOver: "handed over"
    case .accepted: "accepted"
    case .verified(let edition, _): "verified, edition \(edition)"
    case .missing: "missing"
    case .withdrawn: "withdrawn"
    case .announced: "announced"
    case .refused(let trouble): "refused: \(trouble.cause) \(trouble.detail)"
    case .misbehaved(let trouble): "misbehaved: \(trouble.cause) \(trouble.detail)"
    case .troubled(let trouble, _): "troubled: \(trouble.cause) \(trouble.detail)"
    }
  }

  // MARK: - Commands

  /// Someone makes a channel in the core, without Baton.
  private static func makeForeignChannel(_ name: String, _ world: inout World) {
    _ = world.model.execute(#"/_public group 1 1 {"displayName":"\#(name)","fullName":""}"#)
    world.model.settle()
    _ = world.model.takeEvents()
  }

  private func prepare(_ id: String, _ name: String) async throws {
    let document = ChannelDocument(Profile(displayName: name), preparedAt: shared.world.withLock(\.now))
    shared.world.withLock { world in
      world.prepared.insert("new-\(id)")
      world.contents[ChannelID(rawValue: Int64(id) ?? 0)] = ChannelContent(
        identity: IdentityID(rawValue: 1), networkID: "new-\(id)", trustAnchor: "", document: document.text)
    }
  }

  private func revise(_ id: String, _ name: String) throws {
    shared.world.withLock { world in
      let id = ChannelID(rawValue: Int64(id) ?? 0)
      guard let content = world.contents[id] else { return }
      let document = ChannelDocument(Profile(displayName: name), preparedAt: 0)
      world.contents[id] = ChannelContent(
        identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor, document: content.document,
        edition: content.edition + 1, newestEdition: ChannelEdition(networkID: "", document: document.text, signedAt: 0))
    }
  }

  private func perform(_ task: String, _ place: String) {
    let parts = place.split(separator: "@").compactMap { Int64($0) }
    guard parts.count == 2, let content = shared.world.withLock({ $0.contents[ChannelID(rawValue: parts[0])] }) else { return }
    number += 1
    worker?.take(
      .operation(
        RelayOperation(
          task: RelayOperation.Task(rawValue: task) ?? .withdraw, channel: ChannelID(rawValue: parts[0]),
          relay: RelayID(rawValue: parts[1]), address: Self.relays[Int(parts[1]) - 1], number: number, content: content,
          isDeletion: task == "delete")))
  }

  private func test(_ relay: Int) async {
    guard let address = try? CoreRelayAddress(Self.relays[relay - 1]) else { return }
    let (steps, continuation) = AsyncStream.makeStream(of: ProbeStep.self)
    worker?.take(.test(CoreRelayTestRequest(address, continuation)))
    await work()
    for await step in steps {
      let failure = step.failure.map { ": \($0.cause) \($0.detail)" } ?? " passed"
      shared.world.withLock { $0.lines.append("test \(step.name)\(failure)") }
    }
  }
}
