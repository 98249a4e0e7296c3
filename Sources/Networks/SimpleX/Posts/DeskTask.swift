internal import Channels
internal import RelayNetwork

/// The operations for one post of a channel, with the state of the channel's relays in the core.
protocol DeskTask {
  var post: PostID { get }
  var channel: ChannelID { get }
  var listing: GroupListing { get }
  var operations: [DeliveryOperation] { get }
}

extension DeskTask {
  var group: CoreGroup.ID { listing.group.id }

  func operations(_ task: DeliveryOperation.Task) -> [DeliveryOperation] { operations.filter { $0.task == task } }

  /// Whether the relay of an operation is in the channel, or on its way there.
  func isJoined(_ operation: DeliveryOperation) -> Bool {
    switch listing.standing(of: operation.address) {
    case .absent, .lost: false
    case .stuck, .invited, .accepted, .active: true
    }
  }

  /// The relay of an operation as a member of the channel, or `nil` if the channel does not have it.
  func member(_ operation: DeliveryOperation) -> CoreMember.ID? { listing.standing(of: operation.address).member }
}
