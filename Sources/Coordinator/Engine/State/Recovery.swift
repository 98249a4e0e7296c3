internal import Channels
internal import Storage

/// The state after storage did not work, and what must still be stored or read.
struct Recovery {
  /// Why storage does not work; `nil` if it does.
  private(set) var trouble: String?
  /// Channels whose last change could not be stored, which someone else has changed, or which could not be read; they are read again.
  private(set) var channels: Set<ChannelID> = []
  /// Slots that were gained, and of whose channels nothing could be read yet.
  private(set) var slots = SlotSet.none
  /// Relays and servers whose health is known but could not be stored yet.
  private(set) var objects: Set<CatalogReference> = []
  /// Measured connections that could not be stored yet, the oldest first.
  private(set) var roundTrips: [RoundTrip] = []

  /// How many of them are kept; the oldest are forgotten.
  static let roundTripsMax = 1_000

  /// Notes that storage did not do what it was asked for.
  /// - Returns: whether it worked before.
  mutating func failed(_ reason: String) -> Bool {
    defer { trouble = reason }
    return trouble == nil
  }

  /// Notes that storage did what it was asked for.
  /// - Returns: whether it works again; false as long as channels have to be read.
  mutating func succeeded() -> Bool {
    guard channels.isEmpty, slots.isEmpty else { return false }
    trouble = nil
    return true
  }

  mutating func owe(_ some: some Sequence<ChannelID>) { channels.formUnion(some) }
  mutating func owe(_ some: SlotSet) { slots = slots.union(some) }
  mutating func owe(_ object: CatalogReference) { objects.insert(object) }

  mutating func owe(_ trips: [RoundTrip]) { roundTrips = (roundTrips + trips).suffix(Self.roundTripsMax) }

  /// - Parameter trips: those from before all that are owed already.
  mutating func owe(earlier trips: [RoundTrip]) { roundTrips = (trips + roundTrips).suffix(Self.roundTripsMax) }

  /// Takes channels to read now, at most `max`, in order.
  mutating func takeChannels(_ max: Int) -> [ChannelID] {
    let some = Array(channels.sorted().prefix(max))
    channels.subtract(some)
    return some
  }

  /// Takes all slots of which something has to be read now.
  mutating func takeSlots() -> SlotSet {
    defer { slots = .none }
    return slots
  }

  /// Forgets the channels in these slots: they are someone else's.
  mutating func forget(_ some: SlotSet) {
    slots = slots.subtracting(some)
    channels = channels.filter { !some.contains($0) }
  }

  /// Takes all relays and servers to store now, in order.
  mutating func takeObjects() -> [CatalogReference] {
    defer { objects = [] }
    return objects.sorted()
  }

  /// Takes all measured connections to store now.
  mutating func takeRoundTrips() -> [RoundTrip] {
    defer { roundTrips = [] }
    return roundTrips
  }

  /// Forgets channels after `latest`: it is now known what is durable, and they do not exist.
  mutating func settle(latest: Int64) {
    channels = channels.filter { $0.rawValue <= latest }
  }
}

struct RoundTrip: Equatable {
  var peer: Probed
  var at: Timestamp
  var milliseconds: Int64
}
