/// A description for logs: the command and its object, without names, profiles, texts and addresses of servers.
extension CoreCommand: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    switch self {
    case .version: "version"
    case .activeUser: "active user"
    case .users: "users"
    case .createUser: "create user"
    case .checkRunning: "check running"
    case .operators: "operators"
    case .servers(let user): "servers of user \(user)"
    case .setServers(let user, let groups): "set servers of user \(user), \(groups.count) groups"
    case .validateServers(let user, let groups): "validate servers of user \(user), \(groups.count) groups"
    case .testServer(let user, let address): "test server \(address) as user \(user)"
    case .testRelay(let user, let address): "test relay \(address) as user \(user)"
    case .createChannel(let user, let relays, _, _): "create channel of user \(user) on relays \(relays.text)"
    case .relays(let group): "relays of group \(group)"
    case .addRelays(let group, let relays): "add relays \(relays.text) to group \(group)"
    case .removeMembers(let group, let members, _): "remove members \(members.text) of group \(group)"
    case .setRole(let group, let members, let role): "give members \(members.text) of group \(group) the role \(role.rawValue)"
    case .block(let group, let members, let isBlocked):
      "\(isBlocked ? "block" : "unblock") members \(members.text) of group \(group)"
    case .allowRelay(let group): "allow relay in group \(group)"
    case .link(let group): "link of group \(group)"
    case .groups(let user, nil): "groups of user \(user)"
    case .groups(let user, let search?): "groups of user \(user) with \(search)"
    case .members(let group): "members of group \(group)"
    case .member(let group, let member): "member \(member) of group \(group)"
    case .info(let group): "info of group \(group)"
    case .updateProfile(let group, _): "update profile of group \(group)"
    case .deleteGroup(let group, _): "delete group \(group)"
    case .plan(let user, _): "plan of a link for user \(user)"
    case .prepare(let user, _, _): "prepare a channel for user \(user)"
    case .join(let group): "join group \(group)"
    case .leave(let group): "leave group \(group)"
    case .send(let group, _, nil, _): "send to group \(group)"
    case .send(let group, _, let quoted?, _): "send to group \(group), quoting item \(quoted)"
    case .updateItem(let group, let item, _): "update item \(item) of group \(group)"
    case .deleteItems(let group, let items, let scope): "delete items \(items.text) of group \(group): \(scope.rawValue)"
    case .moderate(let group, let items): "remove items \(items.text) of members of group \(group)"
    case .react(let group, let item, let reaction, let isAdded):
      "\(isAdded ? "add" : "remove") reaction \(reaction.rawValue) \(isAdded ? "to" : "from") item \(item) of group \(group)"
    case .itemInfo(let group, let item): "info of item \(item) of group \(group)"
    case .page(let group, .newest, let count): "newest \(count) items of group \(group)"
    case .page(let group, .before(let item), let count): "\(count) items before \(item) of group \(group)"
    case .page(let group, .after(let item), let count): "\(count) items after \(item) of group \(group)"
    }
  }

  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["command": description]) }
}
