internal import StrictJSON

extension CoreCommand {
  /// The command line. It may contain passwords of servers, so it goes to the core and nowhere else.
  var text: String {
    switch self {
    case .version: "/v"
    case .activeUser: "/user"
    case .users: "/users"
    case .createUser(let name): "/_create user \(Self.user(name).text)"
    case .checkRunning: "/_check running"
    case .operators: "/_operators"
    case .servers(let user): "/_servers \(user)"
    case .setServers(let user, let groups): "/_servers \(user) \(Self.list(groups).text)"
    case .validateServers(let user, let groups): "/_validate_servers \(user) \(Self.list(groups).text)"
    case .testServer(let user, let address): "/_server test \(user) \(address.secretText)"
    case .testRelay(let user, let address): "/_relay test \(user) \(address.text)"
    case .createChannel(let user, let relays, let profile, let isIncognito):
      "/_public group \(user)\(isIncognito ? " incognito=on" : "") \(relays.text) \(profile.json.text)"
    case .relays(let group): "/_get relays #\(group)"
    case .addRelays(let group, let relays): "/_add relays #\(group) \(relays.text)"
    case .removeMembers(let group, let members, let withMessages):
      "/_remove #\(group) \(members.text)\(withMessages ? " messages=on" : "")"
    case .setRole(let group, let members, let role): "/_member role #\(group) \(members.text) \(role.rawValue)"
    case .block(let group, let members, let isBlocked): "/_block #\(group) \(members.text) blocked=\(isBlocked ? "on" : "off")"
    case .allowRelay(let group): "/_relay allow #\(group)"
    case .link(let group): "/_get link #\(group)"
    case .groups(let user, let search): "/_groups \(user)" + (search.map { " \($0.text)" } ?? "")
    case .members(let group): "/_members #\(group)"
    case .member(let group, let member): "/_info #\(group) \(member)"
    case .info(let group): "/_info #\(group)"
    case .updateProfile(let group, let profile): "/_group_profile #\(group) \(profile.json.text)"
    case .deleteGroup(let group, let notify): "/_delete #\(group) full\(notify ? "" : " notify=off")"
    case .plan(let user, let link): "/_connect plan \(user) \(link.text)"
    case .prepare(let user, let link, let data):
      "/_prepare group \(user) \(link.full) \(link.short) direct=off \(data.json.text)"
    case .join(let group): "/_connect group #\(group) incognito=on"
    case .leave(let group): "/_leave #\(group)"
    case .send(let group, let message, let quoting, let isSigned):
      "/_send #\(group)(as_group=on)\(isSigned ? " sign=on" : "") json \(JSONValue.array([message.json(quoting: quoting)]).text)"
    case .updateItem(let group, let item, let message): "/_update item #\(group) \(item) json \(message.json.text)"
    case .deleteItems(let group, let items, let scope): "/_delete item #\(group) \(items.text) \(scope.rawValue)"
    case .moderate(let group, let items): "/_delete member item #\(group) \(items.text)"
    case .react(let group, let item, let reaction, let isAdded):
      "/_reaction #\(group) \(item) \(isAdded ? "on" : "off") \(Self.json(reaction).text)"
    case .itemInfo(let group, let item): "/_get item info #\(group) \(item)"
    case .page(let group, let place, let count):
      "/_get chat #\(group) \(Self.text(place))count=\(min(max(count, 1), CoreItemPage.countMax))"
    }
  }

  private static func user(_ name: String) -> JSONValue {
    [
      "profile": ["displayName": .string(name), "fullName": ""], "pastTimestamp": false, "userChatRelay": false,
      "clientService": false,
    ]
  }

  private static func json(_ reaction: CoreReaction) -> JSONValue { ["type": "emoji", "emoji": .string(reaction.rawValue)] }

  private static func text(_ place: CoreItemPage.Place) -> String {
    switch place {
    case .newest: ""
    case .before(let item): "before=\(item) "
    case .after(let item): "after=\(item) "
    }
  }

  private static func list(_ groups: [CoreServerGroup]) -> JSONValue { .array(groups.map(\.json)) }
}
