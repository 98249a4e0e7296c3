import Channels
import Glibc
import Logging
import RelayNetwork
import ScriptedCore
import StrictJSON
import Synchronization
import TestTools
import Testing

@testable import SimpleX

/// What becomes of posts and reactions between their deliveries and a core, in text files; see `Transcripts/deliveries.txt`. No socket, no
/// clock: the machines of the deliveries, the worker and the scripted core, one step after the other.
struct PostDeliveryTests {
  @Test(arguments: ["deliveries.txt", "files.txt", "joining.txt", "orders.txt", "reactions.txt"])
  func postsAreDeliveredAsTold(_ name: String) async throws {
    let transcript = try Transcript(name, beside: #filePath)
    #expect(!transcript.blocks.isEmpty)
    let player = DeliveryPlayer()
    let difference = try await transcript.difference { try await player.run($0) }
    #expect(difference == nil, "\(difference ?? "")")
  }
}

private final class DeliveryPlayer {
  struct Unknown: Error { let text: String }

  /// What happens to the next command that begins so.
  private enum Mishap {
    /// It is carried out, and the connection breaks before the answer.
    case loses
    /// The connection breaks before it is carried out.
    case drops
    /// It is carried out, and the answer cannot be read.
    case garbles
    /// It is carried out, and the answer names two posts.
    case doubles
  }

  private struct World {
    var model = CoreModel(relays: [])
    var lines: [String] = []
    var now = Timestamp(milliseconds: 1_767_225_600_000)
    var mishap: (kind: Mishap, prefix: String)?
    var isDown = false
    var reports: [NetworkReport] = []
  }
  private final class Shared: Sendable { let world = Mutex(World()) }

  private struct Post {
    var document: PostDocument
    var edition = 1
    var deletion: PostDocument?
    var isForgotten = false
    var machines: [Int: DeliveryMachine] = [:]
  }

  private static let relays = AddressSamples.relays(3)
  private static let behaviours: [String: DeliveryBehaviour] = [
    "good": .good, "stuck": .stuck, "warns": .warns(["type": "quota"]), "fails": .fails(["type": "expired"]),
  ]
  private static let fates: [String: FileBehaviour] = [
    "there": .good, "slow": .slow, "stumbles": .warns(["type": "relay", "srvError": ["type": "host"]]),
    "breaks": .fails(["type": "other", "fileError": "no room"]), "cancels": .cancelled, "absent": .missing, "huge": .tooLarge,
  ]
  private static let folder = "/srv/files"
  private static let group: Int64 = 1
  private let shared = Shared()
  private var worker: CoreWorker?
  private var posts: [Int: Post] = [:]
  private var content = ChannelContent(identity: IdentityID(rawValue: 1), networkID: "", trustAnchor: "", document: "")
  /// Whether the daemon ends once it is durable that posts leave, and before they do.
  private var stopsAtTurn = false
  /// The folder whose files posts may have.
  private var files: FileFolder?
  /// One that others can write to.
  private var openFolder: TemporaryFolder?

  func run(_ commands: [String]) async throws -> [String] {
    for command in commands {
      try await run(command, command.split(separator: " ").map(String.init))
      await work()
    }
    return shared.world.withLock { world in
      defer { world.lines = [] }
      return world.lines
    }
  }

