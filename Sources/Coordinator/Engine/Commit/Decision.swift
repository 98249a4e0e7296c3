internal import Channels
internal import Storage

/// A decision that is not durable: the changes to store, their effects and, as a layer over the durable state, the resulting channels and
/// catalog. Dropping it undoes it.
struct Decision: Equatable {
  /// The changes of one channel.
  struct Touch: Equatable {
    var isNew = false
    /// Whether the channel changed, or its relays as clients see them, without a transition that records it.
    var isChanged = false
    /// Whether its profile, other data or edition changed.
    var isRewritten = false
    var saves: Set<RelayID> = []
    var transitions: [RelayTransition] = []
    /// How many more or fewer channels each relay carries after it.
    var loads: [RelayID: Int] = [:]
    /// The place of the first of its revisions in the commit (`PendingRevision`). Transitions come first, the channel last.
    var place = 0
  }

  struct RelayTransition: Equatable {
    var relay: RelayID
    var transition: ChannelRelayMachine.Transition
  }

  struct ChannelAction: Equatable {
    var channel: ChannelID
    var action: ChannelMachine.Action
  }

  /// An operator, server or relay to store.
  struct ObjectTouch: Equatable {
    var reference: CatalogReference
    /// Whether the change gets a revision and is published to subscribers, unlike routine figures.
    var isTold: Bool
    /// The place of its revision in the commit. 0 without a revision.
    var place = 0
  }

  /// Objects whose writes succeed or fail together.
  enum Part: Equatable {
    /// Identities, operators, servers and relays.
    case catalog
    case channel(ChannelID)
    /// Measured connections. They refer to nothing, and do not depend on other changes.
    case roundTrips
    case signOfLife
  }

  /// The time of the latest input.
  var now: Timestamp

  /// The inputs that it decides.
  var inputs: [Engine.Input] = []

  // The state with it. Absent objects are unchanged.

  var live: [ChannelID: Decider.Live] = [:]
  var catalog: Catalog?
  var identities: [IdentityRow]?
  /// The highest assigned ids.
  var ids: StoreCounters?
  var healing: Healing?

  // The changes.

  private(set) var order: [ChannelID] = []
  private(set) var touches: [ChannelID: Touch] = [:]
  /// Channels whose machine received an event, changed or not.
  var seen: Set<ChannelID> = []
  /// Operators, servers and relays to store, in this order.
  private(set) var objects: [ObjectTouch] = []
  private var places: [CatalogReference: Int] = [:]
  /// Relays and servers with observations that another daemon stores.
  var heard: Set<CatalogReference> = []
  /// Writes of identities.
  var identityWrites: [StoreMutation] = []
  /// Relays that moved to another address.
  var moved: Set<RelayID> = []
  /// Connections that were measured.
  var roundTrips: [RoundTrip] = []
  /// Whether it is written even without changes: recovery and signs of life depend on a write.
  var mustWrite = false
  /// The channels by the bytes of their keys.
  var idempotencyKeys: [[UInt8]: ChannelID] = [:]
  /// Newly followed channels.
  var followed: [ChannelName: [ChannelID]] = [:]
  /// The parts of its request to storage, in the same order.
  var parts: [Part] = []
  /// The number that tells its commit from others.
  var number: UInt64 = 0
  /// Whether there is anything to store, which is known once it is closed.
  var hasWritten = false

  // The effects.

  var actions: [ChannelAction] = []
  /// Relays whose queues may continue.
  var lanesToServe: Set<RelayID> = []
  var effects = Effects()
  /// The answers in this order.
  var answers: [Answer] = []

  init(now: Timestamp) { self.now = now }

  /// Whether nothing was decided.
  var isEmpty: Bool { inputs.isEmpty && answers.isEmpty && effects.isEmpty }

  subscript(id: ChannelID) -> Touch {
    get { touches[id] ?? Touch() }
    _modify {
      if touches[id] == nil { order.append(id) }
      yield &touches[id, default: Touch()]
    }
  }

  /// Whether it changes the channel, whose next revision is then unknown.
  func changes(_ id: ChannelID) -> Bool {
    touches[id].map { $0.isNew || $0.isChanged || !$0.transitions.isEmpty } ?? false
  }

  /// How many more or fewer channels each relay carries.
  var loads: [RelayID: Int] {
    var loads: [RelayID: Int] = [:]
    for touch in touches.values { loads.merge(touch.loads, uniquingKeysWith: +) }
    return loads.filter { $0.value != 0 }
  }

  mutating func save(_ reference: CatalogReference, isTold: Bool = true) {
    if let place = places[reference] {
      objects[place].isTold = objects[place].isTold || isTold
    } else {
      places[reference] = objects.count
      objects.append(ObjectTouch(reference: reference, isTold: isTold))
    }
  }

  func saves(_ reference: CatalogReference) -> Bool { places[reference] != nil }

  /// Gives the object at an index its place in the commit.
  mutating func place(object index: Int, at place: Int) { objects[index].place = place }

  // MARK: - When a part of it is not stored

  /// Removes its decisions about a channel.
  /// - Returns: the answers to requests about the channel.
  mutating func drop(_ id: ChannelID) -> [Answer] {
    let dropped = answers.filter { $0.channel == id }
    answers.removeAll { $0.channel == id }
    order.removeAll { $0 == id }
    touches[id] = nil
    live[id] = nil
    seen.remove(id)
    actions.removeAll { $0.channel == id }
    effects.journal.removeAll { $0.part == .channel(id) && !$0.isHeard }
    idempotencyKeys = idempotencyKeys.filter { $0.value != id }
    followed = followed.mapValues { $0.filter { $0 != id } }
    return dropped
  }

  /// Removes its decisions about identities, operators, servers and relays.
  /// - Returns: the answers to requests about them.
  mutating func dropCatalog() -> [Answer] {
    let dropped = answers.filter(\.isAboutCatalog)
    answers.removeAll(where: \.isAboutCatalog)
    (catalog, identities, identityWrites, moved) = (nil, nil, [], [])
    (objects, places) = ([], [:])
    effects.keys = []
    effects.journal.removeAll { $0.part == .catalog && !$0.isHeard }
    return dropped
  }
}
