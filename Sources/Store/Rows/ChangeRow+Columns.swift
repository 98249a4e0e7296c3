internal import Channels
package import Storage

extension TransitionRow {
  /// The values of all columns except the sum, in the order of `SummedTable.transitions`.
  package func bind(to row: inout some RowSink) {
    row.bind(revision: revision)
    row.bind(channel.rawValue)
    row.bind(relay.rawValue)
    row.bind(transition)
  }

  /// The row that `values` reads, in the order of `SummedTable.transitions`.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or has an unknown status.
  package init(_ values: inout some RowSource) throws {
    let revision = values.integer()
    let (channel, relay) = (ChannelID(rawValue: values.integer()), RelayID(rawValue: values.integer()))
    let transition: StatusTransition<RelayStatus>? = values.transition()
    try values.end(.transitions)
    guard let transition else { throw values.unreadable(.transitions) }
    self.init(revision: revision, channel: channel, relay: relay, transition: transition)
  }
}

extension ChangeRow {
  /// The values of all columns except the sum, in the order of `SummedTable.changes`.
  package func bind(to row: inout some RowSink) {
    var (channel, relay, organisation, server): (Int64?, Int64?, Int64?, Int64?)
    switch object {
    case .channel(let id): channel = id.rawValue
    case .operator(let id): organisation = id.rawValue
    case .server(let id): server = id.rawValue
    case .relay(let id): relay = id.rawValue
    case .channelRelay(let transition): channel = transition.channel.rawValue
    }
    row.bind(revision: revision)
    row.bind(at.milliseconds)
    row.bind(channel)
    row.bind(relay)
    row.bind(organisation)
    row.bind(server)
  }

  /// The row that `values` reads, in the order of `SummedTable.changes`, or `nil` if its object is unknown.
  /// - Throws: `StoreError.corrupt` when the row is damaged.
  package init?(_ values: inout some RowSource) throws {
    let (revision, at) = (values.integer(), Timestamp(milliseconds: values.integer()))
    let (channel, relay) = (values.integerIfAny(), values.integerIfAny())
    let (organisation, server) = (values.integerIfAny(), values.integerIfAny())
    try values.end(.changes)
    let object =
      channel.map { Object.channel(ChannelID(rawValue: $0)) } ?? relay.map { .relay(RelayID(rawValue: $0)) }
      ?? organisation.map { .operator(OperatorID(rawValue: $0)) } ?? server.map { .server(ServerID(rawValue: $0)) }
    guard let object else { return nil }
    self.init(revision: revision, at: at, object: object)
  }
}
