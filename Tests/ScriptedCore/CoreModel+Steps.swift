internal import StrictJSON

// Steps of relays after their invitation.
extension CoreModel {
  /// Carries out the next step; relays take turns. Posts go out when all relays have had theirs.
  /// - Returns: whether there was one.
  @discardableResult
  public mutating func step() -> Bool {
    guard !pending.isEmpty else { return deliver() }
    var next = pending.removeFirst()
    if next.turns > 0 {
      next.turns -= 1
      pending.append(next)
      return true
    }
    guard let index = groups.firstIndex(where: { $0.id == next.group }), !next.stages.isEmpty else { return true }
    let stage = next.stages.removeFirst()
    next.turns = next.wait
    if !next.stages.isEmpty { pending.append(next) }
    if stage == .publish { publish(index) } else { perform(stage, index, row: next.row) }
    return true
  }

  /// Carries out every pending step.
  public mutating func settle() { while step() {} }

  /// A relay leaves a channel by itself; then the link is published without it.
  public mutating func leave(channel: Int64, relayAddress: String) { plan([.leave, .publish], channel, relayAddress) }

  /// A relay's link is found missing in the published link.
  public mutating func loseLink(channel: Int64, relayAddress: String) { plan([.loseLink], channel, relayAddress) }

  private mutating func plan(_ stages: [Stage], _ channel: Int64, _ relayAddress: String) {
    let rows = groups.first { $0.id == channel }?.rows ?? []
    for row in rows where address(of: row.relay) == relayAddress {
      pending.append(Pending(group: channel, row: row.id, stages: stages, wait: 0, turns: 0))
    }
    if settlesAtOnce { settle() }
  }

  private mutating func perform(_ stage: Stage, _ index: Int, row id: Int64) {
    guard let at = groups[index].rows.firstIndex(where: { $0.id == id }) else { return }
    switch stage {
    case .accept:
      groups[index].rows[at].status = "accepted"
      groups[index].rows[at].memberStatus = "accepted"
      groups[index].rows[at].link = relayLink(groups[index].rows[at], in: groups[index])
      relayUpdated(index, at)
      // The connection comes up without a word.
      groups[index].rows[at].memberStatus = "connected"
      groups[index].rows[at].connection = ["type": "ready"]
    case .acknowledge:
      groups[index].rows[at].status = "acknowledgedRoster"
      relayUpdated(index, at)
    case .reject:
      groups[index].rows[at].status = "rejected"
      groups[index].rows[at].memberStatus = "left"
      relayUpdated(index, at)
    case .rejectRoster:
      groups[index].rows[at].status = "rejected"
      relayUpdated(index, at)
    case .fail: fail(index, at)
    case .mismatch:
      events.append([
        "type": "chatError", "chatError": CoreErrors.own("internalError", ["message": "relay link entity ID does not match"]),
      ])
    case .leave:
      groups[index].rows[at].status = "inactive"
      groups[index].rows[at].memberStatus = "left"
      let group = groups[index]
      events.append(answer("leftMember", group, ["member": memberJSON(group.rows[at], in: group)]))
    case .loseLink:
      groups[index].rows[at].status = "inactive"
      let group = groups[index]
      linkUpdated(group, relaysChanged: true)
    case .publish: break
    }
  }

  private mutating func relayUpdated(_ index: Int, _ at: Int) {
    let group = groups[index]
    events.append(
      answer(
        "groupRelayUpdated", group,
        ["member": memberJSON(group.rows[at], in: group), "groupRelay": rowJSON(group.rows[at])]))
  }

  /// The only sign is an error about the member's connection, and the member with a failed connection.
  private mutating func fail(_ index: Int, _ at: Int) {
    let before = groups[index]
    groups[index].rows[at].connection = ["type": "failed", "connError": "SMP AUTH"]
    let group = groups[index]
    let address = address(of: group.rows[at].relay)
    let entity: JSONValue = [
      "type": "rcvGroupMsgConnection", "entityConnection": connectionJSON(group.rows[at]), "groupInfo": groupJSON(group),
      "groupMember": memberJSON(group.rows[at], in: group),
    ]
    events.append(["type": "chatError", "chatError": CoreErrors.agent(.deadLink, address: address, entity: entity)])
    events.append(
      answer(
        "groupMemberUpdated", group,
        ["fromMember": memberJSON(before.rows[at], in: before), "toMember": memberJSON(group.rows[at], in: group)]))
  }

  /// The link is published with every relay that is ready for it; that makes them active, and the channel a lasting one.
  private mutating func publish(_ index: Int) {
    var isChanged = false
    for at in groups[index].rows.indices where groups[index].rows[at].status == "acknowledgedRoster" {
      groups[index].rows[at].status = "active"
      isChanged = true
    }
    groups[index].isInProgress = false
    linkUpdated(groups[index], relaysChanged: isChanged)
  }

  private mutating func linkUpdated(_ group: Group, relaysChanged: Bool) {
    events.append(
      answer(
        "groupLinkDataUpdated", group,
        ["groupLink": linkJSON(group), "groupRelays": rowsJSON(group), "relaysChanged": .bool(relaysChanged)]))
  }
}
