internal import StrictJSON

/// The core's data about one message (`chatItemInfo`, docs/design/simplex.md#delivery-of-posts).
public struct CoreItemInfo: Hashable, Sendable {
  /// How many members a message of the core may list.
  static let deliveriesMax = 10_000

  /// The message and its channel.
  public let item: CoreChatItem
  /// How many versions the core keeps: 0 if it was never edited, and otherwise one for each edit and the first one.
  public let versions: Int
  /// The delivery to each member that it was sent to. Members without an entry were passed over.
  public let deliveries: [CoreMember.ID: CoreDelivery.State]
}

extension CoreItemInfo: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    item = try reader.read("chatItem")
    let info = try reader.object("chatItemInfo")
    versions = info.value("itemVersions")?.array?.count ?? 0
    let rows: [CoreDelivery] = try info.listIfPresent("memberDeliveryStatuses", atMost: Self.deliveriesMax) ?? []
    deliveries = Dictionary(rows.map { ($0.member, $0.state) }) { _, last in last }
  }
}
