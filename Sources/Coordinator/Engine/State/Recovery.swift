internal import Channels
internal import Storage

/// The state after a failure of storage, and the objects still to store or read.
struct Recovery {
  /// Why storage does not work. `nil` if it does.
  private(set) var trouble: String?
  /// Channels to read again: their last change could not be stored, another process has changed them, or they could not be read.
  private(set) var channels: Set<ChannelID> = []
  /// Slots that were gained, but whose channels could not be read yet.
  private(set) var slots = SlotSet.none
  /// Relays and servers whose health is known but could not be stored yet.
  private(set) var objects: Set<CatalogReference> = []
  /// Measured connections that could not be stored yet, the oldest first.
  private(set) var roundTrips: [RoundTrip] = []

  /// The maximum number of such connections. The oldest are forgotten.
  static let roundTripsMax = 1_000

  /// Records that a request to storage failed.
  /// - Returns: whether it worked before.
  mutating func failed(_ reason: String) -> Bool {
    defer { trouble = reason }
    return trouble == nil
  }

  /// Records that a request to storage succeeded.
  /// - Returns: whether storage works again. False until all channels were read.
  mutating func succeeded() -> Bool {
    guard channels.isEmpty, slots.isEmpty else { return false }
    trouble = nil
    return true
  }

  mutating func owe(_ some: some Sequence<ChannelID>) { channels.formUnion(some) }
  mutating func owe(_ some: SlotSet) { slots = slots.union(some) }
  mutating func owe(_ object: CatalogReference) { objects.insert(object) }

  mutating func owe(_ trips: [RoundTrip]) { roundTrips = (roundTrips + trips).suffix(Self.roundTripsMax) }

  /// - Parameter trips: connections measured before all that are owed already.
  mutating func owe(earlier trips: [RoundTrip]) { roundTrips = (trips + roundTrips).suffix(Self.roundTripsMax) }

  /// Removes and returns channels to read now, at most `max`, in order.
  mutating func takeChannels(_ max: Int) -> [ChannelID] {
    let some = Array(channels.sorted().prefix(max))
    channels.subtract(some)
    return some
  }

  /// Removes and returns all slots whose channels must be read now.
  mutating func takeSlots() -> SlotSet {
    defer { slots = .none }
    return slots
  }

  /// Forgets the channels in these slots, which another daemon has.
  mutating func forget(_ some: SlotSet) {
    slots = slots.subtracting(some)
    channels = channels.filter { !some.contains($0) }
  }

  /// Removes and returns all relays and servers to store now, in order.
  mutating func takeObjects() -> [CatalogReference] {
    defer { objects = [] }
    return objects.sorted()
  }

  /// Removes and returns all measured connections to store now.
  mutating func takeRoundTrips() -> [RoundTrip] {
    defer { roundTrips = [] }
    return roundTrips
  }

  /// Forgets channels after `latest`: they turned out not to be durable, so they do not exist.
  mutating func settle(latest: Int64) {
    channels = channels.filter { $0.rawValue <= latest }
  }
}

struct RoundTrip: Equatable {
  var peer: Probed
  var at: Timestamp
  var milliseconds: Int64
}
