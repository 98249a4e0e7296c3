import Channels
import ScriptedCore
import StrictJSON
import Testing

@testable import SimpleX

/// Messages about posts: those that the official package has no types for, odd ones and hostile ones.
struct CoreItemMessageTests {
  private func reply(_ json: JSONValue) throws -> CoreReply { try ScriptedReplies.result(json).get() }

  private func fault(_ json: JSONValue) throws -> String {
    guard case .failure(.unreadable(_, let fault)) = ScriptedReplies.result(json) else {
      throw CoreShapeError(path: [], reason: "is readable")
    }
    return "\(fault)"
  }

  /// A post with `meta` and other members changed; null removes one.
  private func item(_ meta: [String: JSONValue] = [:], _ members: [String: JSONValue] = [:]) -> JSONValue {
    let usual: [String: JSONValue] = [
      "itemId": 12, "itemTs": "2026-01-01T00:00:00Z", "itemText": "Hello", "itemStatus": ["type": "sndNew"],
      "itemSharedMsgId": "MDEyMzQ1Njc4OWFi", "itemEdited": false, "editable": true, "deletable": true,
      "showGroupAsSender": true,
    ]
    let outer: [String: JSONValue] = [
      "chatDir": ["type": "groupSnd"], "meta": .object(usual.merging(meta) { _, new in new }),
      "content": ["type": "sndMsgContent", "msgContent": ["type": "text", "text": "Hello"]], "mentions": [:], "reactions": [],
    ]
    return .object(outer.merging(members) { _, new in new })
  }

  /// In a chat of another kind than a group, which needs no members.
  private func page(_ items: [JSONValue]) -> JSONValue {
    ["type": "apiChat", "user": [:], "chat": ["chatInfo": ["type": "local"], "chatItems": .array(items), "chatStats": [:]]]
  }

  private func read(_ meta: [String: JSONValue] = [:], _ members: [String: JSONValue] = [:]) throws -> CoreItem {
    guard case .page(let page) = try reply(page([item(meta, members)])) else {
      throw CoreShapeError(path: [], reason: "no page")
    }
    return try #require(page.items.first, "\(page.faults)")
  }

  private func info(_ rows: JSONValue) -> JSONValue {
    [
      "type": "chatItemInfo", "user": [:], "chatItem": ["chatInfo": ["type": "local"], "chatItem": item()],
      "chatItemInfo": ["itemVersions": [[:], [:]], "memberDeliveryStatuses": rows, "fileXftpServers": []],
    ]
  }

