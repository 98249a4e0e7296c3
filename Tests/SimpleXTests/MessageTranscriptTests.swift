import Channels
import Logging
import RelayNetwork
import ScriptedCore
import StrictJSON
import Synchronization
import TestTools
import Testing

@testable import SimpleX

/// What is read of a channel in a core, in text files; see `Transcripts/messages.txt`. No socket, no clock: the worker and the scripted core,
/// one step after the other.
struct MessageTranscriptTests {
  @Test(arguments: ["members.txt", "messages.txt", "missed.txt"])
  func messagesAreReadAsTold(_ name: String) async throws {
    let transcript = try Transcript(name, beside: #filePath)
    #expect(!transcript.blocks.isEmpty)
    let player = MessagePlayer()
    let difference = try await transcript.difference { try await player.run($0) }
    #expect(difference == nil, "\(difference ?? "")")
  }
}

private final class MessagePlayer {
  struct Unknown: Error { let text: String }

  private struct World {
    var model = CoreModel(relays: [])
    var lines: [String] = []
    var now = Timestamp(milliseconds: 1_767_225_600_000)
    var isDown = false
    /// Whether the next list of members is too long for the connection.
    var breaksAtMembers = false
    var reports: [NetworkReport] = []
    /// What happens after the next page was read in the core, and before its answer is there.
    var meanwhile: [[String]] = []
    /// Inputs that came while the core was asked.
    var arrived: [SimpleXNetwork.Input] = []
  }
  private final class Shared: Sendable { let world = Mutex(World()) }

  private static let relays = AddressSamples.relays(2)
  private static let group: Int64 = 1
  private static let channel = ChannelID(rawValue: 1)
  private let shared = Shared()
  private var worker: CoreWorker?
  /// Whether batches are taken as they come.
  private var takes = true
  private var untaken: [MessageBatch.ID] = []

  func run(_ commands: [String]) async throws -> [String] {
    for command in commands {
      try perform(command.split(separator: " ").map(String.init))
      deliverEvents()
      await work()
    }
    return shared.world.withLock { world in
      defer { world.lines = [] }
      return world.lines
    }
  }

  private func perform(_ words: [String]) throws {
    switch words.first {
    case "core": begin()
    case "restart": start()
    case "follow": worker?.take(.follow(followed(count: Int(words.dropFirst().first ?? "") ?? 1000, relays: 1...2)))
    case "shrink": worker?.take(.follow(followed(count: 1000, relays: 1...1)))
    case "nameless": worker?.take(.follow(followed(count: 1000, relays: 1...2, name: "new-1")))
    case "unfollow": worker?.take(.unfollow(Self.channel))
    case "sync": worker?.take(.sync(Self.channel))
    case "keep": takes = false
    case "take":
      takes = words.count == 1
      for batch in takes ? untaken : Array(untaken.prefix(1)) { worker?.take(.taken(batch)) }
      untaken = takes ? [] : Array(untaken.dropFirst())
    case "flood": worker?.take(.eventsMissed)
    case "lane": worker?.take(.lane(0, isUp: words[1] == "up"))
    case "breaks": shared.world.withLock { $0.breaksAtMembers = true }
    case "up": connect()
    case "down":
      shared.world.withLock { $0.isDown = true }
      worker?.take(.core(.down(reason: "the connection broke")))
    case "tick":
      let time = Duration.seconds(Int64(words[1]) ?? 0)
      shared.world.withLock { world in
        world.now = world.now + time
        world.model.advance(by: time)
      }
      worker?.take(.nudged)
    case "meanwhile": shared.world.withLock { $0.meanwhile.append(Array(words.dropFirst())) }
    case "lost":
      try change(Array(words.dropFirst()))
      shared.world.withLock { $0.model.loseEvents() }
    default: try change(words)
    }
  }

  // MARK: - The core

  private func change(_ words: [String]) throws { try shared.world.withLock { try Self.change(words, &$0.model) } }

