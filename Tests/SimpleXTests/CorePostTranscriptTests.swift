import Channels
import ScriptedCore
import StrictJSON
import TestTools
import Testing

@testable import SimpleX

/// What becomes of posts in a core, in a text file; see `Transcripts/posts.txt`. Commands and answers are those that a socket would carry.
struct CorePostTranscriptTests {
  @Test func postsFareAsTold() throws {
    let transcript = try Transcript("posts.txt", beside: #filePath)
    #expect(!transcript.blocks.isEmpty)
    let player = PostPlayer()
    let difference = try transcript.difference { try player.run($0) }
    #expect(difference == nil, "\(difference ?? "")")
  }
}

private final class PostPlayer {
  struct Unknown: Error { let text: String }

  private static let relays = AddressSamples.relays(3)
  private static let behaviours: [String: DeliveryBehaviour] = [
    "good": .good, "stuck": .stuck, "warns": .warns(["type": "quota"]), "fails": .fails(["type": "expired"]),
  ]

  private let group = CoreGroup.ID(rawValue: 1)
  private var model = CoreModel(relays: [])
  private var lines: [String] = []
  /// The numbers of the relays, by member.
  private var numbers: [CoreMember.ID: Int] = [:]
  private var losesNext = false

  func run(_ commands: [String]) throws -> [String] {
    for command in commands {
      try run(command, words: command.split(separator: " ").map(String.init))
      hearEvents()
    }
    defer { lines = [] }
    return lines
  }

  private func run(_ command: String, words: [String]) throws {
    guard let first = words.first else { throw Unknown(text: command) }
    let text = words.dropFirst().joined(separator: " ")
    switch first {
    case "core": try begin()
    case "send": ask(.send(group, CoreMessage(text: text)))
    case "sign": ask(.send(group, CoreMessage(text: text), isSigned: true))
    case "large": ask(.send(group, CoreMessage(text: String(repeating: "x", count: 15_602))))
    case "link":
      let preview = CoreLinkPreview(link: words[1], title: words[2])
      ask(.send(group, CoreMessage(text: words[1], preview: preview)))
    case "mention":
      ask(.send(group, try CoreMessage(text: "@bob", mentions: ["bob": .init(rawValue: try number(words[1]))])))
    case "quote": ask(.send(group, CoreMessage(text: words.dropFirst(2).joined(separator: " ")), quoting: try item(words[1])))
    case "edit": ask(.updateItem(group, try item(words[1]), CoreMessage(text: words.dropFirst(2).joined(separator: " "))))
    case "delete":
      let ids = try words[1].split(separator: ",").map { try item(String($0)) }
      guard let list = CoreIDList(ids) else { throw Unknown(text: command) }
      ask(.deleteItems(group, list, words[2] == "history" ? .history : .everywhere))
    case "react":
      guard let reaction = CoreReaction(rawValue: words[2]) else { throw Unknown(text: command) }
      ask(.react(group, try item(words[1]), reaction, isAdded: words[3] == "on"))
    case "info": ask(.itemInfo(group, try item(words[1])))
    case "page": try page(words)
    default: try change(first, words)
    }
  }

  private func page(_ words: [String]) throws {
    switch words[1] {
    case "before": ask(.page(group, .before(try item(words[2])), count: Int(try number(words[3]))))
    case "after": ask(.page(group, .after(try item(words[2])), count: Int(try number(words[3]))))
    default: ask(.page(group, .newest, count: Int(try number(words[1]))))
    }
  }

  /// What happens to the core and its relays.
  private func change(_ first: String, _ words: [String]) throws {
    switch first {
    case "step": model.step()
    case "deliver": model.settle()
    case "lost": losesNext = true
    case "advance": model.advance(by: .seconds(3600 * (try number(String(words[1].dropLast())))))
    case "busy": model.busyCommands = Int(try number(words[1]))
    case "role": model.setRole(words[1], channel: group.rawValue)
    case "away", "back": model.setReady(first == "back", channel: group.rawValue, relayAddress: try relay(words[1]))
    case "again": model.deliverAgain(relayAddress: try relay(words[1]))
    case "holders":
      let seen = model.itemsSeen(of: group.rawValue).first { String($0.id) == words[1] }
      let held = (seen?.relays ?? []).compactMap { Self.relays.firstIndex(of: $0).map { String($0 + 1) } }
      lines.append("holders of \(words[1]): \(held.isEmpty ? "none" : held.joined(separator: " "))")
    default:
      guard let behaviour = Self.behaviours[first] else { throw Unknown(text: first) }
      model.deliveries[try relay(words[1])] = behaviour
    }
  }

  private func number(_ text: String) throws -> Int64 {
    guard let number = Int64(text) else { throw Unknown(text: text) }
    return number
  }

