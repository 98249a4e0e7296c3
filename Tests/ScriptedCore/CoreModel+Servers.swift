internal import StrictJSON

// Servers and relays of the user.
extension CoreModel {
  func behaviour(of relay: Int64) -> RelayBehaviour { behaviours[address(of: relay)] ?? .good }

  /// The address of a relay of the list by its number; empty if there is none.
  func address(of relay: Int64) -> String { relayEntry(relay)?["address"]?.string ?? "" }

  /// A relay of the list by its number, deleted ones included.
  func relayEntry(_ id: Int64) -> JSONValue? {
    if let removed = relayProfiles[id] { return removed }
    for group in serverGroups {
      if let found = group["chatRelays"]?.array?.first(where: { $0["chatRelayId"]?.integer == id }) { return found }
    }
    return nil
  }

  mutating func setServers(_ given: [JSONValue]) -> JSONValue {
    let (errors, _) = validation(of: given)
    guard errors.isEmpty else {
      let tags = errors.compactMap { $0["type"]?.string }.joined(separator: ",")
      return CoreErrors.answer(CoreErrors.command("user servers validation error(s): \(tags)"))
    }
    var groups: [JSONValue] = []
    for group in given {
      guard var members = group.object, members["smpServers"]?.array != nil, members["xftpServers"]?.array != nil,
        members["chatRelays"]?.array != nil
      else { return CoreErrors.answer(CoreErrors.command("Failed reading: servers")) }
      for (list, key) in [("smpServers", "serverId"), ("xftpServers", "serverId"), ("chatRelays", "chatRelayId")] {
        members[list] = .array(stored(members[list]?.array ?? [], key))
      }
      groups.append(.object(members))
    }
    serverGroups = groups
    return ["type": "cmdOk", "user_": userJSON(activeUser ?? 0)]
  }

  /// New entries get a number; deleted ones go, but stay in channels that use them.
  private mutating func stored(_ entries: [JSONValue], _ key: String) -> [JSONValue] {
    entries.compactMap { entry in
      var members = entry.object ?? [:]
      let isDeleted = members["deleted"]?.bool == true && members["preset"]?.bool != true
      if isDeleted, let id = members[key]?.integer, key == "chatRelayId" { relayProfiles[id] = entry }
      if isDeleted { return nil }
      if members[key]?.integer == nil { members[key] = .integer(makeID()) }
      return .object(members)
    }
  }

  func validation(of given: [JSONValue]) -> (errors: [JSONValue], warnings: [JSONValue]) {
    func entries(_ list: String) -> [JSONValue] {
      given.filter { $0["operator"]?["enabled"]?.bool != false }.flatMap { $0[list]?.array ?? [] }
        .filter { $0["deleted"]?.bool != true }
    }
    func isUsed(_ list: String) -> Bool { entries(list).contains { $0["enabled"]?.bool == true } }
    var errors: [JSONValue] = []
    for (list, transport) in [("smpServers", "smp"), ("xftpServers", "xftp")] where !isUsed(list) {
      errors.append(["type": "noServers", "protocol": .string(transport)])
    }
    var seen: Set<String> = []
    for relay in entries("chatRelays") {
      let address = relay["address"]?.string ?? ""
      guard !seen.insert(address).inserted else { continue }
      if entries("chatRelays").filter({ $0["address"]?.string == address }).count > 1 {
        errors.append([
          "type": "duplicateChatRelayAddress", "duplicateChatRelay": relay["relayProfile"]?["displayName"] ?? "",
          "duplicateAddress": .string(address),
        ])
      }
    }
    return (errors, isUsed("chatRelays") ? [] : [["type": "noChatRelays"]])
  }

  func testServer(_ user: Int64, _ address: String) -> JSONValue {
    var members: [String: JSONValue] = [
      "type": "serverTestResult", "user": userJSON(user), "testServer": .string(address),
    ]
    members["testFailure"] = serverFailures[address]
    return .object(members)
  }

  func testRelay(_ user: Int64, _ address: String) -> JSONValue {
    var members: [String: JSONValue] = ["type": "chatRelayTestResult", "user": userJSON(user)]
    let behaviour = behaviours[address] ?? .good
    if let failure = behaviour.invitationError {
      members["relayTestFailure"] = ["rtfStep": "getLink", "rtfError": CoreErrors.agent(failure, address: address)]
      return .object(members)
    }
    members["relayProfile"] = ["displayName": "A relay", "fullName": ""]
    if behaviour == .silent {
      members["relayTestFailure"] = [
        "rtfStep": "waitResponse", "rtfError": CoreErrors.own("relayTestError", ["message": "timeout"]),
      ]
    }
    return .object(members)
  }
}