  private func run(_ command: String, _ words: [String]) async throws {
    switch words.first {
    case "core": begin()
    case "post": try post(Int(try number(words[1])), at: words[2], words.dropFirst(3).joined(separator: " "))
    case "file":
      let file = try FileAddress(path: "\(files?.path ?? Self.folder)/\(words[3])")
      try post(Int(try number(words[1])), at: words[2], words.dropFirst(4).joined(separator: " "), file)
    case "closed": files = nil
    case "open-to-all":
      let folder = try TemporaryFolder()
      chmod(folder.path, 0o777)
      (openFolder, files) = (folder, try FileFolder(path: folder.path))
    case "why": explain(Int(try number(words[1])))
    case "large": try post(Int(try number(words[1])), at: words[2], String(repeating: "x", count: 15_602))
    case "react": try react(words)
    case "remove": try remove(words)
    case "wish": try wish(words)
    case "give-up":
      let id = Int(try number(words[1]))
      posts[id]?.deletion = PostDocument(networkID: "", author: PostForm.author, text: "{}")
      feed(.deletionRequested, toAllOf: id)
    case "people": shared.world.withLock { world in world.lines += world.model.peopleSeen(of: Self.group) }
    case "join": join(Int(try number(words[1])), Int(try number(words[2])))
    case "edit": try edit(Int(try number(words[1])), words.dropFirst(2).joined(separator: " "))
    case "delete":
      let id = Int(try number(words[1]))
      posts[id]?.deletion = PostDocument(networkID: "", author: PostForm.author, text: "{}")
      feed(.deletionRequested, toAllOf: id)
    case "forget": try forget(Int(try number(words[1])))
    case "retry": feed(.retryRequested, Int(try number(words[1])), Int(try number(words[2])))
    case "tick": await tick(.seconds(try number(words[1])))
    case "loses", "drops", "garbles", "doubles":
      let kinds: [String: Mishap] = ["loses": .loses, "drops": .drops, "garbles": .garbles, "doubles": .doubles]
      let kind = kinds[words[0]] ?? .loses
      shared.world.withLock { $0.mishap = (kind, words.dropFirst().joined(separator: " ")) }
    case "up": connect()
    case "stop": stopsAtTurn = true
    case "restart":
      stopsAtTurn = false
      start()
      for id in posts.keys.sorted() { feed(.restarted, toAllOf: id) }
    case "status": status(Int(try number(words[1])))
    case "chat": chat()
    case "reactions": reactions()
    default: try change(words)
    }
  }

  /// What happens to the core and its relays.
  private func change(_ words: [String]) throws {
    let text = words.count > 1 ? words[1] : ""
    switch words.first {
    case "away", "back":
      for digit in text {
        let address = Self.relays[(digit.wholeNumberValue ?? 1) - 1]
        shared.world.withLock { $0.model.setReady(words[0] == "back", channel: Self.group, relayAddress: address) }
      }
    case "joining", "joined":
      let address = Self.relays[Int(try number(text)) - 1]
      shared.world.withLock { $0.model.setJoining(words[0] == "joining", channel: Self.group, relayAddress: address) }
    case "hand":
      let reaction = #"{"type":"emoji","emoji":"\#(text)"}"#
      shared.world.withLock { _ = $0.model.execute("/_reaction #\(Self.group) 1 \(words[2]) \(reaction)") }
    case "erase":
      shared.world.withLock { _ = $0.model.execute("/_delete item #\(Self.group) \(text) broadcast") }
    case "forbid": shared.world.withLock { $0.model.forbidReactions(channel: Self.group) }
    case "again":
      let address = Self.relays[Int(try number(text)) - 1]
      shared.world.withLock { world in
        world.model.deliverAgain(relayAddress: address)
        world.model.settle()
      }
    case "enters":
      let member = try number(text)
      shared.world.withLock { $0.model.join(member, channel: Self.group) }
    case "leaves":
      let member = try number(text)
      shared.world.withLock { $0.model.leave(member, channel: Self.group) }
    case "crowd":
      let count = Int(try number(text))
      shared.world.withLock { $0.model.subscribers = (count, "") }
    case "says":
      let member = try number(text)
      shared.world.withLock {
        _ = $0.model.say(.init(words.dropFirst(2).joined(separator: " ")), by: member, channel: Self.group)
      }
    case "orders":
      let command = words.dropFirst().joined(separator: " ")
      shared.world.withLock { _ = $0.model.execute(command) }
    case "role": shared.world.withLock { $0.model.setRole(text, channel: Self.group) }
    case "busy":
      let count = Int(try number(text))
      shared.world.withLock { $0.model.busyCommands = count }
    case "stray":
      let path = "\(Self.folder)/\(text)"
      let message = CoreMessage(text: words.dropFirst(2).joined(separator: " "), file: path)
      shared.world.withLock { world in
        _ = world.model.execute(CoreCommand.send(CoreGroup.ID(rawValue: Self.group), message).text)
        world.model.settle()
        _ = world.model.takeEvents()
      }
    case "uploads":
      shared.world.withLock { world in
        world.model.uploadAgain()
        world.model.settle()
        _ = world.model.takeEvents()
      }
    case "lose": shared.world.withLock { $0.model.lose(channel: Self.group) }
    default:
      if let fate = Self.fates[words.first ?? ""] {
        return shared.world.withLock { $0.model.files["\(Self.folder)/\(text)"] = fate }
      }
      guard let word = words.first, let behaviour = Self.behaviours[word] else {
        throw Unknown(text: words.joined(separator: " "))
      }
      let address = Self.relays[Int(try number(text)) - 1]
      shared.world.withLock { $0.model.deliveries[address] = behaviour }
    }
  }

