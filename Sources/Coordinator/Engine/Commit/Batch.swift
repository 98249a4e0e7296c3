internal import Channels
internal import Storage

/// What the inputs of one commit led to.
final class Batch {
  final class Touch {
    var isNew = false
    /// Whether the channel itself changed, or what clients see of its relays, without a transition that says so.
    var isChanged = false
    /// Whether its profile, other data or edition changed.
    var isRevised = false
    var saves: Set<RelayID> = []
    var transitions: [(RelayID, ChannelRelayMachine.Transition)] = []
  }

  let now: Timestamp
  private(set) var order: [ChannelID] = []
  private(set) var touches: [ChannelID: Touch] = [:]
  /// Channels whose machine was asked, changed or not.
  var seen: Set<ChannelID> = []
  /// Operators, servers and relays that are to be stored, in this order; true: and told.
  private(set) var objects: [(reference: CatalogReference, isTold: Bool)] = []
  private var places: [CatalogReference: Int] = [:]
  /// Writes that belong to no channel, operator, server or relay.
  var others: [StoreMutation] = []
  /// All identities as they will be; nil: as they are.
  var identities: [IdentityRow]?
  /// Relays that moved to another address.
  var moved: Set<RelayID> = []
  /// Measured connections.
  var roundTrips: [(Probed, Int64)] = []
  var actions: [(ChannelID, ChannelMachine.Action)] = []
  /// What follows from it outside of the engine, after the commit.
  var effects = Effects()
  /// To be called after the commit, with the reason when it failed.
  var replies: [(BatonError?) -> Void] = []
  /// Whether something is written in any case: recovery and signs of life prove themselves by it.
  var mustWrite = false
  /// By how many channels more, or fewer, relays carry once this is durable.
  private(set) var loads: [RelayID: Int] = [:]
  /// Relays whose queue may go on.
  var lanesToServe: Set<RelayID> = []
  /// What was published, for the replies.
  var snapshots: [ChannelID: ChannelSnapshot] = [:]
  /// By the key's bytes, as the store compares them.
  var idempotencyKeys: [[UInt8]: ChannelID] = [:]

  init(now: Timestamp) { self.now = now }

  /// Answers everybody, once. The answers know the batch, which must not keep them: both would stay for ever.
  func answer(_ error: BatonError?) {
    let replies = replies
    self.replies = []
    for reply in replies { reply(error) }
  }

  /// Notes that `relay` carries a channel more, or one less.
  func carry(_ relay: RelayID, _ change: Int) { loads[relay, default: 0] += change }

  func touch(_ id: ChannelID) -> Touch {
    if let touch = touches[id] { return touch }
    let touch = Touch()
    touches[id] = touch
    order.append(id)
    return touch
  }

  /// - Parameter isTold: whether the change gets a revision and subscribers hear of it; routine figures do not.
  func save(_ reference: CatalogReference, isTold: Bool = true) {
    if let place = places[reference] {
      objects[place].isTold = objects[place].isTold || isTold
    } else {
      places[reference] = objects.count
      objects.append((reference, isTold))
    }
  }
}
