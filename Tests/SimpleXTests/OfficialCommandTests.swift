import StrictJSON
import TestTools
import Testing

@testable import SimpleX

/// Our commands beside those of the official Python package, over random arguments. Made by `scripts/venv`.
@Suite(.timeLimit(.minutes(20)))
struct OfficialCommandTests {
  /// A command as the official package makes it.
  private struct Sample {
    let function: String
    let arguments: CoreReader
    let string: String

    init(_ line: String) throws {
      let reader = try CoreReader(try JSONParser.parse(line))
      function = try reader.string("function")
      arguments = try reader.object("arguments")
      string = try reader.string("string")
    }

    private func ids<Thing>(_ key: String) throws -> CoreIDList<Thing> {
      let values = try #require(arguments.members[key]?.array)
      return try #require(CoreIDList(values.compactMap { $0.integer.map(CoreID.init(rawValue:)) }))
    }

    /// The same, made of our types.
    func command() throws -> CoreCommand {
      switch function {
      case "ShowActiveUser": .activeUser
      case "ListUsers": .users
      case "CreateActiveUser": .createUser(name: try arguments.object("newUser").object("profile").string("displayName"))
      case "APINewPublicGroup":
        .createChannel(
          try arguments.id("userId"), relays: try ids("relayIds"), try arguments.read("groupProfile"),
          isIncognito: try arguments.bool("incognito"))
      case "APIGetGroupRelays": .relays(try arguments.id("groupId"))
      case "APIAddGroupRelays": .addRelays(try arguments.id("groupId"), try ids("relayIds"))
      case "APIRemoveMembers":
        .removeMembers(
          try arguments.id("groupId"), try ids("groupMemberIds"), withMessages: try arguments.bool("withMessages"))
      case "APIMembersRole":
        .setRole(
          try arguments.id("groupId"), try ids("groupMemberIds"),
          try #require(CoreMember.Role(rawValue: try arguments.string("memberRole"))))
      case "APIBlockMembersForAll":
        .block(try arguments.id("groupId"), try ids("groupMemberIds"), isBlocked: try arguments.bool("blocked"))
      case "APIDeleteMemberChatItem": .moderate(try arguments.id("groupId"), try ids("chatItemIds"))
      case "APIAllowRelayGroup": .allowRelay(try arguments.id("groupId"))
      case "APIGetGroupLink": .link(try arguments.id("groupId"))
      case "APIListGroups": .groups(try arguments.id("userId"))
      case "APIListMembers": .members(try arguments.id("groupId"))
      case "APIUpdateGroupProfile": .updateProfile(try arguments.id("groupId"), try arguments.read("groupProfile"))
      case "APIDeleteChat":
        .deleteGroup(
          try arguments.object("chatRef").id("chatId"), notify: try arguments.object("chatDeleteMode").bool("notify"))
      case "APIConnectPlan": .plan(try arguments.id("userId"), try CoreChannelLink(try arguments.string("connectTarget")))
      case "APILeaveGroup": .leave(try arguments.id("groupId"))
      case "APISendMessages": try send()
      case "APIUpdateChatItem":
        .updateItem(try group(), try arguments.id("chatItemId"), try Self.message(try arguments.object("updatedMessage")))
      case "APIDeleteChatItem":
        .deleteItems(
          try group(), try ids("chatItemIds"), try #require(CoreItemScope(rawValue: try arguments.string("deleteMode"))))
      case "APIChatItemReaction":
        .react(
          try group(), try arguments.id("chatItemId"),
          try #require(CoreReaction(rawValue: try arguments.object("reaction").string("emoji"))),
          isAdded: try arguments.bool("add"))
      default: throw CoreShapeError(path: [function], reason: "is not compared")
      }
    }

    private func group() throws -> CoreGroup.ID { try arguments.object("chatRef").id("chatId") }

    private func send() throws -> CoreCommand {
      let composed = try CoreReader(try #require(arguments.members["composedMessages"]?.array?.first))
      return .send(
        try arguments.object("sendRef").id("chatId"), try Self.message(composed),
        quoting: try composed.idIfPresent("quotedItemId"),
        isSigned: try arguments.bool("signMessages"))
    }

    private static func message(_ reader: CoreReader) throws -> CoreMessage {
      let content = try reader.object("msgContent")
      if let file = try reader.objectIfPresent("fileSource") {
        return CoreMessage(text: try content.string("text"), file: try file.string("filePath"))
      }
      let preview = try content.objectIfPresent("preview").map { preview in
        CoreLinkPreview(
          link: try preview.string("uri"), title: try preview.string("title"), summary: try preview.string("description"),
          image: try preview.string("image"))
      }
      let mentions = try reader.object("mentions").members.mapValues { CoreMember.ID(rawValue: try #require($0.integer)) }
      return try CoreMessage(text: try content.string("text"), preview: preview, mentions: mentions)
    }
  }

  /// The part before JSON, and the JSON if there is any.
  private static func parts(_ string: String) throws -> (String, JSONValue?) {
    let starts = [UInt8(ascii: "{"), UInt8(ascii: "[")]
    guard let brace = string.utf8.firstIndex(where: starts.contains) else { return (string, nil) }
    return (String(string[..<brace]), try JSONParser.parse(String(string[brace...])))
  }

  @Test func ourCommandsAreTheOfficialOnes() async throws {
    let python = Program.repository + "/.build/venv/bin/python3"
    let (status, lines) = try await Program.run(
      python, ["-B", Program.repository + "/Tests/SimpleXTests/python/commands.py", "1", "6000"])
    try #require(status == 0, "\(lines.suffix(5))")
    #expect(lines.count == 6000)
    var functions: Set<String> = []
    for line in lines {
      let sample = try Sample(line)
      functions.insert(sample.function)
      let own = try sample.command().text
      // Of sending as the channel the package knows nothing.
      let (prefix, json) = try Self.parts(own.replacing("(as_group=on)", with: "", maxReplacements: 1))
      let (officialPrefix, officialJSON) = try Self.parts(sample.string)
      // Byte for byte outside JSON; there both sides choose the order of keys and the escapes as they like.
      guard Array(prefix.utf8) == Array(officialPrefix.utf8), json == officialJSON else {
        Issue.record("\(sample.function): \(own) is not \(sample.string)")
        continue
      }
    }
    #expect(functions.count == 22)
  }
}
