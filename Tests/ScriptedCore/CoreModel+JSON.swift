internal import StrictJSON

// JSON as the core writes it.
extension CoreModel {
  /// Part of every private key that the model makes up, for tests that look for leaks.
  public static let secretMark = "SECRET-KEY"

  private static let userPreferences: JSONValue = [
    "timedMessages": ["allow": "yes"], "fullDelete": ["allow": "no"], "reactions": ["allow": "yes"],
    "voice": ["allow": "yes"], "files": ["allow": "always"], "calls": ["allow": "yes"], "sessions": ["allow": "no"],
    "commands": [],
  ]

  private static let groupPreferences: JSONValue = {
    let words = [
      "timedMessages", "directMessages", "fullDelete", "reactions", "voice", "files", "simplexLinks", "reports", "history",
      "support", "sessions", "comments", "signMessages",
    ]
    var members = Dictionary(uniqueKeysWithValues: words.map { ($0, ["enable": "off"] as JSONValue) })
    members["commands"] = []
    return .object(members)
  }()

  static func relay(id: Int64, address: String, name: String) -> JSONValue {
    [
      "chatRelayId": .integer(id), "address": .string(address),
      "relayProfile": ["displayName": .string(name), "fullName": ""], "domains": [], "preset": false, "enabled": true,
      "deleted": false,
    ]
  }

  static func serverGroup(relays: [JSONValue]) -> JSONValue {
    func server(_ id: Int64, _ transport: String) -> JSONValue {
      [
        "serverId": .integer(id), "preset": false, "enabled": true, "roles": [:], "deleted": false,
        "server": .string("\(transport)://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@\(transport).example.com"),
      ]
    }
    return ["smpServers": [server(1, "smp")], "xftpServers": [server(1, "xftp")], "chatRelays": .array(relays)]
  }

  func userJSON(_ id: Int64) -> JSONValue {
    let name = JSONValue.string(users.first { $0.id == id }?.name ?? "")
    return [
      "userId": .integer(id), "agentUserId": .string(String(id)), "userContactId": .integer(id), "localDisplayName": name,
      "profile": ["profileId": .integer(id), "displayName": name, "fullName": "", "localAlias": ""],
      "fullPreferences": Self.userPreferences, "activeUser": .bool(id == activeUser), "activeOrder": 1, "showNtfs": true,
      "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false, "userChatRelay": false,
      "clientService": false,
    ]
  }

  func publicProfile(_ profile: JSONValue, _ id: Int64) -> JSONValue {
    var members = profile.object ?? [:]
    members["publicGroup"] = [
      "groupType": "channel", "groupLink": .string(shortLink(id)), "publicGroupId": .string("public-\(id)"),
    ]
    return .object(members)
  }

  /// 43 characters of base64url that name `kind` and `number`.
  private func key(_ kind: String, _ number: Int64) -> String {
    let text = "\(kind)\(number)"
    return text + String(repeating: "A", count: 43 - text.count)
  }

  func shortLink(_ id: Int64) -> String { "https://smp8.simplex.im/c#\(key("channel", id))" }

  func relayLink(_ row: RelayRow, in group: Group) -> String { "https://smp5.simplex.im/g#\(key("relay", row.id))" }

  func linkJSON(_ group: Group) -> JSONValue {
    let full =
      "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2FLcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI%3D%40smp8.simplex.im%2F\(group.id)"
    return [
      "userContactLinkId": .integer(group.id),
      "connLinkContact": ["connFullLink": .string(full), "connShortLink": .string(shortLink(group.serial))],
      "shortLinkDataSet": true, "shortLinkLargeDataSet": true, "groupLinkId": "bGluaw==", "acceptMemberRole": "observer",
    ]
  }

