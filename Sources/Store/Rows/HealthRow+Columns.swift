internal import Channels
package import Storage

extension HealthRow {
  /// The values of all columns except the sum, in the order of `SummedTable.health`.
  package func bind(to row: inout some RowSink) {
    var (relay, server): (Int64?, Int64?)
    switch peer {
    case .relay(let id): relay = id.rawValue
    case .server(let id): server = id.rawValue
    }
    row.bind(revision: revision)
    row.bind(relay)
    row.bind(server)
    row.bind(from.rawValue)
    row.bind(to.rawValue)
    row.bind(cause?.rawValue)
    row.bind(detail)
    row.bind(at.milliseconds)
  }

  /// The row that `values` reads, in the order of `SummedTable.health`.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or has an unknown word.
  package init(_ values: inout some RowSource) throws {
    let (revision, relay, server) = (values.integer(), values.integerIfAny(), values.integerIfAny())
    let (before, after, cause) = (values.text(), values.text(), values.textIfAny())
    let (detail, at) = (values.text(), values.integer())
    try values.end(.health)
    guard
      let peer = relay.map({ Probed.relay(RelayID(rawValue: $0)) }) ?? server.map({ .server(ServerID(rawValue: $0)) }),
      let from = PeerCondition.Health(rawValue: before), let to = PeerCondition.Health(rawValue: after)
    else { throw values.unreadable(.health) }
    self.init(
      revision: revision, peer: peer, from: from, to: to, cause: cause.flatMap(Cause.init(rawValue:)), detail: detail,
      at: Timestamp(milliseconds: at))
  }
}
