import StrictJSON
import Testing

@testable import SimpleX

/// Commands about posts, letter by letter.
struct CoreItemCommandTests {
  private let group = CoreGroup.ID(rawValue: 7)
  private let item = CoreItem.ID(rawValue: 12)

  @Test func commandsReadAsTheCoreExpectsThem() throws {
    let items = try #require(CoreIDList<CoreItem>([.init(rawValue: 12), .init(rawValue: 13), .init(rawValue: 12)]))
    let hello = CoreMessage(text: "Hello, \"you\"")
    let preview = CoreLinkPreview(link: "https://a.example/", title: "A", summary: "B", image: "data:image/png;base64,AA==")
    let linked = CoreMessage(text: "https://a.example/", preview: preview)
    let mentioning = try CoreMessage(
      text: "@bob and @'Ann Lee'", mentions: ["bob": .init(rawValue: 3), "Ann Lee": .init(rawValue: 4)])
    let commands: [(CoreCommand, String)] = [
      (
        .send(group, hello),
        #"/_send #7(as_group=on) json [{"mentions":{},"msgContent":{"text":"Hello, \"you\"","type":"text"}}]"#
      ),
      (
        .send(group, hello, quoting: item, isSigned: true),
        #"/_send #7(as_group=on) sign=on json [{"mentions":{},"msgContent":{"text":"Hello, \"you\"","type":"text"},"quotedItemId":12}]"#
      ),
      (
        .send(group, linked),
        #"/_send #7(as_group=on) json [{"mentions":{},"msgContent":{"preview":{"description":"B","image":"data:image/png;base64,AA==","#
          + #""title":"A","uri":"https://a.example/"},"text":"https://a.example/","type":"link"}}]"#
      ),
      (
        .send(group, CoreMessage(text: "Look", file: "/srv/a \"b\".jpg"), quoting: item),
        #"/_send #7(as_group=on) json [{"fileSource":{"filePath":"/srv/a \"b\".jpg"},"mentions":{},"#
          + #""msgContent":{"text":"Look","type":"file"},"quotedItemId":12}]"#
      ),
      (
        .updateItem(group, item, CoreMessage(text: "Look again", file: "/srv/a.jpg")),
        #"/_update item #7 12 json {"mentions":{},"msgContent":{"text":"Look again","type":"file"}}"#
      ),
      (
        .updateItem(group, item, mentioning),
        #"/_update item #7 12 json {"mentions":{"Ann Lee":4,"bob":3},"msgContent":{"text":"@bob and @'Ann Lee'","type":"text"}}"#
      ),
      (.deleteItems(group, items, .everywhere), "/_delete item #7 12,13 broadcast"),
      (.deleteItems(group, CoreIDList(item), .history), "/_delete item #7 12 history"),
      (.react(group, item, .rocket, isAdded: true), #"/_reaction #7 12 on {"emoji":"🚀","type":"emoji"}"#),
      (.react(group, item, .heart, isAdded: false), "/_reaction #7 12 off {\"emoji\":\"\u{2764}\",\"type\":\"emoji\"}"),
      (.itemInfo(group, item), "/_get item info #7 12"),
      (.page(group, .newest, count: 20), "/_get chat #7 count=20"),
      (.page(group, .before(item), count: 1), "/_get chat #7 before=12 count=1"),
      (.page(group, .after(item), count: 100), "/_get chat #7 after=12 count=100"),
    ]
    for (command, text) in commands { #expect(Array(command.text.utf8) == Array(text.utf8)) }
  }

  @Test func pagesAreBounded() {
    #expect(CoreCommand.page(group, .newest, count: .max).text == "/_get chat #7 count=100")
    #expect(CoreCommand.page(group, .newest, count: -1).text == "/_get chat #7 count=1")
  }

  /// The core reads a reaction as one character; what has more is another reaction to it, which readers see as a question mark.
  @Test func everyReactionIsOneCharacter() {
    #expect(CoreReaction.allCases.count == 8)
    for reaction in CoreReaction.allCases { #expect(reaction.rawValue.unicodeScalars.count == 1, "\(reaction)") }
  }

  @Test func noTextBecomesAnotherCommandOrIsShown() throws {
    let text = "]\n/_delete #1 full\r\n\u{B}\u{0} secret @'x y'"
    let message = try CoreMessage(
      text: text, preview: CoreLinkPreview(link: text, title: text, summary: text, image: text),
      mentions: ["x y": .init(rawValue: 1)])
    let commands: [CoreCommand] = [
      .send(group, message), .send(group, message, quoting: item), .updateItem(group, item, message),
      .send(group, CoreMessage(text: text, file: text)),
    ]
    for command in commands {
      #expect(command.text.utf8.allSatisfy { $0 >= 0x20 })
      let start = try #require(command.text.firstIndex { $0 == "{" || $0 == "[" })
      #expect(throws: Never.self) { try JSONParser.parse(String(command.text[start...])) }
      var dumped = ""
      dump(command, to: &dumped)
      for shown in ["\(command)", String(reflecting: command), dumped, "\(message)"] { #expect(!shown.contains("secret")) }
    }
  }

  @Test func whatTheCoreWouldRefuseIsNoMessage() {
    let ids = (1...4).map { CoreMember.ID(rawValue: $0) }
    let names = ["a", "b", "c", "d"]
    #expect(throws: CoreMessage.Fault.tooManyMentions) {
      try CoreMessage(text: "@a @b @c @d", mentions: Dictionary(uniqueKeysWithValues: zip(names, ids)))
    }
    #expect(throws: CoreMessage.Fault.mentionedTwice) { try CoreMessage(text: "@a @b", mentions: ["a": ids[0], "b": ids[0]]) }
    #expect(throws: CoreMessage.Fault.mentionNotInText("b")) {
      try CoreMessage(text: "@a b", mentions: ["a": ids[0], "b": ids[1]])
    }
    #expect(throws: CoreMessage.Fault.mentionNotInText("")) { try CoreMessage(text: "@", mentions: ["": ids[0]]) }
  }

  /// A lost answer to what sends is costly, and reading is quick.
  @Test func whatSendsIsWaitedForLonger() {
    let limits = CoreLimits()
    let message = CoreMessage(text: "x")
    let sending: [CoreCommand] = [
      .send(group, message), .updateItem(group, item, message), .deleteItems(group, .init(item), .history),
      .react(group, item, .check, isAdded: true),
    ]
    for command in sending { #expect(limits.timeout(of: command) == limits.networkTimeout) }
    for command in [CoreCommand.itemInfo(group, item), .page(group, .newest, count: 1)] {
      #expect(limits.timeout(of: command) == limits.localTimeout)
    }
  }
}
