internal import Channels
internal import Storage

/// What the inputs of one commit led to.
final class Batch {
  final class Touch {
    var isNew = false
    /// Whether the channel itself changed, or what clients see of its relays, without a transition that says so.
    var isChanged = false
    /// Whether its profile, other data or edition changed.
    var isRewritten = false
    var saves: Set<RelayID> = []
    var transitions: [(RelayID, ChannelRelayMachine.Transition)] = []
  }

  let now: Timestamp
  private(set) var order: [ChannelID] = []
  private(set) var touches: [ChannelID: Touch] = [:]
  /// Channels whose machine was asked, changed or not.
  var seen: Set<ChannelID> = []
  /// Operators, servers and relays to store, in this order, and whether subscribers are told of each.
  private(set) var objects: [(reference: CatalogReference, isTold: Bool)] = []
  private var places: [CatalogReference: Int] = [:]
  /// Writes that belong to no channel, operator, server or relay.
  var others: [StoreMutation] = []
  /// All identities as they will be; `nil` if they stay as they are.
  var identities: [IdentityRow]?
  /// Relays that moved to another address.
  var moved: Set<RelayID> = []
  /// Connections that were measured.
  var roundTrips: [(Probed, Int64)] = []
  var actions: [(ChannelID, ChannelMachine.Action)] = []
  /// The effects outside the engine, after the commit.
  var effects = Effects()
  /// Closures to call after the commit, with the reason if it failed.
  var replies: [(BatonError?) -> Void] = []
  /// Whether something is written in any case: recovery and signs of life prove themselves by it.
  var mustWrite = false
  /// How many more or fewer channels each relay carries once this is durable.
  private(set) var loads: [RelayID: Int] = [:]
  /// Relays whose queues may go on.
  var lanesToServe: Set<RelayID> = []
  /// What was published, for the replies.
  var snapshots: [ChannelID: ChannelSnapshot] = [:]
  /// The channels by the bytes of their keys, as the store compares them.
  var idempotencyKeys: [[UInt8]: ChannelID] = [:]

  init(now: Timestamp) { self.now = now }

  /// Answers everybody, once. The answers know the batch, which must not keep them: both would stay forever.
  func answer(_ error: BatonError?) {
    let replies = replies
    self.replies = []
    for reply in replies { reply(error) }
  }

  /// Notes that `relay` carries one channel more, or one fewer.
  func carry(_ relay: RelayID, _ change: Int) { loads[relay, default: 0] += change }

  func touch(_ id: ChannelID) -> Touch {
    if let touch = touches[id] { return touch }
    let touch = Touch()
    touches[id] = touch
    order.append(id)
    return touch
  }

  /// - Parameter isTold: whether the change gets a revision and is published to subscribers; routine figures are not.
  func save(_ reference: CatalogReference, isTold: Bool = true) {
    if let place = places[reference] {
      objects[place].isTold = objects[place].isTold || isTold
    } else {
      places[reference] = objects.count
      objects.append((reference, isTold))
    }
  }
}
