import Channels
import RelayNetwork
import ScriptedCore
import StrictJSON
import Testing

@testable import SimpleX

/// What items of the core are as messages; others write them, so odd and hostile ones come too.
struct ItemNewsTests {
  private static let group: JSONValue = [
    "groupId": 1, "localDisplayName": "News", "createdAt": "", "groupProfile": ["displayName": "News", "fullName": ""],
    "membership": [
      "groupMemberId": 5, "groupId": 1, "memberId": "b3duZXI=", "memberRole": "owner", "memberStatus": "creator",
      "localDisplayName": "owner",
    ],
  ]
  private static let now = Timestamp(milliseconds: 1_767_225_600_000)

  private static func member(_ members: [String: JSONValue] = [:]) -> JSONValue {
    let usual: [String: JSONValue] = [
      "groupMemberId": 7, "memberId": "bWVtYmVy", "memberProfile": ["displayName": "Ann"],
    ]
    return ["type": "groupRcv", "groupMember": .object(usual.merging(members) { _, new in new })]
  }

  /// A message of a member with `meta` and other members changed; null removes one.
  private func json(_ meta: [String: JSONValue] = [:], _ members: [String: JSONValue] = [:]) -> JSONValue {
    let usual: [String: JSONValue] = [
      "itemId": 12, "itemTs": "2026-01-01T00:00:00Z", "itemText": "Hello", "itemStatus": ["type": "rcvNew"],
      "itemSharedMsgId": "c2hhcmVk", "itemEdited": false, "userMention": false,
    ]
    let outer: [String: JSONValue] = [
      "chatDir": Self.member(), "meta": .object(usual.merging(meta) { _, new in new }),
      "content": ["type": "rcvMsgContent", "msgContent": ["type": "text", "text": "Hello"]],
    ]
    return .object(outer.merging(members) { _, new in new })
  }

  private func page(_ items: JSONValue...) throws -> CoreItemPage {
    let chat: JSONValue = [
      "chatInfo": ["type": "group", "groupInfo": Self.group], "chatItems": .array(items), "chatStats": [:],
    ]
    guard case .page(let page) = try ScriptedReplies.result(["type": "apiChat", "chat": chat]).get() else {
      throw CoreShapeError(path: [], reason: "no page")
    }
    return page
  }

  private func all(_ meta: [String: JSONValue] = [:], _ members: [String: JSONValue] = [:]) throws -> [MessageNews.What] {
    let page = try page(json(meta, members))
    return ItemNews(group: try #require(page.group), now: Self.now).all(try #require(page.items.first, "\(page.faults)"))
  }

  private func message(_ meta: [String: JSONValue] = [:], _ members: [String: JSONValue] = [:]) throws -> ReadMessage {
    guard case .message(let message)? = try all(meta, members).first else {
      throw CoreShapeError(path: [], reason: "no message")
    }
    return message
  }

  @Test func aMessageIsNamedAsPostsAre() throws {
    let read = try message()
    #expect(
      read == ReadMessage(networkID: "12/c2hhcmVk", author: "bWVtYmVy", authorName: "Ann", text: "Hello", createdAt: Self.now))
    #expect(ItemPlace(name: read.networkID) == .item(.init(rawValue: 12), sharedID: "c2hhcmVk"))
    #expect(try message(["itemSharedMsgId": nil]).networkID == "12")
    #expect(try message(["itemSharedMsgId": "a b\n"]).networkID == "12", "nothing that cannot be read back")
  }

  @Test func authorsAreToldApart() throws {
    func author(_ direction: JSONValue, isAsGroup: Bool = false) throws -> [String?] {
      let message = try message(["showGroupAsSender": .bool(isAsGroup)], ["chatDir": direction])
      return [message.author, message.authorName, message.isOwn ? "own" : nil]
    }
    #expect(try author(["type": "groupSnd"], isAsGroup: true) == ["channel", nil, "own"])
    #expect(try author(["type": "groupSnd"]) == ["b3duZXI=", nil, "own"])
    #expect(try author(["type": "channelRcv"]) == ["channel#1", nil, nil], "another owner, who is none of another channel's")
    #expect(try author(Self.member(["memberId": nil])) == ["#7", nil, nil])
    #expect(try author(Self.member(["memberProfile": nil, "localDisplayName": "ann_1"])) == ["bWVtYmVy", "ann_1", nil])
    for hostile in ["", "channel", "a b", "<b>", String(repeating: "a", count: 201)] {
      #expect(try author(Self.member(["memberId": .string(hostile)]))[0] == "#7", "no one passes for the channel")
    }
    let long = JSONValue.string(String(repeating: "日", count: 100))
    #expect(try author(Self.member(["memberProfile": ["displayName": long]]))[1]?.utf8.count == 198)
    #expect(try all([:], ["chatDir": ["type": "directRcv"]]).isEmpty)
  }

