import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import SimpleX

/// Messages that the official package has no types for, and the shapes that matter.
struct CoreMessageTests {
  private func answer(_ json: String) -> Result<CoreReply, CoreFailure>? {
    guard case .reply("1", let result) = CoreFrame(#"{"corrId":"1","resp":\#(json)}"#.utf8) else { return nil }
    return result
  }

  private func reply(_ json: String) throws -> CoreReply { try #require(answer(json)).get() }

  private func error(_ json: String) throws -> CoreError {
    guard case .failure(.refused(let error))? = answer(#"{"type":"chatCmdError","chatError":\#(json)}"#) else {
      throw CoreShapeError(path: [], reason: "is no error")
    }
    return error
  }

  private static let user = """
    {"userId":1,"agentUserId":"1","localDisplayName":"alice","profile":{"displayName":"alice","fullName":""},"activeUser":true}
    """
  private static let servers = """
    {"type":"userServers","user":\(user),"userServers":[
    {"operator":{"operatorId":1,"operatorTag":"simplex","tradeName":"SimpleX Chat","serverDomains":["simplex.im"],
    "conditionsAcceptance":{"type":"required"},"enabled":true,"smpRoles":{"storage":true,"proxy":true,"names":true},
    "xftpRoles":{"storage":true,"proxy":true},"later":[1,{"a":0.5}]},
    "smpServers":[{"serverId":4,"server":"smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=:hush@smp8.simplex.im",
    "preset":true,"tested":true,"enabled":true,"roles":{},"deleted":false,"later":1}],
    "xftpServers":[],"chatRelays":[{"chatRelayId":1,"address":"https://smp5.simplex.im/r#Fp5R",
    "relayProfile":{"displayName":"SimpleX Chat Relay 1","fullName":"","image":"x"},"domains":["simplex.im"],"preset":true,
    "enabled":true,"deleted":false,"later":null}],"later":{"b":"c"}},
    {"smpServers":[],"xftpServers":[],"chatRelays":[]}]}
    """

  @Test func serversGoBackAsTheyCame() throws {
    guard case .servers(let user, var groups) = try reply(Self.servers) else { return #expect(Bool(false)) }
    #expect(user.rawValue == 1 && groups.count == 2)
    let came = try #require(try JSONParser.parse(Self.servers)["userServers"])
    let back = try JSONParser.parse(String(CoreCommand.setServers(user, groups).text.dropFirst("/_servers 1 ".count)))
    #expect(back == came)
    #expect(groups[0].operator?.tag == "simplex" && groups[0].operator?.hasAcceptedConditions == false)
    #expect(groups[0].messageServers[0].address?.password == "hush")
    #expect(!"\(groups)".contains("hush") && !String(reflecting: groups).contains("hush"))

    groups[0].relays[0].isEnabled = false
    groups[1].relays.append(
      CoreRelay(
        address: try CoreRelayAddress("https://smp5.simplex.im/r#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"), name: "Mine"))
    let changed = try JSONParser.parse(String(CoreCommand.setServers(user, groups).text.dropFirst("/_servers 1 ".count)))
    #expect(changed.array?[0]["chatRelays"]?.array?[0]["enabled"] == false)
    #expect(changed.array?[0]["smpServers"] == came.array?[0]["smpServers"])
    #expect(changed.array?[1]["chatRelays"]?.array?[0]["chatRelayId"] == nil)
  }

  @Test func validationIsRead() throws {
    let reply = try reply(
      """
      {"type":"userServersValidation","user":\(Self.user),"serverErrors":[{"type":"noServers","protocol":"smp"},
      {"type":"storageMissing","protocol":"xftp","user":\(Self.user)},{"type":"proxyMissing","protocol":"smp"},
      {"type":"duplicateServer","protocol":"smp","duplicateServer":"smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=:hush@a.example",
      "duplicateHost":"a.example"},{"type":"duplicateChatRelayAddress","duplicateChatRelay":"R","duplicateAddress":"https://a/r#k"},
      {"type":"brandNew"}],"serverWarnings":[{"type":"noChatRelays"},{"type":"noNamesServers"}]}
      """)
    let user = CoreUser.ID(rawValue: 1)
    let server = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@a.example"
    guard case .validation(let found) = reply else { return #expect(Bool(false)) }
    #expect(
      found.errors == [
        .noServers(transport: "smp", user: nil), .storageMissing(transport: "xftp", user: user),
        .proxyMissing(transport: "smp", user: nil), .duplicateServer(transport: "smp", server: server, host: "a.example"),
        .duplicateRelay(name: "R", address: "https://a/r#k"), .unknown(tag: "brandNew"),
      ])
    #expect(found.warnings == [.noRelays(user: nil), .noNamesServers(user: nil)])
  }

  @Test func testsAreRead() throws {
    let failed = try reply(
      """
      {"type":"serverTestResult","user":\(Self.user),"testServer":"smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=:hush@a.example",
      "testFailure":{"testStep":"connect","testError":{"type":"BROKER","brokerAddress":"smp://LcJU=@a.example","brokerErr":
      {"type":"NETWORK","networkError":{"type":"unknownCAError"}}}}}
      """)
    guard case .serverTest(let test) = failed, let failure = test.failure else { return #expect(Bool(false)) }
    #expect(failure.step == .known(.connect) && failure.error.kind == .wrongServer && !"\(failed)".contains("hush"))
    #expect(failure.error.trouble.cause == .wrongIdentity)
    #expect(
      try reply(#"{"type":"chatRelayTestResult","user":{},"relayProfile":{"displayName":"bob","fullName":"Bob"}}"#)
        == .relayTest(CoreRelayTest(name: "bob", failure: nil)))
    let late = try reply(
      """
      {"type":"chatRelayTestResult","user":{},"relayTestFailure":{"rtfStep":"waitResponse","rtfError":{"type":"error",
      "errorType":{"type":"relayTestError","message":"timeout"}}}}
      """)
    guard case .relayTest(let test) = late else { return #expect(Bool(false)) }
    #expect(test.failure?.step == .known(.waitResponse) && test.failure?.error.message == "timeout")
  }

  @Test func versionsAreRead() throws {
    guard case .version(let version) = try reply(#"{"type":"versionInfo","versionInfo":{"version":"7.0.2.1"},"x":[]}"#) else {
      return #expect(Bool(false))
    }
    #expect(version.numbers == [7, 0, 2, 1] && version.isAtLeast(7, 0, 2) && !version.isAtLeast(7, 1))
    #expect(CoreVersion("SimpleX Chat v6.5.5-beta.1").numbers == [6, 5, 5])
    #expect(CoreVersion("none").numbers.isEmpty && !CoreVersion("").isAtLeast(1))
  }

  @Test func errorsSayWhatToDo() throws {
    func agent(_ inner: String) throws -> CoreError {
      try error(#"{"type":"errorAgent","agentError":\#(inner),"agentConnId":""}"#)
    }
    func broker(_ inner: String) throws -> CoreError {
      try agent(#"{"type":"BROKER","brokerAddress":"smp://LcJU=@smp5.simplex.im","brokerErr":\#(inner)}"#)
    }
    let late = try broker(#"{"type":"TIMEOUT"}"#)
    #expect(late.kind == .temporary && late.host != nil && late.tags == ["errorAgent", "BROKER", "TIMEOUT"])
    #expect(late.trouble.cause == .timeout)
    #expect(try broker(#"{"type":"HOST"}"#).kind == .temporary)
    let refused = try broker(#"{"type":"NETWORK","networkError":{"type":"connectError","connectError":"no route"}}"#)
    #expect(refused.kind == .temporary && refused.sentence.hasSuffix("cannot be reached: no route"))
    let dead = try agent(#"{"type":"SMP","serverAddress":"smp://LcJU=@smp5.simplex.im","smpErr":{"type":"AUTH"}}"#)
    #expect(dead.kind == .deadLink && dead.trouble.cause == .missing)
    #expect(try agent(#"{"type":"AGENT","agentErr":{"type":"A_VERSION"}}"#).kind == .incompatible)
    #expect(try agent(#"{"type":"CRITICAL","offerRestart":true,"criticalErr":"disk"}"#).kind == .temporary)
    #expect(
      try error(#"{"type":"errorStore","storeError":{"type":"groupNotFound","groupId":1}}"#).kind == .store("groupNotFound"))
    #expect(try error(#"{"type":"errorStore","storeError":{"type":"dBBusyError","message":"x"}}"#).kind == .temporary)
    let command = try error(
      #"{"type":"error","errorType":{"type":"commandError","message":"bad smp://abc:hush@a.example, \#\n"}}"#
        .replacing("\\#", with: "\\"))
    #expect(command.kind == .command && command.message == "bad smp://abc:***@a.example,  ")
    #expect(try error(#"{"type":"error","errorType":{"type":"noActiveUser"}}"#).kind == .noUser)
    #expect(try error(#"{"type":"error","errorType":{"type":"chatNotStarted"}}"#).kind == .notStarted)
    #expect(try error(#"{"type":"somethingElse","errorType":"odd"}"#).kind == .other)
    #expect(try error("{}").tags == ["unknown"])
  }

  @Test func framesOfOtherShapesAreNamed() {
    for text in [
      "", "[]", "{}", #"{"resp":1}"#, #"{"resp":{}}"#, #"{"resp":{"type":1}}"#, #"{"corrId":1,"resp":{"type":"x"}}"#,
    ] {
      guard case .rubbish(let why) = CoreFrame(text.utf8) else { return #expect(Bool(false), "\(text)") }
      #expect(!why.isEmpty)
    }
    let deep = String(repeating: "[", count: 100_000)
    guard case .rubbish = CoreFrame(deep.utf8) else { return #expect(Bool(false)) }
    guard case .failure(.unreadable("activeUser", let fault))? = answer(#"{"type":"activeUser","user":{"userId":"x"}}"#) else {
      return #expect(Bool(false))
    }
    #expect("\(fault)" == "resp.user.userId must be an integer")
    guard case .failure(.unreadable("", _))? = answer("{}") else { return #expect(Bool(false)) }
    guard case .failure(.unreadable("", _))? = answer("[]") else { return #expect(Bool(false)) }
    #expect(answer(#"{"type":"newIn8"}"#) == .success(.unknown(tag: "newIn8")))
    let nameless = """
      {"resp":{"type":"chatCmdError","chatError":{"type":"error","errorType":{"type":"commandError","message":"invalid request"}}}}
      """
    guard case .events(let events) = CoreFrame(nameless.utf8), case .refusal(let error)? = events.first else {
      return #expect(Bool(false))
    }
    #expect(error.message == "invalid request")
  }
}
