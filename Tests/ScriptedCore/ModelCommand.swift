internal import StrictJSON

/// A command line, read as the core reads it: all of it or not at all.
enum ModelCommand {
  case version, activeUser, users, start, checkRunning, operators
  case createUser(JSONValue)
  /// Another user becomes the active one.
  case activate(Int64)
  case servers(Int64)
  case setServers(Int64, [JSONValue])
  case validateServers(Int64, [JSONValue])
  case testServer(Int64, String)
  case testRelay(Int64, String)
  case create(user: Int64, isIncognito: Bool, relays: [Int64], profile: JSONValue)
  case joining(JoiningCommand)
  case relays(Int64)
  case addRelays(Int64, [Int64])
  case remove(Int64, [Int64], withMessages: Bool)
  case role(Int64, [Int64], String)
  case block(Int64, [Int64], isBlocked: Bool)
  case allow(Int64)
  case link(Int64)
  case groups(Int64, search: String)
  case members(Int64)
  case info(Int64)
  case memberInfo(Int64, Int64)
  case profile(Int64, JSONValue)
  case delete(Int64)
  case leave(Int64)
  case item(Int64, ItemCommand)

  init?(_ text: String) {
    var scanner = CommandScanner(rest: text[...])
    scanner.dropTrailingSpace()
    let words: [(String, Self)] = [
      ("/v", .version), ("/user", .activeUser), ("/u", .activeUser), ("/users", .users), ("/_start", .start),
      ("/_start main=on", .start), ("/_start main=off", .start),
      ("/_check running", .checkRunning), ("/_operators", .operators),
    ]
    if let word = words.first(where: { $0.0 == scanner.rest }) {
      self = word.1
    } else if let (group, command) = ItemCommand.read(&scanner), scanner.rest.isEmpty {
      self = .item(group, command)
    } else if let command = JoiningCommand(&scanner), scanner.rest.isEmpty {
      self = .joining(command)
    } else if let command = Self.aboutUser(&scanner) ?? Self.aboutGroup(&scanner), scanner.rest.isEmpty {
      self = command
    } else {
      return nil
    }
  }

  private static func aboutUser(_ scanner: inout CommandScanner) -> Self? {
    if scanner.take("/_create user ") { return scanner.json().map(Self.createUser) }
    if scanner.take("/_user ") { return scanner.number().map(Self.activate) }
    if scanner.take("/_groups "), let user = scanner.number() {
      return .groups(user, search: scanner.take(" ") ? scanner.all() : "")
    }
    if scanner.take("/_server test "), let user = scanner.number(), scanner.take(" ") {
      return .testServer(user, scanner.word())
    }
    if scanner.take("/_relay test "), let user = scanner.number(), scanner.take(" ") {
      return .testRelay(user, scanner.word())
    }
    if scanner.take("/_validate_servers "), let user = scanner.number(), scanner.take(" ") {
      return scanner.json()?.array.map { .validateServers(user, $0) }
    }
    if scanner.take("/_servers "), let user = scanner.number() {
      guard scanner.take(" ") else { return .servers(user) }
      return scanner.json()?.array.map { .setServers(user, $0) }
    }
    if scanner.take("/_public group "), let user = scanner.number() {
      let isIncognito = scanner.take(" incognito=on")
      guard isIncognito || !scanner.rest.hasPrefix(" incognito="), scanner.take(" "), let relays = scanner.numbers(),
        scanner.take(" "), let profile = scanner.json()
      else { return nil }
      return .create(user: user, isIncognito: isIncognito, relays: relays, profile: profile)
    }
    return nil
  }

  private static func aboutGroup(_ scanner: inout CommandScanner) -> Self? {
    let plain: [(String, (Int64) -> Self)] = [
      ("/_get relays #", Self.relays), ("/_relay allow #", Self.allow), ("/_get link #", Self.link),
      ("/_members #", Self.members), ("/_leave #", Self.leave),
    ]
    for (word, make) in plain where scanner.take(word) { return scanner.number().map(make) }
    if scanner.take("/_info #"), let group = scanner.number() {
      guard scanner.take(" ") else { return .info(group) }
      return scanner.number().map { .memberInfo(group, $0) }
    }
    if scanner.take("/_add relays #"), let group = scanner.number(), scanner.take(" ") {
      return scanner.numbers().map { .addRelays(group, $0) }
    }
    if scanner.take("/_remove #"), let group = scanner.number(), scanner.take(" "), let members = scanner.numbers() {
      return .remove(group, members, withMessages: scanner.take(" messages=on"))
    }
    if scanner.take("/_member role #"), let group = scanner.number(), scanner.take(" "), let members = scanner.numbers(),
      scanner.take(" ")
    {
      let role = scanner.word()
      // Neither author nor relay.
      return ["owner", "admin", "moderator", "member", "observer"].contains(role) ? .role(group, members, role) : nil
    }
    if scanner.take("/_block #"), let group = scanner.number(), scanner.take(" "), let members = scanner.numbers() {
      if scanner.take(" blocked=on") { return .block(group, members, isBlocked: true) }
      return scanner.take(" blocked=off") ? .block(group, members, isBlocked: false) : nil
    }
    if scanner.take("/_group_profile #"), let group = scanner.number(), scanner.take(" ") {
      return scanner.json().map { .profile(group, $0) }
    }
    if scanner.take("/_delete #"), let group = scanner.number() {
      if scanner.take(" full") { _ = scanner.take(" notify=off") || scanner.take(" notify=on") }
      return .delete(group)
    }
    return nil
  }

  /// The user whom the command names; nil if it means the active user.
  var user: Int64? {
    switch self {
    case .servers(let user), .setServers(let user, _), .validateServers(let user, _), .testServer(let user, _),
      .testRelay(let user, _), .create(let user, _, _, _), .groups(let user, _):
      user
    case .joining(let command): command.user
    default: nil
    }
  }
}
