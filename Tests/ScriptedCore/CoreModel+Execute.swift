internal import StrictJSON

extension CoreModel {
  /// Carries out one command that was read.
  mutating func execute(_ command: ModelCommand) -> JSONValue {
    switch command {
    case .version:
      return [
        "type": "versionInfo",
        "versionInfo": ["version": .string(version), "simplexmqVersion": "6.5.5", "simplexmqCommit": ""],
        "chatMigrations": [], "agentMigrations": [],
      ]
    case .start:
      defer { isRunning = true }
      return ["type": isRunning ? "chatRunning" : "chatStarted"]
    case .checkRunning: return ["type": isRunning ? "chatRunning" : "chatStopped"]
    case .users:
      return ["type": "usersList", "users": .array(users.map { ["user": userJSON($0.id), "unreadCount": 0] })]
    case .createUser(let json): return createUser(json)
    case .activate(let id):
      guard users.contains(where: { $0.id == id }) else { return CoreErrors.answer(CoreErrors.own("userUnknown")) }
      activeUser = id
      return ["type": "activeUser", "user": userJSON(id)]
    case .activeUser, .operators, .servers, .setServers, .validateServers, .testServer, .testRelay, .create, .joining, .relays,
      .addRelays, .remove, .role, .block, .allow, .link, .groups, .members, .info, .memberInfo, .profile, .delete, .leave,
      .item:
      guard activeUser != nil else { return CoreErrors.answer(CoreErrors.own("noActiveUser")) }
      return asUser(command)
    }
  }

  private mutating func createUser(_ json: JSONValue) -> JSONValue {
    guard let name = json["profile"]?["displayName"]?.string, json["profile"]?["fullName"]?.string != nil,
      json["pastTimestamp"]?.bool != nil
    else { return CoreErrors.answer(CoreErrors.command("Failed reading: user")) }
    guard !users.contains(where: { $0.name == name }) else {
      return CoreErrors.answer(CoreErrors.own("userExists", ["contactName": .string(name)]))
    }
    let user = User(id: Int64(users.count + 1), name: name)
    users.append(user)
    activeUser = user.id
    return ["type": "activeUser", "user": userJSON(user.id)]
  }

  private mutating func asUser(_ command: ModelCommand) -> JSONValue {
    if let user = command.user, user != activeUser {
      return CoreErrors.answer(
        CoreErrors.own(
          "differentActiveUser", ["commandUserId": .integer(user), "activeUserId": .integer(activeUser ?? 0)]))
    }
    switch command {
    case .operators:
      let conditions: JSONValue = [
        "serverOperators": .array(operators),
        "currentConditions": ["conditionsId": 1, "conditionsCommit": "c0ffee", "createdAt": "2026-01-01T00:00:00Z"],
      ]
      return ["type": "serverOperatorConditions", "conditions": conditions]
    case .servers(let user):
      return ["type": "userServers", "user": userJSON(user), "userServers": .array(serverGroups)]
    case .setServers(_, let groups): return setServers(groups)
    case .validateServers(let user, let groups):
      let (errors, warnings) = validation(of: groups)
      return [
        "type": "userServersValidation", "user": userJSON(user), "serverErrors": .array(errors),
        "serverWarnings": .array(warnings),
      ]
    case .testServer(let user, let address): return testServer(user, address)
    case .testRelay(let user, let address): return testRelay(user, address)
    case .create(let user, _, let relays, let profile): return createChannel(user, relays, profile)
    case .joining(let command): return execute(command)
    case .groups(let user, let search):
      let all = groups.filter { $0.user == user && $0.isFound(by: search) }.map { groupJSON($0) }
      return ["type": "groupsList", "user": userJSON(user), "groups": .array(all)]
    case .relays(let id), .allow(let id), .link(let id), .members(let id), .info(let id), .delete(let id), .leave(let id),
      .addRelays(let id, _), .remove(let id, _, _), .role(let id, _, _), .block(let id, _, _), .profile(let id, _),
      .memberInfo(let id, _), .item(let id, _):
      // Everyone sees their own.
      guard let index = groups.firstIndex(where: { $0.id == id && $0.user == activeUser }) else {
        return CoreErrors.answer(CoreErrors.store("groupNotFound", ["groupId": .integer(id)]))
      }
      return aboutGroup(command, index)
    case .version, .activeUser, .users, .start, .checkRunning, .createUser, .activate:
      return ["type": "activeUser", "user": userJSON(activeUser ?? 0)]
    }
  }