  func groupJSON(_ group: Group) -> JSONValue {
    var members: [String: JSONValue] = [
      "groupId": .integer(group.id), "useRelays": true, "localDisplayName": group.profile["displayName"] ?? "",
      "groupProfile": group.profile, "localAlias": "", "fullGroupPreferences": Self.groupPreferences,
      "membership": memberJSON(
        id: group.id * 1000, group: group.id, role: group.role, category: "user", status: group.status, connection: nil),
      "chatSettings": ["enableNtfs": "all", "favorite": false], "createdAt": .string(time(group.createdAt)),
      "updatedAt": .string(time(group.createdAt)), "chatTags": [],
      "groupSummary": .object(
        ["currentMembers": .integer(Int64(1 + group.rows.count + group.people.count + subscribers.count))]
          .merging(publicMemberCount.map { ["publicMemberCount": .integer($0)] } ?? [:]) { $1 }),
      "membersRequireAttention": 0,
      "groupKeys": [
        "publicGroupId": .string("public-\(group.serial)"),
        "groupRootKey": ["type": "private", "rootPrivKey": .string("\(Self.secretMark)-root-\(group.serial)")],
        "memberPrivKey": .string("\(Self.secretMark)-member-\(group.serial)"),
      ],
    ]
    members["relayOwnStatus"] = group.ownStatus.map(JSONValue.string)
    if let isJoinStarted = group.isJoinStarted {
      members["preparedGroup"] = [
        "connLinkToConnect": joinLinkJSON(group.serial), "connLinkPreparedConnection": .bool(isJoinStarted),
        "connLinkStartedConnection": .bool(isJoinStarted),
      ]
      members["groupKeys"] = [
        "publicGroupId": .string("public-\(group.serial)"),
        "groupRootKey": ["type": "public", "rootPubKey": "cHVibGlj"],
        "memberPrivKey": .string("\(Self.secretMark)-member-\(group.serial)"),
      ]
    }
    return .object(members)
  }

  func rowsJSON(_ group: Group) -> JSONValue { .array(group.rows.map(rowJSON)) }

  func rowJSON(_ row: RelayRow) -> JSONValue {
    var members: [String: JSONValue] = [
      "groupRelayId": .integer(row.id), "groupMemberId": .integer(row.member),
      "userChatRelay": relayEntry(row.relay) ?? [:], "relayStatus": .string(row.status), "relayCap": [:],
    ]
    members["relayLink"] = row.link.map(JSONValue.string)
    return .object(members)
  }

  func memberJSON(_ row: RelayRow, in group: Group) -> JSONValue {
    var members =
      memberJSON(
        id: row.member, group: group.id, role: "relay", category: "invitee", status: row.memberStatus,
        connection: connectionJSON(row)
      ).object ?? [:]
    members["relayLink"] = row.link.map(JSONValue.string)
    return .object(members)
  }

  func subscribersJSON(_ group: Group) -> [JSONValue] {
    (0..<subscribers.count).map { number in
      let id = 1_000_000 + Int64(number)
      var members =
        memberJSON(id: id, group: group.id, role: "observer", category: "post", status: "introduced", connection: nil)
        .object ?? [:]
      members["memberProfile"] = [
        "profileId": .integer(id), "displayName": "observer", "fullName": "", "localAlias": "",
        "image": .string(subscribers.image),
      ]
      return .object(members)
    }
  }

  func memberJSON(
    id: Int64, group: Int64, role: String, category: String, status: String, connection: JSONValue?
  ) -> JSONValue {
    var members: [String: JSONValue] = [
      "groupMemberId": .integer(id), "groupId": .integer(group), "indexInGroup": .integer(id),
      "memberId": .string("member-\(id)"), "memberRole": .string(role), "memberCategory": .string(category),
      "memberStatus": .string(status), "memberSettings": ["showMessages": true], "blockedByAdmin": false,
      "invitedBy": ["type": "user"], "localDisplayName": .string("\(role)_\(id)"),
      "memberProfile": ["profileId": .integer(id), "displayName": .string(role), "fullName": "", "localAlias": ""],
      "memberContactProfileId": .integer(id), "memberChatVRange": ["minVersion": 1, "maxVersion": 16],
      "createdAt": .string(time(now)), "updatedAt": .string(time(now)),
    ]
    members["activeConn"] = connection
    return .object(members)
  }

  func connectionJSON(_ row: RelayRow) -> JSONValue {
    [
      "connId": .integer(row.member), "agentConnId": "Y29ubg==", "connChatVersion": 16,
      "peerChatVRange": ["minVersion": 1, "maxVersion": 16], "connLevel": 0, "viaGroupLink": false, "connType": "member",
      "connStatus": row.connection, "contactConnInitiated": false, "localAlias": "", "pqSupport": false,
      "pqEncryption": false, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": .string(time(now)),
    ]
  }

  /// The core starts on the first of January 2026.
  func time(_ milliseconds: Int64) -> String {
    RFC3339.text(milliseconds: 1_767_225_600_000 + milliseconds)
  }
}