  /// What happens in the core.
  private static func change(_ words: [String], _ model: inout CoreModel) throws {
    let line = words.joined(separator: " ")
    func number(_ at: Int) throws -> Int64 {
      guard at < words.count, let number = Int64(words[at]) else { throw Unknown(text: line) }
      return number
    }
    func message(from at: Int) -> CoreModel.Message { CoreModel.Message(words.dropFirst(at).joined(separator: " ")) }
    switch words.first {
    case "say": model.say(message(from: 2), by: try number(1), channel: group)
    case "many": for each in 1...(try number(1)) { model.say(.init("\(each)"), by: try number(2), channel: group) }
    case "late":
      var message = message(from: 3)
      message.lateness = try number(1)
      model.say(message, by: try number(2), channel: group)
    case "mention":
      var message = message(from: 2)
      message.isMention = true
      model.say(message, by: try number(1), channel: group)
    case "answer":
      var message = message(from: 3)
      message.quoted = try number(1)
      model.say(message, by: try number(2), channel: group)
    case "file":
      var message = message(from: 3)
      message.file = (words[2], 14)
      model.say(message, by: try number(1), channel: group)
    case "link":
      var message = message(from: 3)
      message.link = (words[2], "A page")
      model.say(message, by: try number(1), channel: group)
    case "owner": model.say(message(from: 1), by: nil, channel: group)
    case "post":
      let message = CoreMessage(text: words.dropFirst().joined(separator: " "))
      _ = model.execute(CoreCommand.send(CoreGroup.ID(rawValue: group), message).text)
      model.settle()
    case "leaves": model.leave(try number(1), channel: group)
    case "orders":
      let answer = model.execute(words.dropFirst().joined(separator: " "))
      guard answer["type"] != "chatCmdError" else { throw Unknown(text: "\(line): \(answer)") }
    case "crowd": model.subscribers = (Int(try number(1)), "")
    case "counts": model.publicMemberCount = try number(1)
    case "joins": model.join(try number(1), channel: group)
    case "edit": model.edit(try number(1), to: words.dropFirst(2).joined(separator: " "), channel: group)
    case "deleted", "moderated", "blocked": model.remove(try number(1), as: words[0], channel: group)
    case "sweep": model.sweep(try (1..<words.count).map(number), channel: group)
    case "vanish": model.vanish(try number(1), channel: group)
    case "react": model.react(words[3], isAdded: words[4] == "on", to: try number(2), by: try number(1), channel: group)
    case "busy": model.busyCommands = Int(try number(1))
    case "lose": model.lose(channel: group)
    default: throw Unknown(text: line)
    }
  }

  /// What the core says by itself goes to the worker, if there is a connection.
  private func deliverEvents() {
    let (events, isDown) = shared.world.withLock { ($0.model.takeEvents(), $0.isDown) }
    guard !isDown else { return }
    for event in events.flatMap(ScriptedReplies.events) { worker?.take(.core(.event(event))) }
  }

  private static func ask(_ command: CoreCommand, _ shared: Shared) -> Result<CoreReply, CoreFailure> {
    shared.world.withLock { world in
      if world.isDown { return .failure(.notSent(.noConnection("not connected"))) }
      let answer = world.model.execute(command.text)
      if case .members = command {
        world.lines.append("ask \(command)")
        if world.breaksAtMembers {
          (world.breaksAtMembers, world.isDown) = (false, true)
          world.arrived.append(.core(.down(reason: "the connection broke")))
          return .failure(.unknown(.noConnection("the connection broke")))
        }
      }
      guard case .page = command else { return ScriptedReplies.result(answer) }
      world.lines.append("ask \(command)")
      for words in world.meanwhile {
        if words == ["down"] {
          world.isDown = true
          world.arrived.append(.core(.down(reason: "the connection broke")))
        } else {
          try? change(words, &world.model)
        }
      }
      world.meanwhile = []
      world.arrived += world.model.takeEvents().flatMap(ScriptedReplies.events).map { .core(.event($0)) }
      return world.isDown ? .failure(.unknown(.noConnection("the connection broke"))) : ScriptedReplies.result(answer)
    }
  }

  // MARK: - The worker

