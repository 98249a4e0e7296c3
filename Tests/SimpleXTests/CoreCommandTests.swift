import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import SimpleX

struct CoreCommandTests {
  private static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"
  private static let fingerprint = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI"

  private func relay() throws -> CoreRelayAddress { try CoreRelayAddress("https://SMP5.simplex.im/R/#\(Self.key)") }

  private func server() throws -> CoreServerAddress {
    try CoreServerAddress(try SimpleXServerAddress.parse("smp://\(Self.fingerprint)=:p%{\"}w@localhost:7001"))
  }

  /// The commands that the official package does not have, letter by letter.
  @Test func commandsReadAsTheCoreExpectsThem() throws {
    let relays = try #require(CoreIDList<CoreRelay>([.init(rawValue: 3), .init(rawValue: 1), .init(rawValue: 3)]))
    let (user, group) = (CoreUser.ID(rawValue: 1), CoreGroup.ID(rawValue: 7))
    let commands: [(CoreCommand, String)] = [
      (.version, "/v"), (.activeUser, "/user"), (.users, "/users"),
      (.checkRunning, "/_check running"), (.operators, "/_operators"), (.servers(user), "/_servers 1"),
      (.setServers(user, []), "/_servers 1 []"), (.validateServers(user, []), "/_validate_servers 1 []"),
      (
        .setServers(user, [CoreServerGroup()]),
        #"/_servers 1 [{"chatRelays":[],"smpServers":[],"xftpServers":[]}]"#
      ),
      (.testServer(user, try server()), #"/_server test 1 smp://\#(Self.fingerprint)=:p%{"}w@localhost:7001"#),
      (.testRelay(user, try relay()), "/_relay test 1 https://smp5.simplex.im/r#\(Self.key)"),
      (.addRelays(group, relays), "/_add relays #7 3,1"), (.info(group), "/_info #7"),
      (.member(group, .init(rawValue: 9)), "/_info #7 9"), (.groups(user), "/_groups 1"),
      (.groups(user, search: CoreSearchText(in: "News")), "/_groups 1 News"),
      (.relays(group), "/_get relays #7"), (.deleteGroup(group), "/_delete #7 full"),
      (.deleteGroup(group, notify: false), "/_delete #7 full notify=off"),
      (
        .createChannel(user, relays: relays, CoreGroupProfile(name: "a\n\"b")),
        #"/_public group 1 3,1 {"displayName":"a\n\"b","fullName":"","groupPreferences":"#
          + #"{"history":{"enable":"on"},"support":{"enable":"off"}}}"#
      ),
    ]
    for (command, text) in commands { #expect(command.text == text) }
  }

  @Test func noCommandHoldsALineBreak() {
    let name = "x\n/_delete #1 full\r\n\u{B}\u{C}\u{0}"
    let commands: [CoreCommand] = [
      .createUser(name: name), .updateProfile(.init(rawValue: 1), CoreGroupProfile(name: name, summary: name)),
    ]
    for command in commands {
      #expect(command.text.utf8.allSatisfy { $0 >= 0x20 })
      #expect(command.text.last == "}")
    }
  }

  /// What is searched for is found on every database, and cannot become another argument.
  @Test(
    arguments: [
      ("News", "News"), ("Über uns", "ber uns"), ("ÄÖÜ", nil), ("", nil), (" @7 ", "7"), ("Ведомости", "едомости"),
      ("新聞 2", "新聞 2"),
      ("one\ntwo three\u{85}four", "two three"), ("a\\b", "a"), ("İstanbul 5%", "stanbul 5%"),
    ] as [(String, String?)])
  func searchTextIsAPieceThatEveryDatabaseFinds(text: String, piece: String?) {
    let found = CoreSearchText(in: text)
    #expect(found?.text == piece)
    #expect(found.map { text.contains($0.text) } ?? true)
  }

  @Test func searchTextIsBoundedAndIsNotShown() throws {
    let found = try #require(CoreSearchText(in: String(repeating: "ab ", count: 100)))
    #expect(found.text.count == 59 && found.text.hasSuffix("ab"))
    #expect(!"\(CoreCommand.groups(.init(rawValue: 1), search: found))".contains("ab ab"))
  }

  @Test func whatIsNoAddressIsNoArgument() {
    for text in ["", "https://a.example/r#\(Self.key) x", "https://smp5.simplex.im/c#\(Self.key)", "/_stop"] {
      #expect(throws: InvalidAddress.self) { try CoreRelayAddress(text) }
    }
    let forged = ServerAddress(
      transport: .smp, fingerprint: Self.fingerprint, hosts: ["a\n/_stop"], port: nil, password: nil, text: "smp://a")
    #expect(throws: InvalidAddress.self) { try CoreServerAddress(forged) }
    #expect(CoreIDList<CoreRelay>([]) == nil)
  }

  @Test func descriptionsHoldNeitherPasswordsNorProfiles() throws {
    var group = CoreServerGroup()
    group.messageServers = [CoreServer(address: try server())]
    let secret = "p%{\"}w"
    let commands: [CoreCommand] = [
      .setServers(.init(rawValue: 1), [group]), .validateServers(.init(rawValue: 1), [group]),
      .testServer(.init(rawValue: 1), try server()), .createUser(name: secret),
      .createChannel(.init(rawValue: 1), relays: .init(.init(rawValue: 1)), CoreGroupProfile(name: secret)),
      .updateProfile(.init(rawValue: 1), CoreGroupProfile(name: secret)),
    ]
    for command in commands {
      var dumped = ""
      dump(command, to: &dumped)
      for shown in ["\(command)", String(reflecting: command), dumped] { #expect(!shown.contains(secret), "\(shown)") }
    }
    #expect(commands[0].text.contains(#"p%{\"}w"#))
    var dumped = ""
    dump(group, to: &dumped)
    for shown in ["\(group)", String(reflecting: group), dumped] { #expect(!shown.contains(secret), "\(shown)") }
  }
}