  private func number(_ text: String) throws -> Int64 {
    guard let number = Int64(text) else { throw Unknown(text: text) }
    return number
  }

  // MARK: - The worker and its world

  /// A core with a channel on all relays, and a daemon that has just started.
  private func begin() {
    var model = CoreModel(relays: Self.relays)
    model.settlesAtOnce = false
    _ = model.execute(#"/_public group 1 1,2,3 {"displayName":"News","fullName":""}"#)
    model.settle()
    _ = model.takeEvents()
    let name = model.channelsSeen.first?.name ?? ""
    shared.world.withLock { $0 = World(model: model) }
    content = ChannelContent(
      identity: IdentityID(rawValue: 1), networkID: name, trustAnchor: "",
      document: ChannelDocument(Profile(displayName: "News"), preparedAt: 0).text)
    (posts, stopsAtTurn, files) = ([:], false, try? FileFolder(path: Self.folder))
    start()
  }

  private func start() {
    let shared = shared
    worker = CoreWorker(
      limits: SimpleXLimits(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      around: .init(
        now: { shared.world.withLock(\.now) }, known: { _ in nil }, served: { _, _ in [] }, isNew: { _ in false },
        ask: { Self.ask($0, shared) }, test: { _, _, _ in }, arrived: { [] },
        report: { report in shared.world.withLock { $0.reports.append(report) } }, nudge: { _ in }, files: files))
    connect()
  }

  private func connect() {
    shared.world.withLock { $0.isDown = false }
    guard case .success(.activeUser(let user)) = ScriptedReplies.result(shared.world.withLock { $0.model.execute("/user") })
    else { return }
    worker?.take(.core(.up(CoreVersion("7.0.2"), user: user)))
  }

  private static func ask(_ command: CoreCommand, _ shared: Shared) -> Result<CoreReply, CoreFailure> {
    shared.world.withLock { world in
      if world.isDown { return .failure(.notSent(.noConnection("not connected"))) }
      switch command {
      case .send, .updateItem, .deleteItems, .react, .moderate, .setRole, .block, .removeMembers, .members:
        world.lines.append("ask \(command)")
      default: break
      }
      let mishap = world.mishap.flatMap { command.text.hasPrefix($0.prefix) ? $0.kind : nil }
      if mishap != nil { world.mishap = nil }
      if mishap == .drops {
        world.isDown = true
        return .failure(.unknown(.noConnection("the connection broke")))
      }
      let answer = world.model.execute(command.text)
      world.model.settle()
      _ = world.model.takeEvents()
      switch mishap {
      case .loses:
        world.isDown = true
        return .failure(.unknown(.noConnection("the connection broke")))
      case .garbles: return ScriptedReplies.result(["type": "newChatItems", "chatItems": [["chatItem": 1]]])
      case .doubles:
        let items = answer["chatItems"]?.array ?? []
        var members = answer.object ?? [:]
        members["chatItems"] = .array(items + items)
        return ScriptedReplies.result(.object(members))
      case .drops, nil: return ScriptedReplies.result(answer)
      }
    }
  }

  /// Lets the worker and the deliveries do what they have to do.
  private func work() async {
    guard let worker else { return }
    while true {
      let isBusy = await worker.step()
      let (reports, isDown) = shared.world.withLock { world in
        defer { world.reports = [] }
        return (world.reports, world.isDown)
      }
      for report in reports { hear(report) }
      if isDown, worker.user != nil { worker.take(.core(.down(reason: "the connection broke"))) }
      guard isBusy || !reports.isEmpty else { return }
    }
  }

  private func tick(_ time: Duration) async {
    shared.world.withLock { world in
      world.now = world.now + time
      world.model.advance(by: time)
    }
    worker?.take(.nudged)
    await work()
    let now = shared.world.withLock(\.now)
    for id in posts.keys.sorted() {
      for (relay, machine) in (posts[id]?.machines ?? [:]).sorted(by: { $0.key < $1.key }) {
        if let due = machine.timer, due <= now { feed(.timerFired, id, relay) }
      }
    }
  }

  // MARK: - Deliveries

  private func post(_ id: Int, at relays: String, _ text: String, _ file: FileAddress? = nil) throws {
    posts[id] = Post(document: PostForm(text: text, file: file).document(at: .unsent))
    for digit in relays { join(id, digit.wholeNumberValue ?? 1) }
  }

  /// `react 2 13 1 👍` is reaction 2, at relays 1 and 3, to post 1.
  private func react(_ words: [String]) throws {
    let (id, target) = (Int(try number(words[1])), Int(try number(words[3])))
    let name = posts[target]?.document.networkID ?? ""
    let draft = ReactionDraft(target: PostReference(networkID: name, author: PostForm.author), text: words[4])
    posts[id] = Post(document: try ReactionForm(draft).document)
    for digit in words[2] { join(id, digit.wholeNumberValue ?? 1) }
  }

  /// `remove 5 13 2` is the removal, at relays 1 and 3, of item 2.
  private func remove(_ words: [String]) throws {
    let id = Int(try number(words[1]))
    let item = try number(words[3])
    let target = PostReference(networkID: words.count > 4 ? "\(item)/\(words[4])" : "\(item)", author: "member-7")
    let network = try SimpleXNetwork.unconnected(at: shared.world.withLock(\.now))
    let removal = try network.composeRemoval(of: target, createdAt: shared.world.withLock(\.now), in: content, reason: "")
    posts[id] = Post(document: removal.message, deletion: removal.deletion)
    for digit in words[2] {
      let relay = digit.wholeNumberValue ?? 1
      posts[id]?.machines[relay] = DeliveryMachine(deleting: 1, now: shared.world.withLock(\.now))
      feed(.deletionRequested, id, relay)
    }
  }

  /// `wish 5 13 7 member moderator` is the wish, at relays 1 and 3, that member 7 be a moderator.
  private func wish(_ words: [String]) throws {
    let id = Int(try number(words[1]))
    guard let wish = MembershipChange.Wish(rawValue: words[4]) else { throw Unknown(text: words[4]) }
    let person = words[3].hasPrefix("#") ? words[3] : "member-\(words[3])"
    let change = MembershipChange(person: person, wish, roles: Array(words.dropFirst(5)))
    let network = try SimpleXNetwork.unconnected(at: shared.world.withLock(\.now))
    posts[id] = Post(document: try network.composeMembership(change, in: content))
    for digit in words[2] { join(id, digit.wholeNumberValue ?? 1) }
  }

  private func forget(_ id: Int) throws {
    let network = try SimpleXNetwork.unconnected(at: shared.world.withLock(\.now))
    guard let document = posts[id]?.document, let remnant = network.remnant(of: document) else {
      throw Unknown(text: "forget \(id)")
    }
    posts[id]?.document = PostDocument(networkID: document.networkID, author: document.author, text: remnant)
    posts[id]?.isForgotten = true
  }

  private func join(_ id: Int, _ relay: Int) {
    let edition = posts[id]?.edition ?? 1
    posts[id]?.machines[relay] = DeliveryMachine(salt: 1, now: shared.world.withLock(\.now), edition: edition)
    feed(.begun, id, relay)
  }

  private func edit(_ id: Int, _ text: String) throws {
    guard let post = posts[id], let form = PostForm(post.document), let place = ItemPlace(name: post.document.networkID) else {
      throw Unknown(text: "edit \(id)")
    }
    let files = form.file.map { [PostDraft.Attachment(url: $0.text)] } ?? []
    posts[id]?.document = try PostForm(PostDraft(text: text, attachments: files), after: form).document(at: place)
    posts[id]?.edition += 1
    for (relay, machine) in post.machines.sorted(by: { $0.key < $1.key }) {
      feed(.edited(edition: post.edition + 1), id, relay)
      if machine.state.status == .skipped { feed(.retryRequested, id, relay) }
    }
  }

  private func feed(_ event: DeliveryMachine.Event, toAllOf id: Int) {
    for relay in (posts[id]?.machines.keys.sorted() ?? []) { feed(event, id, relay) }
  }

  private func feed(_ event: DeliveryMachine.Event, _ id: Int, _ relay: Int) {
    var policy = DeliveryPolicy()
    policy.backOffJitterPercent = 0
    let now = shared.world.withLock(\.now)
    for action in posts[id]?.machines[relay]?.handle(event, now: now, policy: policy) ?? [] {
      switch action {
      case .publish(let number): perform(.publish, id, relay, number)
      case .verify(let number): perform(.verify, id, relay, number)
      case .withdraw(let number): perform(.withdraw, id, relay, number)
      case .record, .reportUnexpected: break
      }
    }
  }

  private func perform(_ task: DeliveryOperation.Task, _ id: Int, _ relay: Int, _ number: Int) {
    guard let post = posts[id] else { return }
    worker?.take(
      .post(
        DeliveryOperation(
          task: task, post: PostID(rawValue: Int64(id)), channel: ChannelID(rawValue: 1),
          relay: RelayID(rawValue: Int64(relay)),
          address: Self.relays[relay - 1], number: number, content: content, document: post.document, deletion: post.deletion)))
  }

  private func hear(_ report: NetworkReport) {
    guard case .delivery(let post, let relay, let number, let outcome, let form) = report else { return }
    let (id, at) = (Int(post.rawValue), Int(relay.rawValue))
    let name = form.map { ", \(Self.name($0))" } ?? ""
    shared.world.withLock { $0.lines.append("\(id)@\(at) \(Self.words(outcome))\(name)") }
    // As the decider does.
    if let form, posts[id]?.isForgotten == false, posts[id]?.machines[at]?.underWay?.operation == number, let known = posts[id]
    {
      let isEdited = known.edition > 1 && known.deletion == nil
      posts[id]?.document =
        isEdited ? PostDocument(networkID: form.networkID, author: form.author, text: known.document.text) : form
    }
    switch outcome {
    case .handedOver:
      let before = posts[id]?.machines[at]?.state.status
      feed(.handedOver(operation: number), id, at)
      guard !stopsAtTurn else { return }
      worker?.take(
        .turn(
          DeliveryTurn(
            post: post, relay: relay, number: number,
            mayLeave: before != .sent && posts[id]?.machines[at]?.state.status == .sent,
            document: posts[id].flatMap { $0.edition > 1 ? $0.document : nil })))
    case .accepted: feed(.accepted(operation: number), id, at)
    case .verified(let edition): feed(.verified(operation: number, edition: edition), id, at)
    case .missing: feed(.foundMissing(operation: number), id, at)
    case .withdrawn: feed(.withdrawn(operation: number), id, at)
    case .refused(let trouble): feed(.refused(operation: number, trouble), id, at)
    case .skipped(let trouble): feed(.skipped(operation: number, trouble), id, at)
    case .troubled(let trouble, let wait): feed(.troubled(operation: number, trouble, retryAfter: wait), id, at)
    }
  }

  // MARK: - Words

  private static func words(_ outcome: DeliveryOutcome) -> String {
    switch outcome {
    case .handedOver: "handed over"
    case .accepted: "accepted"
    case .verified(let edition): "verified, edition \(edition)"
    case .missing: "missing"
    case .withdrawn: "withdrawn"
    case .refused(let trouble): "refused: \(trouble.cause)"
    case .skipped(let trouble): "skipped: \(trouble.cause)"
    case .troubled(let trouble, _): "troubled: \(trouble.cause)"
    }
  }

  /// What a form says of where the post is: its name, or for a reaction, which has none, how far it came.
  private static func name(_ form: PostDocument) -> String {
    guard let course = ReactionForm(form)?.course ?? OrderForm(form)?.course else { return form.networkID }
    var words = [course.reached.map { "for \($0.count)" } ?? "for none"]
    if course.sentAt != nil { words.append("sent") }
    if let told = course.withdrawn { words.append("taken back at \(told.count)") }
    return words.joined(separator: ", ")
  }

  private func reactions() {
    shared.world.withLock { world in
      for item in world.model.itemsSeen(of: Self.group) {
        world.lines.append("item \(item.id): \(item.reactions.isEmpty ? "none" : item.reactions.joined(separator: " "))")
      }
    }
  }

  private func status(_ id: Int) {
    guard let post = posts[id] else { return }
    let statuses = post.machines.sorted { $0.key < $1.key }.map { "\($0.value.state.status)" }
    shared.world.withLock { $0.lines.append("post \(id): \(statuses.joined(separator: " "))") }
  }

  private func explain(_ id: Int) {
    for (relay, machine) in (posts[id]?.machines ?? [:]).sorted(by: { $0.key < $1.key }) {
      let words = machine.state.trouble?.detail ?? "nothing is wrong"
      shared.world.withLock { $0.lines.append("\(id)@\(relay): \(words)") }
    }
  }

  private func chat() {
    shared.world.withLock { world in
      for item in world.model.itemsSeen(of: Self.group) {
        let holders = item.relays.compactMap { Self.relays.firstIndex(of: $0).map { "\($0 + 1)" } }.joined(separator: " ")
        let mark = (item.file.map { " + \($0)" } ?? "") + (item.isDeleted ? " (deleted)" : "")
        world.lines.append("item \(item.id): \(item.text.prefix(20))\(mark), at \(holders.isEmpty ? "none" : holders)")
      }
    }
  }
}