  /// A core with a channel on both relays, and a daemon that has just started.
  private func begin() {
    var model = CoreModel(relays: Self.relays)
    _ = model.execute(#"/_public group 1 1,2 {"displayName":"News","fullName":""}"#)
    model.settle()
    model.loseEvents()
    shared.world.withLock { $0 = World(model: model) }
    start()
  }

  private func start() {
    let shared = shared
    (takes, untaken) = (true, [])
    worker = CoreWorker(
      limits: SimpleXLimits(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      around: .init(
        now: { shared.world.withLock(\.now) }, known: { _ in nil }, served: { _, _ in [] }, isNew: { _ in false },
        ask: { Self.ask($0, shared) }, test: { _, _, _ in },
        arrived: {
          shared.world.withLock { world in
            defer { world.arrived = [] }
            return world.arrived
          }
        }, report: { report in shared.world.withLock { $0.reports.append(report) } }, nudge: { _ in }))
    connect()
  }

  private func connect() {
    let answer = shared.world.withLock { world in
      world.isDown = false
      return world.model.execute("/user")
    }
    guard case .success(.activeUser(let user)) = ScriptedReplies.result(answer) else { return }
    worker?.take(.core(.up(CoreVersion("7.0.2"), user: user)))
  }

  private func followed(count: Int, relays: ClosedRange<Int>, name: String? = nil) -> FollowedChannel {
    let found = shared.world.withLock { $0.model.channelsSeen.first?.name }
    let content = ChannelContent(
      identity: IdentityID(rawValue: 1), networkID: name ?? found ?? "", trustAnchor: "",
      document: ChannelDocument(Profile(displayName: "News"), preparedAt: 0).text)
    return FollowedChannel(
      id: Self.channel, content: content,
      relays: Dictionary(uniqueKeysWithValues: relays.map { (RelayID(rawValue: Int64($0)), Self.relays[$0 - 1]) }),
      window: MessageWindow(days: 30, count: count))
  }

  /// Lets the worker do what it has to do.
  private func work() async {
    guard let worker else { return }
    while true {
      let isBusy = await worker.step()
      let reports = shared.world.withLock { world in
        defer { world.reports = [] }
        return world.reports
      }
      for report in reports { hear(report) }
      guard isBusy || !reports.isEmpty else { return }
    }
  }

  private func hear(_ report: NetworkReport) {
    switch report {
    case .read(let batch):
      let lines = batch.news.map { "  \(Self.words($0))" }
      let shown = lines.count > 4 ? [lines[0], "  …", lines[lines.count - 1]] : lines
      shared.world.withLock { $0.lines += ["batch \(batch.id.number) of \(batch.news.count)"] + shown }
      if takes { worker?.take(.taken(batch.id)) } else { untaken.append(batch.id) }
    case .synced(_, let relay, let sync):
      shared.world.withLock { $0.lines.append("relay \(relay.rawValue): \(Self.words(sync))") }
    default: break
    }
  }

  // MARK: - Words

  private static func words(_ sync: MessageSync) -> String {
    switch sync {
    case .complete: "complete"
    case .failed(let trouble): "failed: \(trouble.cause)"
    }
  }

  private static func words(_ news: MessageNews) -> String {
    (news.isLive ? "live " : "") + words(news.what)
  }

  private static func words(_ what: MessageNews.What) -> String {
    switch what {
    case .message(let message): "\(message.networkID) by \(message.author): \(message.text)\(marks(message))"
    case .edited(let name, let text): "\(name) says now: \(text)"
    case .deleted(let name, let author): "\(name) is gone\(author.map { ", says \($0)" } ?? "")"
    case .reaction(let reaction): "\(reaction.networkID) to \(reaction.target) by \(reaction.author): \(reaction.text)"
    case .profile(let profile): "\(profile.author) is called \(profile.name)"
    case .removed(let name, let person): "\(name) is removed, says \(person)"
    case .memberCount(let count): "\(count) members"
    case .members(let list): "\(list.list), \(list.count): \(list.entries.map(words).joined(separator: ", "))"
    case .joinRequest(let request): "\(request.author) asks to be let in"
    }
  }

  private static func words(_ entry: ReadMembers.Entry) -> String {
    ([entry.author] + entry.roles + (entry.isOwn ? ["own"] : []) + (entry.isBanned ? ["banned"] : [])).joined(separator: " ")
  }

  private static func marks(_ message: ReadMessage) -> String {
    var marks = message.authorName.map { ["named \($0)"] } ?? []
    if message.isOwn { marks.append("own") }
    if message.isMention { marks.append("mention") }
    if let name = message.replyTo { marks.append("answers \(name)") }
    marks += message.attachments.map { file in
      "shows \(file.url)" + (file.sizeBytes.map { " of \($0) bytes" } ?? "") + (file.altText.map { ": \($0)" } ?? "")
    }
    return marks.isEmpty ? "" : " [\(marks.joined(separator: ", "))]"
  }
}
