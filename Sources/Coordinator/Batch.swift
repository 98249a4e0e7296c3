internal import Channels
internal import Store

/// What the inputs of one commit led to.
final class Batch {
  final class Touch {
    var isNew = false
    var isDeletion = false
    var saves: Set<RelayID> = []
    var transitions: [(RelayID, ChannelRelayMachine.Transition)] = []
  }

  let now: Timestamp
  private(set) var order: [ChannelID] = []
  private(set) var touches: [ChannelID: Touch] = [:]
  /// Channels whose machine was asked, changed or not.
  var seen: Set<ChannelID> = []
  var relays: [RelayID: RelayRow] = [:]
  var relayOrder: [RelayID] = []
  var actions: [(ChannelID, ChannelMachine.Action)] = []
  /// To be called after the commit, with the reason when it failed.
  var replies: [(BatonError?) -> Void] = []
  /// Whether channels were read again after storage had failed.
  var isRecovery = false
  /// Relays whose queue may go on.
  var lanesToServe: Set<RelayID> = []
  /// What was published, for the replies.
  var snapshots: [ChannelID: ChannelSnapshot] = [:]
  /// By the key's bytes, as the store compares them.
  var idempotencyKeys: [[UInt8]: ChannelID] = [:]

  init(now: Timestamp) { self.now = now }

  func touch(_ id: ChannelID) -> Touch {
    if let touch = touches[id] { return touch }
    let touch = Touch()
    touches[id] = touch
    order.append(id)
    return touch
  }

  func save(_ relay: RelayRow) {
    if relays.updateValue(relay, forKey: relay.id) == nil { relayOrder.append(relay.id) }
  }
}
