import RelayNetwork
import ScriptedCore
import StrictJSON
import TestTools
import Testing

@testable import SimpleX

/// Joining channels of others: the commands, and that the scripted core answers nothing that a real one could not say.
@Suite(.timeLimit(.minutes(10)))
struct ScriptedJoiningTests {
  private static let user = CoreUser.ID(rawValue: 1)
  private static let group = CoreGroup.ID(rawValue: 1)

  /// Answers of a core whose user joins and leaves.
  private func conversation() throws -> [JSONValue] {
    var model = CoreModel()
    let links = [CoreModel.Offer.Fate.joins, .unreachable, .noRelays, .tooOld, .person].map { model.offer("Theirs", $0) }
    var said: [JSONValue] = []
    func plan(_ link: String) throws -> (CoreGivenLink, CoreConnectionPlan)? {
      said.append(model.execute(CoreCommand.plan(Self.user, try CoreChannelLink(link)).text))
      guard case .success(.plan(let link, let plan))? = said.last.map(ScriptedReplies.result) else { return nil }
      return (link, plan)
    }
    for link in links.reversed() { _ = try plan(link) }
    for link in links.prefix(2).reversed() {
      guard case (let both, .ok(let data?))? = try plan(link) else { throw Unexpected() }
      let join = try #require(CoreJoinLink(both))
      said.append(model.execute(CoreCommand.prepare(Self.user, join, data).text))
      _ = try plan(link)
      said.append(model.execute(CoreCommand.join(Self.group).text))
      if link == links[1] { said.append(model.execute(CoreCommand.deleteGroup(Self.group, notify: false).text)) }
    }
    said.append(model.execute(CoreCommand.join(Self.group).text))
    model.setStatus("accepted", channel: 1)
    _ = try plan(links[0])
    model.setStatus("connected", channel: 1)
    for command in [CoreCommand.info(Self.group), .deleteGroup(Self.group), .leave(Self.group), .deleteGroup(Self.group)] {
      said.append(model.execute(command.text))
    }
    _ = try plan("https://smp8.simplex.im/c#" + String(repeating: "A", count: 43))
    return said
  }

  private struct Unexpected: Error {}

  @Test func everyAnswerFitsTheOfficialTypes() async throws {
    let said = try conversation()
    #expect(said.count == 21)
    let faults = try await ScriptedReplies.faults(in: said)
    // Of these the package has no types.
    #expect(faults == ["not in the package: groupInfo newPreparedChat startedConnectionToGroup"], "\(faults)")
  }

  @Test func everyAnswerCanBeRead() throws { ScriptedReplies.expectReadable(try conversation()) }

  /// A link that the core gives becomes an argument of a command only if it is one word.
  @Test func commandsAreBuiltOfSingleWords() throws {
    func link(_ full: String, _ short: String?) throws -> CoreJoinLink? {
      var json: [String: JSONValue] = ["connFullLink": .string(full)]
      json["connShortLink"] = short.map(JSONValue.string)
      return CoreJoinLink(try CoreGivenLink(try CoreReader(.object(json))))
    }
    let json: JSONValue = ["groupProfile": ["displayName": "a\nb", "fullName": ""]]
    let command = CoreCommand.prepare(
      Self.user, try #require(try link("simplex:/contact#/?v=2", "https://a.example/c#k")), try CoreLinkData(CoreReader(json)))
    #expect(
      command.text
        == #"/_prepare group 1 simplex:/contact#/?v=2 https://a.example/c#k direct=off {"groupProfile":{"displayName":"a\nb","fullName":""}}"#
    )
    #expect(command.description == "prepare a channel for user 1")
    #expect(CoreCommand.join(Self.group).text == "/_connect group #1 incognito=on")
    for (full, short) in [
      ("", "s"), ("f", nil), ("f x", "s"), ("f", "s\n/_stop"), ("f", "é"), (String(repeating: "f", count: 2_001), "s"),
    ] {
      #expect(try link(full, short) == nil, "\(full.prefix(9)) \(short ?? "")")
    }
    for text in ["", "https://smp5.simplex.im/c#k x", "https://smp5.simplex.im/r#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"] {
      #expect(throws: InvalidAddress.self) { try CoreChannelLink(text) }
    }
  }
}
