import Channels
import ScriptedCore
import StrictJSON
import TestTools
import Testing

@testable import SimpleX

/// The scripted core says nothing about posts that a real one could not say.
@Suite(.timeLimit(.minutes(10)))
struct ScriptedPostsTests {
  private static let relays = AddressSamples.relays(3)
  private let group = CoreGroup.ID(rawValue: 1)

  /// A core with a channel on all relays.
  private func model(preferences: String = "{}") throws -> CoreModel {
    var model = CoreModel(relays: Self.relays)
    let created = model.execute(
      #"/_public group 1 1,2,3 {"displayName":"News","fullName":"","groupPreferences":\#(preferences)}"#)
    try #require(created["type"] == "publicGroupCreated")
    model.settle()
    _ = model.takeEvents()
    return model
  }

  /// Everything that it knows of posts.
  private func conversation() throws -> [JSONValue] {
    var model = try model()
    model.deliveries = [Self.relays[1]: .warns(["type": "quota"])]
    let items = (1...9).map { CoreItem.ID(rawValue: $0) }
    let member = CoreMember.ID(rawValue: 6)
    let preview = CoreLinkPreview(link: "https://a.example", title: "A", summary: "B", image: "data:image/png;base64,AA==")
    var said: [JSONValue] = []
    func say(_ commands: CoreCommand...) {
      for command in commands {
        said.append(model.execute(command.text))
        model.settle()
      }
    }
    say(
      .send(group, CoreMessage(text: "One"), isSigned: true),
      .send(group, CoreMessage(text: "Two", preview: preview), quoting: items[0]),
      .send(group, try CoreMessage(text: "@bob", mentions: ["bob": member])),
      .send(group, try CoreMessage(text: "@bob", mentions: ["bob": .init(rawValue: 99)])),
      .send(group, CoreMessage(text: String(repeating: "x", count: 15_602))),
      .updateItem(group, items[0], CoreMessage(text: "One, corrected")),
      .updateItem(group, items[0], CoreMessage(text: "One, corrected")), .itemInfo(group, items[0]),
      .react(group, items[0], .heart, isAdded: true), .react(group, items[0], .heart, isAdded: true),
      .page(group, .newest, count: 10), .page(group, .after(items[0]), count: 10), .page(group, .before(items[8]), count: 10),
      .deleteItems(group, try #require(CoreIDList([items[0], items[8]])), .everywhere),
      .send(group, CoreMessage(text: "x"), quoting: items[0]), .updateItem(group, items[0], CoreMessage(text: "y")),
      .deleteItems(group, CoreIDList(items[0]), .everywhere), .deleteItems(group, CoreIDList(items[1]), .history))
    model.busyCommands = 1
    say(.itemInfo(group, items[1]))
    model.setRole("observer", channel: 1)
    say(.send(group, CoreMessage(text: "x")))
    return said + model.events
  }

  @Test func everyAnswerFitsTheOfficialTypes() async throws {
    let said = try conversation()
    #expect(said.count > 22)
    // Of these the package has no types.
    #expect(try await ScriptedReplies.faults(in: said) == ["not in the package: apiChat chatItemInfo"])
  }

  @Test func everyAnswerCanBeRead() throws { ScriptedReplies.expectReadable(try conversation()) }

  @Test(arguments: [
    "/_send #1 [] json []", "/_send #1(as_group=on) json []", "/_send #1(as_group=on) json {}",
    #"/_send #1(as_group=on) json [{"msgContent":{"type":"report","text":""}}]"#,
    #"/_send #1(as_group=on) json [{"msgContent":{"type":"link","text":"x"}}]"#, "/_send #/_leave #1",
    #"/_update item #1 json {"msgContent":{"type":"text","text":"x"}}"#, "/_delete item #1 1", "/_delete item #1 1 all",
    "/_delete item #1  broadcast", #"/_reaction #1 1 maybe {"type":"emoji","emoji":"👍"}"#,
    #"/_reaction #1 1 on {"type":"emoji","emoji":"🍎"}"#,
    "/_reaction #1 1 on {\"type\":\"emoji\",\"emoji\":\"\u{2764}\u{FE0F}\"}",
    "/_get chat #1", "/_get chat #1 count=", "/_get chat #1 before=1", "/_get chat #1 after= count=1", "/_get item info #1",
  ])
  func whatTheCoreDoesNotKnowIsACommandError(text: String) throws {
    var model = try model()
    #expect(model.execute(text)["chatError"]?["errorType"]?["type"] == "commandError")
    #expect(model.itemsSeen(of: 1).isEmpty && model.channels == [1])
  }

  @Test func preferencesCount() throws {
    var model = try model(preferences: #"{"fullDelete":{"enable":"on"},"reactions":{"enable":"off"}}"#)
    let item = CoreItem.ID(rawValue: 1)
    _ = model.execute(CoreCommand.send(group, CoreMessage(text: "x")).text)
    let refused = model.execute(CoreCommand.react(group, item, .check, isAdded: true).text)
    #expect(refused["chatError"]?["errorType"]?["message"] == "feature not allowed Message reactions")
    let deleted = model.execute(CoreCommand.deleteItems(group, CoreIDList(item), .everywhere).text)
    #expect(deleted["chatItemDeletions"]?.array?.count == 1 && deleted["chatItemDeletions"]?.array?[0]["toChatItem"] == nil)
    #expect(model.itemsSeen(of: 1).isEmpty)
  }

  @Test func postsGoWithTheirChannel() throws {
    var model = try model()
    _ = model.execute(CoreCommand.send(group, CoreMessage(text: "x")).text)
    _ = model.execute(CoreCommand.deleteGroup(group).text)
    model.settle()
    #expect(model.takeEvents().isEmpty)
    _ = model.execute(#"/_public group 1 1 {"displayName":"Other","fullName":""}"#)
    #expect(model.channels == [1] && model.itemsSeen(of: 1).isEmpty, "the number is given out again, and nothing else")
  }

  /// What Baton finds small enough the core takes, whatever is in it.
  @Test(arguments: 1...20)
  func whatFitsIsTaken(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var model = try model()
    let pieces = ["a", "\"", "\n", "\u{8}", "\u{C}", "\u{1}", "é", "日", "😀", "\\"]
    func text(_ count: Int) -> String {
      String((0..<count).map { _ in Character(pieces[Int.random(in: 0..<pieces.count, using: &generator)]) })
    }
    let quoted = CoreMessage(text: text(1000))
    try #require(model.execute(CoreCommand.send(group, quoted).text)["type"] == "newChatItems")
    let preview = CoreLinkPreview(link: text(50), title: text(50), summary: text(50), image: text(200))
    let isReply = Bool.random(using: &generator)
    let use = CoreMessageSize.Use.new(quotedBytes: isReply ? CoreMessageSize.quoted(quoted) : 0)
    let hasPreview = Bool.random(using: &generator)
    var (low, high) = (0, 8000)
    let longest = text(high)
    func message(_ count: Int) throws -> CoreMessage {
      try CoreMessage(
        text: "@bob" + longest.prefix(count), preview: hasPreview ? preview : nil, mentions: ["bob": .init(rawValue: 6)])
    }
    // The longest that fits.
    while low < high - 1 {
      let middle = (low + high) / 2
      if CoreMessageSize(of: try message(middle), for: use).fits { low = middle } else { high = middle }
    }
    #expect(low > 1000)
    let taken = model.execute(
      CoreCommand.send(group, try message(low), quoting: isReply ? .init(rawValue: 1) : nil).text)
    #expect(taken["type"] == "newChatItems", "\(taken.text.prefix(300))")
  }
}