  private mutating func aboutGroup(_ command: ModelCommand, _ index: Int) -> JSONValue {
    let group = groups[index]
    switch command {
    case .relays: return answer("groupRelays", group, ["groupRelays": rowsJSON(group)])
    case .allow:
      if groups[index].ownStatus == "rejected" { groups[index].ownStatus = "inactive" }
      return answer("relayGroupAllowed", groups[index])
    case .link: return answer("groupLink", group, ["groupLink": linkJSON(group)])
    case .members:
      let members = group.rows.map { memberJSON($0, in: group) } + peopleJSON(group) + subscribersJSON(group)
      return [
        "type": "groupMembers", "user": userJSON(group.user),
        "group": ["groupInfo": groupJSON(group), "members": .array(members)],
      ]
    case .info: return answer("groupInfo", group)
    case .memberInfo(_, let member):
      guard let row = group.rows.first(where: { $0.member == member }) else {
        if group.people[member] != nil {
          return answer("groupMemberInfo", group, ["member": memberJSON(of: member, in: group)])
        }
        return CoreErrors.answer(CoreErrors.store("groupMemberNotFound", ["groupMemberId": .integer(member)]))
      }
      return answer("groupMemberInfo", group, ["member": memberJSON(row, in: group)])
    case .delete:
      // Whoever belongs to a channel leaves it first.
      guard group.role == "owner" || group.isJoinStarted == false || ["left", "removed", "deleted"].contains(group.status)
      else {
        return CoreErrors.answer(CoreErrors.own("groupUserRole", ["groupInfo": groupJSON(group), "requiredRole": "owner"]))
      }
      groups.remove(at: index)
      pending.removeAll { $0.group == group.id }
      return answer("groupDeletedUser", group, ["msgSigned": true])
    case .leave:
      pending.removeAll { $0.group == group.id }
      groups[index].status = "left"
      return answer("leftMemberUser", groups[index])
    case .addRelays(_, let relays): return addRelays(index, relays)
    case .remove(_, let members, let withMessages): return removeMembers(index, members, withMessages)
    case .role(_, let members, let role): return setRole(index, members, role)
    case .block(_, let members, let isBlocked): return block(index, members, isBlocked)
    case .profile(_, let profile): return updateProfile(index, profile)
    case .item(_, let command): return aboutItem(command, index)
    case .version, .activeUser, .users, .start, .checkRunning, .operators, .createUser, .activate, .servers, .setServers,
      .validateServers, .testServer, .testRelay, .create, .joining, .groups:
      return CoreErrors.answer(CoreErrors.own("internalError", ["message": "not about a group"]))
    }
  }

  /// Channels that are simply there, as if they had been made long ago.
  public mutating func addChannels(_ count: Int, image: String) {
    for _ in 0..<count {
      let number = (groups.map(\.id).max() ?? 0) + 1
      let serial = makeID()
      let profile: JSONValue = [
        "displayName": .string("Old \(serial)"), "fullName": "", "image": .string(image),
        "groupPreferences": ["history": ["enable": "on"], "support": ["enable": "off"]],
      ]
      var group = Group(
        id: number, serial: serial, user: activeUser ?? 1, createdAt: now, profile: publicProfile(profile, serial))
      group.isInProgress = false
      groups.append(group)
    }
  }

  private mutating func updateProfile(_ index: Int, _ profile: JSONValue) -> JSONValue {
    let before = groups[index]
    // A name that stays is not looked at.
    if let name = profile["displayName"]?.string, name != before.profile["displayName"]?.string,
      let refusal = nameRefusal(name)
    {
      return refusal
    }
    guard profile["displayName"]?.string != nil, profile["fullName"]?.string != nil,
      profile["publicGroup"]?["publicGroupId"] == before.profile["publicGroup"]?["publicGroupId"]
    else { return CoreErrors.answer(CoreErrors.command("public group ID can't be changed")) }
    groups[index].profile = profile
    return [
      "type": "groupUpdated", "user": userJSON(before.user), "fromGroup": groupJSON(before),
      "toGroup": groupJSON(groups[index]), "msgSigned": true,
    ]
  }

  func answer(_ tag: String, _ group: Group, _ more: [String: JSONValue] = [:]) -> JSONValue {
    var members = more
    members["type"] = .string(tag)
    members["user"] = userJSON(group.user)
    members["groupInfo"] = groupJSON(group)
    return .object(members)
  }
}