  private func item(_ text: String) throws -> CoreItem.ID { .init(rawValue: try number(text)) }

  private func relay(_ text: String) throws -> String { Self.relays[Int(try number(text)) - 1] }

  /// A core with a channel on all relays.
  private func begin() throws {
    model = CoreModel(relays: Self.relays)
    model.settlesAtOnce = false
    let user = CoreUser.ID(rawValue: 1)
    guard let relays = CoreIDList<CoreRelay>((1...3).map { .init(rawValue: $0) }),
      case .success(.channelCreated(_, _, let rows)) = answer(
        .createChannel(user, relays: relays, CoreGroupProfile(name: "News")))
    else { throw Unknown(text: "core") }
    numbers = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.member, $0 + 1) })
    model.settle()
    _ = model.takeEvents()
  }

  private func answer(_ command: CoreCommand) -> Result<CoreReply, CoreFailure> {
    ScriptedReplies.result(model.execute(command.text))
  }

  private func ask(_ command: CoreCommand) {
    lines.append("ask \(command)")
    let result = answer(command)
    if losesNext {
      losesNext = false
      lines.append("the answer is lost")
      return
    }
    switch result {
    case .success(let reply): lines += words(reply)
    case .failure(.refused(let error)): lines.append("refused: \(error.sentence)")
    case .failure(let failure): lines.append("failed: \(failure)")
    }
  }

  private func hearEvents() {
    for event in model.takeEvents().flatMap(ScriptedReplies.events) {
      switch event {
      case .itemStatuses(let items): lines += items.map { "event: \(words($0.item))" }
      case .error(let error): lines.append("event: \(error.sentence)")
      default: lines.append("another event")
      }
    }
  }

  // MARK: - Words

  private func words(_ reply: CoreReply) -> [String] {
    switch reply {
    case .itemsSent(let items): items.map { "sent \(words($0.item))" }
    case .itemUpdated(let item): ["updated \(words(item.item))"]
    case .itemNotChanged(let item): ["not changed \(words(item.item))"]
    case .itemsDeleted(let deletions):
      deletions.isEmpty
        ? ["deleted nothing"]
        : deletions.map { deletion in "deleted \(deletion.remaining.map { words($0.item) } ?? "\(deletion.deleted.item.id)")" }
    case .reaction(let change):
      ["\(change.isAdded ? "added" : "removed") \(change.emoji), now \(words(change.item.reactions))"]
    case .itemInfo(let info): [words(info)]
    case .page(let page): ["page of \(page.items.count)"] + page.items.map(words)
    default: ["another answer"]
    }
  }

  private func words(_ item: CoreItem) -> String {
    var marks = [words(item.author), words(item.status)]
    if item.isEdited { marks.append("edited") }
    if let deletion = item.deletion { marks.append("\(deletion)") }
    if item.isEditable { marks.append("editable") }
    if item.isDeletable { marks.append("deletable") }
    let link = item.content?.link.map { " (link \($0))" } ?? ""
    return "\(item.id) \(item.sharedID ?? "?"): \(item.content?.text ?? "")\(link) [\(marks.joined(separator: ", "))]"
  }

  private func words(_ author: CoreItem.Author) -> String {
    switch author {
    case .channel: "channel"
    case .user: "user"
    case .otherOwner: "other owner"
    case .member(let id): "member \(id)"
    case .unknown(let word): word
    }
  }

  private func words(_ status: CoreItemStatus) -> String {
    switch status {
    case .new: "new"
    case .sent(let isComplete): isComplete ? "sent" : "sent to some"
    case .received: "received"
    case .error(let error): "error: \(error)"
    case .warning(let error): "warning: \(error)"
    case .incoming: "incoming"
    case .invalid(let words), .unknown(let words): words
    }
  }

  private func words(_ reactions: [CoreReactionCount]) -> String {
    reactions.isEmpty ? "none" : reactions.map { "\($0.emoji) \($0.count)" }.joined(separator: ", ")
  }

  private func words(_ info: CoreItemInfo) -> String {
    let rows = info.deliveries.sorted { $0.key < $1.key }
      .map { member, state in "relay \(numbers[member] ?? 0) \(words(state))" }
    return "versions \(info.versions), " + (rows.isEmpty ? "no relay" : rows.joined(separator: ", "))
  }

  private func words(_ state: CoreDelivery.State) -> String {
    switch state {
    case .new: "new"
    case .forwarded: "forwarded"
    case .inactive: "inactive"
    case .sent: "sent"
    case .received: "received"
    case .error(let error): "error: \(error)"
    case .warning(let error): "warning: \(error)"
    case .invalid(let words), .unknown(let words): words
    }
  }
}
