internal import StrictJSON

// Creating channels, and adding and removing their relays.
extension CoreModel {
  mutating func createChannel(_ user: Int64, _ relays: [Int64], _ profile: JSONValue) -> JSONValue {
    guard let name = profile["displayName"]?.string, profile["fullName"]?.string != nil else {
      return CoreErrors.answer(CoreErrors.command("Failed reading: profile"))
    }
    if let refusal = nameRefusal(name) {
      // The queue for the channel's link is there by then.
      queuesLeftBehind += 1
      return refusal
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
    let taken = Set(groups[index].rows.map(\.relay))
    guard taken.isDisjoint(with: relays) else {
      return CoreErrors.answer(CoreErrors.command("some relays are already in the group"))
    }
    if let missing = relays.first(where: { relayEntry($0) == nil }) {
      return CoreErrors.answer(CoreErrors.store("userChatRelayNotFound", ["chatRelayId": .integer(missing)]))
    }
    // Nothing is undone: relays that were invited stay so; a row that stays new blocks the relay until it is removed.
    var invited = groups[index]
    let failures = invite(relays, &invited)
    groups[index] = invited
    plan(relays.filter { failures[$0] == nil }, invited)
    guard failures.isEmpty else { return failed("groupRelaysAddFailed", invited.user, relays, failures) }
    for _ in 0..<stepsBeforeReply { step() }
    return answer("groupRelaysAdded", invited, ["groupLink": linkJSON(invited), "groupRelays": rowsJSON(invited)])
  }

  /// A relay is removed by removing its member. The row goes with it, whatever it said, so that the relay can be added again.
  mutating func removeMembers(_ index: Int, _ members: [Int64], _ withMessages: Bool) -> JSONValue {
    let group = groups[index]
    if let refusal = roleRefusal(group, "admin") { return refusal }
    guard members.allSatisfy({ id in group.rows.contains { $0.member == id } || group.people[id] != nil }) else {
      return CoreErrors.answer(CoreErrors.own("groupMemberNotFound"))
    }
    let removed = group.rows.filter { members.contains($0.member) }.map { row in
      var row = row
      row.memberStatus = "removed"
      return memberJSON(row, in: group)
    }
    let people = members.filter { group.people[$0] != nil }.map { memberJSON(of: $0, in: group, status: "removed") }
    for member in members { groups[index].people[member] = nil }
    if removed.isEmpty {
      return answer(
        "userDeletedMembers", groups[index],
        ["members": .array(people), "withMessages": .bool(withMessages), "msgSigned": true])
    }
    pending.removeAll { step in
      step.group == group.id && group.rows.contains { $0.id == step.row && members.contains($0.member) }
    }
    groups[index].rows.removeAll { members.contains($0.member) }
    pending.append(Pending(group: group.id, row: 0, stages: [.publish], wait: 0, turns: 0))
    return answer(
      "userDeletedMembers", groups[index],
      ["members": .array(removed + people), "withMessages": .bool(withMessages), "msgSigned": true])
  }

  /// Makes the rows of `relays`. Those whose invitation fails on its way stay new; those whose address leads nowhere get none.
  private mutating func invite(_ relays: [Int64], _ group: inout Group) -> [Int64: CoreErrors.Shape] {
    var failures: [Int64: CoreErrors.Shape] = [:]
    for relay in relays {
      var row = RelayRow(id: makeID(), member: makeID(), relay: relay)
      let behaviour = behaviour(of: relay)
      if let failure = behaviour.invitationError { failures[relay] = failure } else { row.status = "invited" }
      if behaviour.invitationError == nil || behaviour == .failsToJoin { group.rows.append(row) }
    }
    return failures
  }

  private mutating func plan(_ relays: [Int64], _ group: Group) {
    for row in group.rows where relays.contains(row.relay) {
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
      failures[relay].map { CoreErrors.agent($0, address: address(of: relay)) }
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
