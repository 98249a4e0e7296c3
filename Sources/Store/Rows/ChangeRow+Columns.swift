internal import Channels
internal import Storage

extension TransitionRow {
  /// The values of all columns but the sum, in the order of `SummedTable.transitions`.
  func bind(to row: inout BoundRow) {
    row.bind(revision)
    row.bind(channel.rawValue)
    row.bind(relay.rawValue)
    row.bind(transition.from.rawValue)
    row.bind(transition.to.rawValue)
    row.bind(transition.cause?.rawValue)
    row.bind(transition.detail)
    row.bind(transition.attempt)
    row.bind(transition.at.milliseconds)
  }
}

extension ChangeRow {
  /// The values of all columns but the sum, in the order of `SummedTable.changes`.
  func bind(to row: inout BoundRow) {
    var (channel, relay, organisation, server): (Int64?, Int64?, Int64?, Int64?)
    switch object {
    case .channel(let id): channel = id.rawValue
    case .operator(let id): organisation = id.rawValue
    case .server(let id): server = id.rawValue
    case .relay(let id): relay = id.rawValue
    case .channelRelay(let transition): channel = transition.channel.rawValue
    }
    row.bind(revision)
    row.bind(at.milliseconds)
    row.bind(channel)
    row.bind(relay)
    row.bind(organisation)
    row.bind(server)
  }
}
