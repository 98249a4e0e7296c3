internal import StrictJSON

// Creating channels, and adding and removing their relays (facts on SimpleX, §3.3).
extension CoreModel {
  mutating func createChannel(_ user: Int64, _ relays: [Int64], _ profile: JSONValue) -> JSONValue {
    guard let name = profile["displayName"]?.string, profile["fullName"]?.string != nil else {
      return CoreErrors.answer(CoreErrors.command("Failed reading: profile"))
    }
    guard !name.isEmpty, !name.contains(where: { ".,;/\\#@'\"`~".contains($0) }) else {
      return CoreErrors.answer(
        CoreErrors.own("invalidDisplayName", ["displayName": .string(name), "validName": "channel"]))
    }
    if let missing = relays.first(where: { relayEntry($0) == nil }) {
      return CoreErrors.answer(CoreErrors.store("userChatRelayNotFound", ["chatRelayId": .integer(missing)]))
    }
    let number = (groups.map(\.id).max() ?? 0) + 1
    var group = Group(id: number, serial: makeID(), user: user, createdAt: now, profile: profile)
    group.profile = publicProfile(profile, group.serial)
    let failures = invite(relays, &group)
    // All or nothing: one failure, and the channel is gone.
    guard failures.isEmpty else { return failed("publicGroupCreationFailed", user, relays, failures) }
    groups.append(group)
    plan(relays, group)
    for _ in 0..<stepsBeforeReply { step() }
    // As it was when the relays had just been invited.
    return answer("publicGroupCreated", group, ["groupLink": linkJSON(group), "groupRelays": rowsJSON(group)])
  }

  mutating func addRelays(_ index: Int, _ relays: [Int64]) -> JSONValue {
    let taken = Set(groups[index].rows.filter { keepsRemovedRelays || !$0.isRemoved }.map(\.relay))
    guard taken.isDisjoint(with: relays) else {
      return CoreErrors.answer(CoreErrors.command("some relays are already in the group"))
    }
    if let missing = relays.first(where: { relayEntry($0) == nil }) {
      return CoreErrors.answer(CoreErrors.store("userChatRelayNotFound", ["chatRelayId": .integer(missing)]))
    }
    // Nothing is taken back: those that went well stay invited, those that failed stay new and block their number.
    var invited = groups[index]
    let failures = invite(relays, &invited)
    groups[index] = invited
    plan(relays.filter { failures[$0] == nil }, invited)
    guard failures.isEmpty else { return failed("groupRelaysAddFailed", invited.user, relays, failures) }
    for _ in 0..<stepsBeforeReply { step() }
    return answer("groupRelaysAdded", invited, ["groupLink": linkJSON(invited), "groupRelays": rowsJSON(invited)])
  }

  /// A relay is removed by removing its member.
  mutating func removeMembers(_ index: Int, _ members: [Int64], _ withMessages: Bool) -> JSONValue {
    guard members.allSatisfy({ id in groups[index].rows.contains { $0.member == id && !$0.isRemoved } }) else {
      return CoreErrors.answer(CoreErrors.own("groupMemberNotFound"))
    }
    var removed: [JSONValue] = []
    for (at, row) in groups[index].rows.enumerated() where members.contains(row.member) {
      groups[index].rows[at].isRemoved = true
      groups[index].rows[at].status = "inactive"
      groups[index].rows[at].memberStatus = "removed"
      pending.removeAll { $0.group == groups[index].id && $0.row == row.id }
      removed.append(memberJSON(groups[index].rows[at], in: groups[index]))
    }
    pending.append(Pending(group: groups[index].id, row: 0, stages: [.publish], wait: 0, turns: 0))
    return answer(
      "userDeletedMembers", groups[index],
      ["members": .array(removed), "withMessages": .bool(withMessages), "msgSigned": true])
  }

  /// Makes the rows of `relays`; those whose invitation fails stay new.
  private mutating func invite(_ relays: [Int64], _ group: inout Group) -> [Int64: CoreErrors.Shape] {
    var failures: [Int64: CoreErrors.Shape] = [:]
    for relay in relays {
      var row = RelayRow(id: makeID(), member: makeID(), relay: relay)
      if let failure = behaviour(of: relay).invitationError { failures[relay] = failure } else { row.status = "invited" }
      group.rows.append(row)
    }
    return failures
  }

  private mutating func plan(_ relays: [Int64], _ group: Group) {
    for row in group.rows where relays.contains(row.relay) && !row.isRemoved {
      let behaviour = behaviour(of: row.relay)
      guard !behaviour.stages.isEmpty else { continue }
      pending.append(
        Pending(group: group.id, row: row.id, stages: behaviour.stages, wait: behaviour.wait, turns: behaviour.wait))
    }
  }

  /// Both shapes of failure: only temporary ones are one plain error, otherwise every relay has its own.
  private func failed(
    _ tag: String, _ user: Int64, _ relays: [Int64], _ failures: [Int64: CoreErrors.Shape]
  ) -> JSONValue {
    func error(_ relay: Int64) -> JSONValue? {
      failures[relay].map { CoreErrors.agent($0, address: relayEntry(relay)?["address"]?.string ?? "") }
    }
    if failures.values.allSatisfy(\.isTemporary), let first = relays.lazy.compactMap(error).first {
      return CoreErrors.answer(first)
    }
    let results = relays.map { relay -> JSONValue in
      var result: [String: JSONValue] = ["relay": relayEntry(relay) ?? [:]]
      result["relayError"] = error(relay)
      return .object(result)
    }
    return ["type": .string(tag), "user": userJSON(user), "addRelayResults": .array(results)]
  }
}
