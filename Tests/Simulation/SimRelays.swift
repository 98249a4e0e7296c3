import Channels
import RelayNetwork
import TestSupport

/// The relays themselves: what they have, whether they can be reached, and what is on its way to them.
struct SimRelays {
  /// An operation whose outcome is still to come; it may come late, twice or never.
  struct Pending {
    let operation: RelayOperation
    var isHandedOver = false
    /// The invitation was taken back in time.
    var isCancelled = false
  }

  /// A channel at the address of a relay, whatever the network calls it.
  struct Place: Hashable {
    let channel: ChannelID
    let address: String

    init(_ channel: ChannelID, at address: String) { (self.channel, self.address) = (channel, address) }

    init(_ operation: RelayOperation) { self.init(operation.channel, at: operation.address) }
  }

  struct Relay {
    /// With the newest edition of each.
    var channels: [ChannelID: Int] = [:]
    var isReachable = true
    var refuses = false
  }

  var relays: [String: Relay] = [:]
  var pending: [Pending] = []
  /// What the daemon wants to hear of, by identifier, and what it heard last.
  var watched: [(relay: RelayID, address: String)] = []
  var reported: [RelayID: Bool] = [:]
  /// Where the daemon was told what is not so, or not told what is.
  var lies: Set<Place> = []
  /// Where an invitation arrived after the farewell.
  private(set) var late: Set<Place> = []
  private var random = SplitMix64(seed: 0)
  private var withdrawn: Set<Ledger.Pair> = []
  /// The latest operation that this run of the daemon asked for.
  private var begun: [Ledger.Pair: Int] = [:]

  init() {}

  init(random: SplitMix64, refusing: Set<Int>) {
    self.random = random
    for number in refusing { relays[Self.address(number), default: Relay()].refuses = true }
  }

  static func address(_ number: Int) -> String { "ws://r\(number)" }

  mutating func begin(_ operation: RelayOperation) throws {
    let pair = Ledger.Pair(channel: operation.channel, relay: operation.relay)
    switch operation.task {
    case .withdraw: withdrawn.insert(pair)
    case .invite, .verify, .announce:
      if withdrawn.contains(pair) { throw Violation("\(operation.task) of \(pair) after the farewell") }
    }
    if relays[operation.address] == nil { relays[operation.address] = Relay() }
    begun[pair] = operation.number
    pending.append(Pending(operation: operation))
  }

  /// Whether this run of the daemon asked for an operation.
  func wasAsked(_ number: Int, of pair: Ledger.Pair) -> Bool { begun[pair] == number }

  /// Invitations that wait for the relay are dropped, unless they have left already and are there, or will be.
  mutating func cancel(_ channel: ChannelID, at relay: RelayID) {
    for index in pending.indices where pending[index].operation.channel == channel && pending[index].operation.relay == relay {
      guard pending[index].operation.task == .invite, !pending[index].isCancelled else { continue }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: pending[index].isCancelled = true
      case 1:
        _ = carryOut(pending[index].operation)
        pending[index].isCancelled = true
      default: break
      }
    }
  }

  /// What an honest relay does and says.
  mutating func carryOut(_ operation: RelayOperation) -> RelayOutcome {
    guard let relay = relays[operation.address] else { return .missing }
    let channel = operation.channel
    guard relay.isReachable else { return .troubled(Trouble(.unreachable, "connection refused"), retryAfter: nil) }
    switch operation.task {
    case .invite:
      guard !relay.refuses else { return .refused(Trouble(.rejected, "blocked: no")) }
      if withdrawn.contains(Ledger.Pair(channel: operation.channel, relay: operation.relay)) {
        late.insert(Place(operation))
      }
      relays[operation.address]?.channels[channel] = relay.channels[channel] ?? 1
      return .accepted(link: operation.address)
    case .verify: return relay.channels[channel].map { .verified(edition: $0) } ?? .missing
    case .withdraw:
      relays[operation.address]?.channels[channel] = nil
      return .withdrawn
    case .announce:
      // Editions are events of their own: a relay takes them whether it has the channel or not, and the newest one wins.
      guard let shown = relay.channels[channel] else { return .announced }
      relays[operation.address]?.channels[channel] = max(shown, operation.content.edition)
      return .announced
    }
  }

  /// What a relay does without the daemon hearing of it.
  mutating func carryOutUnheard(_ operation: RelayOperation) {
    _ = carryOut(operation)
    // No one can know that an invitation came through after the farewell.
    if late.contains(Place(operation)) { lies.insert(Place(operation)) }
  }

  /// Whether the relay has the channel, and can say so.
  func has(_ place: Place) -> Bool {
    relays[place.address].map { $0.isReachable && $0.channels[place.channel] != nil } ?? false
  }

  /// The relay has the channel no more.
  mutating func lose(_ place: Place) { relays[place.address]?.channels[place.channel] = nil }

  /// The daemon sends nothing more for these channels: some of what was under way reaches the relays all the same.
  mutating func abandon(_ slots: SlotSet) {
    for waiting in pending where slots.contains(waiting.operation.channel) {
      if !waiting.isCancelled, Bool.random(using: &random) { carryOutUnheard(waiting.operation) }
    }
    pending.removeAll { slots.contains($0.operation.channel) }
    begun = begun.filter { !slots.contains($0.key.channel) }
  }

  /// The daemon died: some of what was under way reaches the relays all the same.
  mutating func loseContact() {
    for waiting in pending where !waiting.isCancelled && Bool.random(using: &random) { carryOutUnheard(waiting.operation) }
    pending = []
    begun = [:]
    watched = []
    reported = [:]
  }
}
