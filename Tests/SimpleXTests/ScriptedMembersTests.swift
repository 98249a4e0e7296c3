import Channels
import ScriptedCore
import StrictJSON
import TestTools
import Testing

@testable import SimpleX

/// The scripted core says nothing about members that a real one could not say.
@Suite(.timeLimit(.minutes(10)))
struct ScriptedMembersTests {
  /// Everything that others can do.
  private func conversation() throws -> [JSONValue] {
    var model = CoreModel(relays: AddressSamples.relays(2))
    let created = model.execute(#"/_public group 1 1,2 {"displayName":"News","fullName":""}"#)
    try #require(created["type"] == "publicGroupCreated")
    model.settle()
    model.loseEvents()
    model.say(.init("Hello"), by: 7, channel: 1)
    model.say(.init("News of the day"), by: nil, channel: 1)
    var message = CoreModel.Message("Look")
    (message.file, message.quoted, message.isMention) = (("a.jpg", 14), 1, true)
    model.say(message, by: 8, channel: 1)
    message = CoreModel.Message("See")
    message.link = ("https://a.example", "A")
    model.say(message, by: 8, channel: 1)
    model.join(9, channel: 1)
    model.edit(1, to: "Hello, all", channel: 1)
    for isAdded in [true, false, true] { model.react("👍", isAdded: isAdded, to: 1, by: 8, channel: 1) }
    for (item, word) in [(1, "deleted"), (2, "blocked"), (3, "moderated")] as [(Int64, String)] {
      model.remove(item, as: word, channel: 1)
    }
    model.sweep([4], channel: 1)
    model.join(10, channel: 1)
    model.leave(10, channel: 1)
    let commands: [CoreCommand] = [
      .setRole(.init(rawValue: 1), CoreIDList(.init(rawValue: 9)), .moderator),
      .block(.init(rawValue: 1), CoreIDList(.init(rawValue: 8)), isBlocked: true),
      .removeMembers(.init(rawValue: 1), CoreIDList(.init(rawValue: 8))), .members(.init(rawValue: 1)),
    ]
    model.say(.init("Spam"), by: 7, channel: 1)
    let answers = (commands + [.moderate(.init(rawValue: 1), CoreIDList(.init(rawValue: 7)))]).map { model.execute($0.text) }
    #expect(model.peopleSeen(of: 1) == ["7 member", "9 moderator"])
    try #require(answers.allSatisfy { $0["type"] != "chatCmdError" }, "\(answers)")
    let events = answers + model.takeEvents()
    return events + [model.execute(CoreCommand.page(.init(rawValue: 1), .newest, count: 10).text)]
  }

  @Test func everyEventFitsTheOfficialTypes() async throws {
    let said = try conversation()
    #expect(said.count == 24)
    let faults = try await ScriptedReplies.faults(in: said)
    #expect(faults == ["not in the package: apiChat"], "\(faults)")
  }

  @Test func everyEventCanBeRead() throws { ScriptedReplies.expectReadable(try conversation()) }

  /// What others wrote is not the user's to change.
  @Test func messagesOfOthersAreNeitherEditedNorDeleted() throws {
    var model = CoreModel(relays: AddressSamples.relays(1))
    _ = model.execute(#"/_public group 1 1 {"displayName":"News","fullName":""}"#)
    model.settle()
    model.say(.init("Hello"), by: 7, channel: 1)
    let (group, item) = (CoreGroup.ID(rawValue: 1), CoreItem.ID(rawValue: 1))
    let edited = model.execute(CoreCommand.updateItem(group, item, CoreMessage(text: "Bye")).text)
    #expect(edited["chatError"]?["errorType"]?["type"] == "invalidChatItemUpdate")
    let deleted = model.execute(CoreCommand.deleteItems(group, CoreIDList(item), .everywhere).text)
    #expect(deleted["chatError"]?["errorType"]?["type"] == "invalidChatItemDelete")
    #expect(model.itemsSeen(of: 1).map(\.text) == ["Hello"])
  }
}