  @Test func whatIsNoMessageIsLeftOut() throws {
    #expect(try all([:], ["content": ["type": "rcvGroupEvent", "rcvGroupEvent": [:]]]).isEmpty)
    #expect(try all([:], ["content": ["type": "rcvGroupFeature"]]).isEmpty)
    let report: JSONValue = ["type": "report", "text": "spam", "reason": "spam"]
    #expect(try all([:], ["content": ["type": "rcvMsgContent", "msgContent": report]]).isEmpty)
    let poll: JSONValue = ["type": "poll", "text": "Which?", "json": [:]]
    #expect(try message(["itemText": "Which?"], ["content": ["type": "rcvMsgContent", "msgContent": poll]]).text == "Which?")
    #expect(try message(["itemText": nil]).text == "Hello")
  }

  @Test func whatBecameOfAMessageIsTold() throws {
    #expect(
      try all(["itemEdited": true]).last == .edited(networkID: "12/c2hhcmVk", text: "Hello")
        && all(["itemEdited": true]).count == 2)
    for word in ["deleted", "moderated", "blocked", "blockedByAdmin", "newTag"] {
      let news = try all(["itemDeleted": ["type": .string(word)]], ["content": ["type": "rcvModerated"]])
      #expect(news == [.deleted(networkID: "12/c2hhcmVk", author: nil)], "\(word)")
    }
  }

  @Test func oddDatesAndQuotesAreRead() throws {
    #expect(try message(["itemTs": "yesterday"]).createdAt == Self.now)
    #expect(try message(["itemTs": nil]).createdAt == Self.now)
    func answered(_ quote: JSONValue) throws -> String? { try message([:], ["quotedItem": quote]).replyTo }
    #expect(try answered(["itemId": 3, "sharedMsgId": "YQ==", "sentAt": "", "content": [:]]) == "3/YQ==")
    #expect(try answered(["itemId": 3]) == "3")
    #expect(try answered(["sharedMsgId": "YQ=="]) == nil, "the core does not have it")
    #expect(try answered(["itemId": "x", "sharedMsgId": 1]) == nil)
    #expect(try answered("x") == nil)
    #expect(try message(["userMention": true]).isMention)
  }

  @Test func attachmentsAreNamesAndWebAddressesOnly() throws {
    func files(_ name: String, _ size: JSONValue = 14) throws -> [ReadAttachment] {
      let file: JSONValue = [
        "fileId": 1, "fileName": .string(name), "fileSize": size, "fileStatus": ["type": "rcvInvitation"],
        "fileProtocol": "xftp",
      ]
      return try message([:], ["file": file]).attachments
    }
    #expect(try files("a.jpg") == [ReadAttachment(url: "a.jpg", sizeBytes: 14)])
    #expect(try files("a.jpg", -1) == [ReadAttachment(url: "a.jpg")])
    #expect(try files("https://evil.example/a.jpg") == [ReadAttachment(url: "a.jpg", sizeBytes: 14)])
    #expect(try files("../../etc/passwd") == [ReadAttachment(url: "passwd", sizeBytes: 14)])
    #expect(try files("/").isEmpty && files("").isEmpty)
    #expect(try files(String(repeating: "x", count: 2_000))[0].url.utf8.count == 1_000)
    func link(_ uri: String, _ title: JSONValue = "A") throws -> [ReadAttachment] {
      let preview: JSONValue = ["uri": .string(uri), "title": title, "description": "", "image": ""]
      let content: JSONValue = ["type": "link", "text": "See", "preview": preview]
      return try message([:], ["content": ["type": "rcvMsgContent", "msgContent": content]]).attachments
    }
    #expect(try link("https://a.example") == [ReadAttachment(url: "https://a.example", altText: "A")])
    #expect(try link("HTTP://a.example", nil) == [ReadAttachment(url: "HTTP://a.example")])
    for hostile in ["javascript:alert(1)", "file:///etc/passwd", "https:", "https://" + String(repeating: "a", count: 1_000)] {
      #expect(try link(hostile).isEmpty, "\(hostile.prefix(20))")
    }
    let title = JSONValue.string(String(repeating: "é", count: 5_000))
    #expect(try link("https://a.example", title)[0].altText?.utf8.count == 1_000)
  }

  @Test func aLongTextIsCut() throws {
    let text = try message(["itemText": .string(String(repeating: "日", count: 40_000))]).text
    #expect(text.utf8.count == 65_535 && text.utf8.count <= ReadMessage.textMax)
  }

  private func reaction(_ direction: JSONValue?, _ reaction: JSONValue, isAdded: Bool = true) throws -> MessageNews.What? {
    var inner: [String: JSONValue] = ["chatItem": json(), "sentAt": "", "reaction": reaction]
    inner["chatDir"] = direction
    let event: JSONValue = [
      "type": "chatItemReaction", "added": .bool(isAdded),
      "reaction": ["chatInfo": ["type": "group", "groupInfo": Self.group], "chatReaction": .object(inner)],
    ]
    guard case .reaction(let change)? = ScriptedReplies.events(event).first else {
      throw CoreShapeError(path: [], reason: "no reaction")
    }
    return ItemNews(group: try #require(change.group), now: Self.now).reaction(change)
  }

  @Test func aReactionIsNamedByItsMessageAuthorAndEmoji() throws {
    let name = "12/c2hhcmVk bWVtYmVy 👍"
    #expect(
      try reaction(Self.member(), ["type": "emoji", "emoji": "👍"])
        == .reaction(ReadReaction(networkID: name, target: "12/c2hhcmVk", author: "bWVtYmVy", text: "👍")))
    #expect(
      try reaction(Self.member(), ["type": "emoji", "emoji": "👍"], isAdded: false) == .deleted(networkID: name, author: nil))
    #expect(try reaction(["type": "groupSnd"], ["type": "emoji", "emoji": "👍"]) == nil, "it is a post of ours")
    #expect(try reaction(nil, ["type": "emoji", "emoji": "👍"]) == nil)
    #expect(try reaction(Self.member(), ["type": "newTag"]) == nil)
    #expect(try reaction(Self.member(), ["type": "emoji", "emoji": .string(String(repeating: "x", count: 65))]) == nil)
  }

  /// What a member says to those who run the channel is no one else's business.
  @Test func messagesToModeratorsAreOfNoGroup() throws {
    let chat: JSONValue = ["type": "group", "groupInfo": Self.group, "groupChatScope": ["type": "memberSupport"]]
    let event: JSONValue = [
      "type": "newChatItems",
      "chatItems": [
        ["chatInfo": chat, "chatItem": json()], ["chatInfo": 1], ["chatInfo": ["type": "local"], "chatItem": json()],
      ],
    ]
    guard case .itemsReceived(let items)? = ScriptedReplies.events(event).first else { return #expect(Bool(false)) }
    #expect(items.count == 2 && items.allSatisfy { $0.group == nil }, "what cannot be read does not spoil the rest")
  }

  @Test func numbersOfMessagesThatAreGoneAreRead() throws {
    func gone(_ numbers: JSONValue) -> CoreEvent? {
      ScriptedReplies.events(["type": "groupChatItemsDeleted", "groupInfo": Self.group, "chatItemIDs": numbers]).first
    }
    guard case .itemsGone(let group, let items)? = gone([1, 9]) else { return #expect(Bool(false)) }
    #expect(group.id.rawValue == 1 && items.map(\.rawValue) == [1, 9])
    for broken in [nil, 1, ["x"], .array(Array(repeating: 1, count: 1001))] as [JSONValue] {
      guard case .unreadable("groupChatItemsDeleted", _)? = gone(broken) else { return #expect(Bool(false)) }
    }
  }
}
