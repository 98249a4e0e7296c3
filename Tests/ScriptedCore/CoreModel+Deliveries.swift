internal import StrictJSON

// How posts come to relays.
extension CoreModel {
  /// A post on its way to one relay.
  struct Outgoing: Hashable, Sendable {
    let serial: Int64
    let item: Int64
    let member: Int64
  }

  /// Whether the core sends to the relay at all. Others are passed over without a word.
  func isReachable(_ row: RelayRow) -> Bool { row.memberStatus == "connected" && row.connection["type"] == "ready" }

  /// Sends the next post to the next relay, and uploads files when all are sent.
  /// - Returns: whether there was one.
  mutating func deliver() -> Bool {
    guard !outgoing.isEmpty else { return upload() }
    let next = outgoing.removeFirst()
    guard let group = groups.firstIndex(where: { $0.serial == next.serial }),
      let item = groups[group].items.firstIndex(where: { $0.id == next.item }),
      let row = groups[group].rows.first(where: { $0.member == next.member }),
      let at = groups[group].items[item].deliveries.firstIndex(where: { $0.member == next.member })
    else { return true }
    let before = groups[group].items[item].status
    switch deliveries[address(of: row.relay)] ?? .good {
    case .good:
      groups[group].items[item].deliveries[at].state = ["type": "sent"]
      groups[group].items[item].holders.insert(next.member)
    case .stuck: break
    case .warns(let error): groups[group].items[item].deliveries[at].state = ["type": "warning", "agentError": error]
    case .fails(let error): groups[group].items[item].deliveries[at].state = ["type": "error", "agentError": error]
    }
    // Warnings and errors at one relay change nothing for all of them, and so no one hears of them.
    if groups[group].items[item].status != before {
      events.append([
        "type": "chatItemsStatusesUpdated", "user": userJSON(groups[group].user),
        "chatItems": [chatItemJSON(groups[group].items[item], in: groups[group])],
      ])
    }
    return true
  }

  /// Posts that are stuck, or that the core still tries to send, go out to a relay once more.
  public mutating func deliverAgain(relayAddress: String) {
    for group in groups {
      for row in group.rows where address(of: row.relay) == relayAddress {
        for item in group.items where item.deliveries.contains(where: { $0.member == row.member && $0.isOpen }) {
          outgoing.append(Outgoing(serial: group.serial, item: item.id, member: row.member))
        }
      }
    }
    if settlesAtOnce { settle() }
  }

  /// A relay of a channel has been invited and not answered yet, or is in the channel.
  public mutating func setJoining(_ isJoining: Bool, channel: Int64, relayAddress: String) {
    guard let index = groups.firstIndex(where: { $0.id == channel }) else { return }
    for at in groups[index].rows.indices where address(of: groups[index].rows[at].relay) == relayAddress {
      groups[index].rows[at].status = isJoining ? "invited" : "active"
      groups[index].rows[at].memberStatus = isJoining ? "invited" : "connected"
      groups[index].rows[at].connection = ["type": isJoining ? "joined" : "ready"]
    }
  }

  /// The connection to a relay of a channel comes or goes.
  public mutating func setReady(_ isReady: Bool, channel: Int64, relayAddress: String) {
    guard let index = groups.firstIndex(where: { $0.id == channel }) else { return }
    for at in groups[index].rows.indices where address(of: groups[index].rows[at].relay) == relayAddress {
      groups[index].rows[at].connection = ["type": isReady ? "ready" : "accepted"]
    }
  }
}
