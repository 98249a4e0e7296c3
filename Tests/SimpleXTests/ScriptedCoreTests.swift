import ScriptedCore
import StrictJSON
import TestTools
import Testing

@testable import SimpleX

/// The scripted core says nothing that a real one could not say.
@Suite(.timeLimit(.minutes(10)))
struct ScriptedCoreTests {
  private static let relays = AddressSamples.relays(9)

  /// Answers and events of a core that goes through everything it knows.
  private func conversation() throws -> [JSONValue] {
    var model = CoreModel(userName: nil, relays: Self.relays)
    let odd: [RelayBehaviour] = [
      .good, .deadLink, .unreachable, .failsLater, .rejects, .rejectsRoster, .wrongEntity, .leaves, .losesLink,
    ]
    model.behaviours = Dictionary(uniqueKeysWithValues: zip(Self.relays, odd))
    let user = CoreUser.ID(rawValue: 1)
    func ids(_ numbers: Int64...) throws -> CoreIDList<CoreRelay> {
      try #require(CoreIDList(numbers.map(CoreRelay.ID.init(rawValue:))))
    }
    var said: [JSONValue] = []
    func say(_ command: CoreCommand) {
      said.append(model.execute(command.text))
      model.settle()
    }
    say(.activeUser)
    say(.createUser(name: "owner \"x\""))
    say(.createUser(name: "owner \"x\""))
    for command in [CoreCommand.version, .activeUser, .users, .checkRunning, .operators, .servers(user)] {
      say(command)
    }
    say(
      .createChannel(
        user, relays: try ids(1, 4, 5, 6, 7, 8, 9), CoreGroupProfile(name: "news", summary: "s"), isIncognito: true))
    let channel = CoreGroup.ID(rawValue: try #require(model.channels.first))
    for relays in [try ids(1, 2, 3), try ids(3, 4), try ids(77)] {
      say(.createChannel(user, relays: relays, CoreGroupProfile(name: "other")))
    }
    for relays in [try ids(2, 3), try ids(1)] { say(.addRelays(channel, relays)) }
    say(.createChannel(user, relays: try ids(1), CoreGroupProfile(name: "a/b")))
    for command in [CoreCommand.relays(channel), .members(channel), .link(channel), .groups(user), .info(channel)] {
      say(command)
    }
    let created = said.lazy.compactMap { answer -> (CoreGroup, [CoreGroupRelay])? in
      if case .success(.channelCreated(let group, _, let relays)) = ScriptedReplies.result(answer) {
        (group, relays)
      } else {
        nil
      }
    }.first
    let (group, relays) = try #require(created)
    say(.groups(user, search: CoreSearchText(in: "NEWS")))
    say(.groups(user, search: CoreSearchText(in: "nothing like it")))
    say(.member(channel, relays[0].member))
    say(.member(channel, .init(rawValue: 99_999)))
    say(.updateProfile(channel, group.profile))
    say(.updateProfile(channel, CoreGroupProfile(name: "not the same")))
    say(.removeMembers(channel, .init(relays[0].member)))
    say(.removeMembers(channel, .init(relays[0].member)))
    say(.allowRelay(channel))
    say(.testRelay(user, try CoreRelayAddress(Self.relays[1])))
    say(.leave(channel))
    say(.deleteGroup(channel))
    say(.link(channel))
    for text in ["/_start", "/_start main=on", "/_nonsense"] { said.append(model.execute(text)) }
    return said + model.events
  }

  @Test func everyAnswerFitsTheOfficialTypes() async throws {
    let said = try conversation()
    #expect(said.count > 40)
    // Of these the package has no types.
    #expect(
      try await ScriptedReplies.faults(in: said) == [
        "not in the package: chatRelayTestResult groupInfo groupMemberInfo serverOperatorConditions userServers versionInfo"
      ])
  }

  @Test func everyAnswerCanBeRead() throws { ScriptedReplies.expectReadable(try conversation()) }

  @Test(arguments: [
    "", "/_public group 1 {}", "/_public group 1 1,x {}", "/_public group 1 incognito=off 1 {}", "/_get relays 1",
    "/_get relays #1 x", "/_add relays #1 ", "/_delete #1 fully", "/userx", "/_servers 1 {", "/_remove #1 1 messages=off",
  ])
  func whatTheCoreDoesNotKnowIsACommandError(text: String) {
    var model = CoreModel()
    #expect(model.execute(text)["chatError"]?["errorType"]?["type"] == "commandError")
  }
}