  @Test func aPostIsRead() throws {
    let item = try read()
    #expect(item.id.rawValue == 12 && item.sharedID == "MDEyMzQ1Njc4OWFi" && item.sentAt == "2026-01-01T00:00:00Z")
    #expect(item.author == .channel && item.status == .new && item.deletion == nil && item.reactions.isEmpty)
    #expect(item.content == CoreItemContent(kind: .known(.text), text: "Hello", link: nil, title: nil))
    #expect(item.isEditable && item.isDeletable && !item.isEdited)
    #expect(try read(["showGroupAsSender": false]).author == .user)
    #expect(try read([:], ["chatDir": ["type": "channelRcv"]]).author == .otherOwner)
    #expect(
      try read([:], ["chatDir": ["type": "groupRcv", "groupMember": ["groupMemberId": 5]]]).author
        == .member(.init(rawValue: 5)))
  }

  @Test func oddPostsAreRead() throws {
    let bare = try read(
      ["itemTs": nil, "itemSharedMsgId": nil, "itemEdited": nil, "editable": nil, "deletable": nil, "showGroupAsSender": nil],
      ["reactions": nil, "mentions": nil])
    #expect(bare.sentAt.isEmpty && bare.sharedID == nil && !bare.isEditable && !bare.isDeletable && bare.author == .user)
    #expect(try read([:], ["chatDir": ["type": "newTag"]]).author == .unknown("newTag"))
    #expect(try read([:], ["content": ["type": "rcvGroupEvent", "rcvGroupEvent": [:]]]).content == nil)
    let unknown = try read([:], ["content": ["type": "rcvMsgContent", "msgContent": ["type": "poll", "a": 1]]])
    #expect(unknown.content == CoreItemContent(kind: .unknown("poll"), text: "", link: nil, title: nil))
    for (word, deletion) in [
      ("deleted", CoreItem.Deletion.deleted), ("blockedByAdmin", .blockedByAdmin), ("moderated", .moderated),
    ] {
      #expect(try read(["itemDeleted": ["type": .string(word)]]).deletion == .known(deletion))
    }
    #expect(try read(["itemDeleted": ["type": "newTag"]]).deletion == .unknown("newTag"))
    let reactions: JSONValue = [
      ["reaction": ["type": "emoji", "emoji": "👍"], "userReacted": true, "totalReacted": 2], ["reaction": ["type": "newTag"]],
    ]
    #expect(
      try read([:], ["reactions": reactions]).reactions
        == [CoreReactionCount(emoji: "👍", isOwn: true, count: 2), CoreReactionCount(emoji: "", isOwn: false, count: 0)])
  }

  @Test func filesAreRead() throws {
    func file(_ status: JSONValue, _ name: JSONValue = "a.jpg") throws -> CoreItemFile? {
      try read(
        [:],
        [
          "file": [
            "fileId": 1, "fileName": name, "fileSize": 14, "fileSource": ["filePath": "/srv/a.jpg"], "fileStatus": status,
            "fileProtocol": "xftp",
          ]
        ]
      ).file
    }
    #expect(try read().file == nil)
    let states: [(JSONValue, CoreItemFile.State)] = [
      (["type": "sndStored"], .stored), (["type": "sndTransfer", "sndProgress": 1, "sndTotal": 2], .uploading),
      (["type": "sndComplete"], .complete), (["type": "sndCancelled"], .cancelled),
      (["type": "sndError", "sndFileError": ["type": "auth"]], .error(.auth)),
      (["type": "sndError", "sndFileError": ["type": "noFile"]], .error(.noFile)),
      (["type": "sndError", "sndFileError": ["type": "blocked", "server": "a", "blockInfo": [:]]], .error(.blocked)),
      (["type": "sndWarning", "sndFileError": ["type": "relay", "srvError": ["type": "host"]]], .warning(.server("host"))),
      (["type": "sndWarning", "sndFileError": ["type": "other", "fileError": "x\ny"]], .warning(.other("x y"))),
      (["type": "sndWarning", "sndFileError": ["type": "newTag"]], .warning(.unknown("newTag"))),
      (["type": "invalid", "text": "snd_odd"], .invalid("snd_odd")), (["type": "rcvComplete"], .unknown("rcvComplete")),
    ]
    for (json, state) in states {
      #expect(try file(json) == CoreItemFile(name: "a.jpg", size: 14, state: state), "\(json.text)")
    }
    // A long name is cut, and no path of ours is as long.
    let long = try #require(try file(["type": "sndStored"], .string(String(repeating: "x", count: 5_000))))
    #expect(long.name.utf8.count == 1_024)
    for broken in [
      ["fileName": "a"], ["fileStatus": ["type": "sndStored"]], ["fileName": 1, "fileStatus": ["type": "sndStored"]],
      ["fileName": "a", "fileStatus": "sndComplete"], ["fileName": "a", "fileStatus": ["type": "sndError"]],
    ] as [JSONValue] {
      guard case .page(let page) = try reply(page([item([:], ["file": broken])])) else { return #expect(Bool(false)) }
      #expect(page.items.isEmpty && page.faults.count == 1, "\(broken.text)")
    }
  }

  @Test func oneUnreadablePostDoesNotSpoilThePage() throws {
    let read = try reply(page([item(), item(["itemId": "x"]), ["meta": 1], item(["itemId": 13])]))
    guard case .page(let page) = read else { return #expect(Bool(false)) }
    #expect(page.items.map(\.id.rawValue) == [12, 13] && page.group == nil && !page.isEmpty)
    #expect(
      page.faults.map(\.description) == [
        "resp.chat.chatItems.1.meta.itemId must be an integer", "resp.chat.chatItems.2.meta must be an object",
      ])
  }

  @Test func whatOthersWriteIsBounded() throws {
    let long = String(repeating: "日", count: 40_000)
    let text = try read([:], ["content": ["type": "rcvMsgContent", "msgContent": ["type": "text", "text": .string(long)]]])
    let kept = try #require(text.content?.text)
    #expect(kept.utf8.count == 65_535 && kept.allSatisfy { $0 == "日" }, "cut between characters")
    let word = try read([:], ["chatDir": ["type": .string(long)]])
    guard case .unknown(let shown) = word.author else { return #expect(Bool(false)) }
    #expect(shown.utf8.count <= Trouble.detailBytesMax)
    for key in ["itemSharedMsgId", "itemTs"] {
      guard case .page(let page) = try reply(page([item([key: .string(long)])])) else { return #expect(Bool(false)) }
      #expect(
        page.items.isEmpty && page.faults.map(\.reason) == ["must have at most 200 bytes"], "two long ids may begin alike")
    }
    let many = JSONValue.array(Array(repeating: item(), count: 1001))
    #expect(try fault(page(many.array ?? [])) == "resp.chat.chatItems must have at most 1000 elements")
    #expect(try fault(["type": "newChatItems", "chatItems": many]) == "resp.chatItems must have at most 1000 elements")
    let row: JSONValue = ["groupMemberId": 1, "memberDeliveryStatus": ["type": "new"]]
    let rows = JSONValue.array(Array(repeating: row, count: 10_001))
    #expect(try fault(info(rows)) == "resp.chatItemInfo.memberDeliveryStatuses must have at most 10000 elements")
  }

  @Test func deliveriesAreRead() throws {
    let states: [(JSONValue, CoreDelivery.State)] = [
      (["type": "new"], .new), (["type": "forwarded"], .forwarded), (["type": "inactive"], .inactive),
      (["type": "sent"], .sent),
      (["type": "rcvd", "msgRcptStatus": "ok"], .received(isIntact: true)),
      (["type": "rcvd", "msgRcptStatus": "badMsgHash"], .received(isIntact: false)),
      (["type": "error", "agentError": ["type": "auth"]], .error(.auth)),
      (["type": "error", "agentError": ["type": "expired"]], .error(.expired)),
      (["type": "warning", "agentError": ["type": "quota"]], .warning(.quota)),
      (["type": "warning", "agentError": ["type": "relay", "srvError": ["type": "host"]]], .warning(.relay("host"))),
      (
        [
          "type": "warning",
          "agentError": ["type": "proxy", "proxyServer": "a.example", "srvError": ["type": "other", "srvError": "x\ny"]],
        ], .warning(.proxy(host: "a.example", "x y"))
      ),
      (
        ["type": "error", "agentError": ["type": "proxyRelay", "proxyServer": "a.example", "srvError": ["type": "version"]]],
        .error(.proxyRelay(host: "a.example", "version"))
      ),
      (["type": "error", "agentError": ["type": "other", "sndError": "why"]], .error(.other("why"))),
      (["type": "error", "agentError": ["type": "newTag"]], .error(.unknown("newTag"))),
      (["type": "invalid", "text": "snd_odd"], .invalid("snd_odd")), (["type": "newTag", "x": 1], .unknown("newTag")),
    ]
    for (json, state) in states {
      guard case .itemInfo(let info) = try reply(info([["groupMemberId": 3, "memberDeliveryStatus": json]])) else {
        return #expect(Bool(false))
      }
      #expect(info.deliveries == [.init(rawValue: 3): state] && info.versions == 2, "\(json.text)")
    }
    guard case .itemInfo(let none) = try reply(info(nil)) else { return #expect(Bool(false)) }
    #expect(none.deliveries.isEmpty)
    #expect(try fault(info([["memberDeliveryStatus": ["type": "new"]]])).hasSuffix("0.groupMemberId is missing"))
  }

  @Test func errorsOfDeliveriesAreSentences() {
    let sentences: [(CoreSendError, String)] = [
      (.auth, "the relay's queue is gone"), (.quota, "the relay's queue is full"),
      (.expired, "the relay's server could not be reached for days"),
      (.relay("host"), "the relay's server failed: it cannot be found"),
      (
        .proxy(host: "a", "version"),
        "the server a, through which the core sends, failed: it has no version in common with the core"
      ),
      (.proxyRelay(host: "a", "b"), "the relay's server failed towards a: b"), (.other("c"), "the core could not send: c"),
      (.unknown("d"), "the core could not send (d)"),
    ]
    for (error, sentence) in sentences { #expect("\(error)" == sentence) }
  }

  /// The tags of errors about posts, and what people read.
  @Test func errorsAboutPostsSayWhatToDo() throws {
    func error(_ json: JSONValue) throws -> CoreError {
      guard case .failure(.refused(let error)) = ScriptedReplies.result(CoreErrors.answer(json)) else {
        throw CoreShapeError(path: [], reason: "is no error")
      }
      return error
    }
    for fault in CoreError.ItemFault.allCases {
      let isOwn = [.notEditable, .notDeletable, .noFile, .fileTooLarge].contains(fault)
      let found = try error(isOwn ? CoreErrors.own(fault.rawValue) : CoreErrors.store(fault.rawValue, ["itemId": 12]))
      #expect(found.kind == .item(fault) && found.trouble.cause == .rejected)
      #expect(!found.sentence.contains(fault.rawValue), "the tag says nothing to people")
    }
    // It is the database that misses something here.
    #expect(try error(CoreErrors.store("fileNotFound", ["fileId": 1])).kind == .store("fileNotFound"))
    #expect(
      try error(CoreErrors.store("largeMsg")).sentence
        == "the post is too large: with its quote and preview it may take 15602 bytes")
    let role = try error(CoreErrors.own("groupUserRole", ["groupInfo": [:], "requiredRole": "author"]))
    #expect(role.kind == .notAllowed)
    #expect(role.sentence == "the core's user may not do this in the channel: it takes the role author or a higher one")
    let busy = try error(CoreErrors.store("dBBusyError", ["message": "locked"]))
    #expect(busy.kind == .temporary && busy.trouble.cause == .storage)
  }

  @Test func eventsAboutChatsOfOtherKindsAreRead() throws {
    let event: JSONValue = [
      "type": "newChatItems", "user": [:],
      "chatItems": [["chatInfo": ["type": "direct"], "chatItem": item([:], ["chatDir": ["type": "directRcv"]])]],
    ]
    guard case .itemsReceived(let items)? = ScriptedReplies.events(event).first else {
      return #expect(Bool(false))
    }
    #expect(items.count == 1 && items[0].group == nil && items[0].item.author == .unknown("directRcv"))
    let odd: JSONValue = ["type": "chatItemsStatusesUpdated", "chatItems": [["chatInfo": ["type": "direct"]]]]
    guard case .unreadable("chatItemsStatusesUpdated", _)? = ScriptedReplies.events(odd).first else {
      return #expect(Bool(false))
    }
  }
}
