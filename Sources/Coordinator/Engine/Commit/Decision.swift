internal import Channels
internal import Storage

/// What was decided and is not durable: what to store, what follows from it, and, as a layer over what is durable, how channels and
/// catalog look then. To drop it is to undo it.
struct Decision: Equatable {
  /// What it changes about a channel.
  struct Touch: Equatable {
    var isNew = false
    /// Whether the channel itself changed, or what clients see of its relays, without a transition that says so.
    var isChanged = false
    /// Whether its profile, other data or edition changed.
    var isRewritten = false
    var saves: Set<RelayID> = []
    var transitions: [RelayTransition] = []
    /// How many more or fewer channels each relay carries with it.
    var loads: [RelayID: Int] = [:]
    /// The place of the first of its revisions in the commit (`PendingRevision`); the transitions come first, the channel last.
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
    /// Whether the change gets a revision and is published to subscribers; routine figures are not.
    var isTold: Bool
    /// The place of its revision in the commit; 0 if it gets none.
    var place = 0
  }

  /// The objects whose writes stand or fall together.
  enum Part: Equatable {
    /// Identities, operators, servers and relays.
    case catalog
    case channel(ChannelID)
    /// Measured connections. They refer to nothing, and a change that is not stored does not take them with it.
    case roundTrips
    case signOfLife
  }

  /// The time of the latest input.
  var now: Timestamp

  /// The inputs that it decides.
  var inputs: [Engine.Input] = []

  // How things look with it. What is absent is as before.

  var live: [ChannelID: Decider.Live] = [:]
  var catalog: Catalog?
  var identities: [IdentityRow]?
  /// The highest ids that were given out.
  var ids: StoreCounters?
  var healing: Healing?

  // What it changes.

  private(set) var order: [ChannelID] = []
  private(set) var touches: [ChannelID: Touch] = [:]
  /// Channels whose machine was asked, changed or not.
  var seen: Set<ChannelID> = []
  /// Operators, servers and relays to store, in this order.
  private(set) var objects: [ObjectTouch] = []
  private var places: [CatalogReference: Int] = [:]
  /// Relays and servers of which something was learned that another daemon stores.
  var heard: Set<CatalogReference> = []
  /// Writes of identities.
  var identityWrites: [StoreMutation] = []
  /// Relays that moved to another address.
  var moved: Set<RelayID> = []
  /// Connections that were measured.
  var roundTrips: [RoundTrip] = []
  /// Whether something is written in any case: recovery and signs of life prove themselves by it.
  var mustWrite = false
  /// The channels by the bytes of their keys.
  var idempotencyKeys: [[UInt8]: ChannelID] = [:]
  /// Channels of others that are followed from now on.
  var followed: [ChannelName: [ChannelID]] = [:]
  /// The parts of its request to storage, in the same order.
  var parts: [Part] = []
  /// The number that tells its commit from others.
  var number: UInt64 = 0
  /// Whether anything has to be stored; known once it is closed.
  var hasWritten = false

  // What follows from it.

  var actions: [ChannelAction] = []
  /// Relays whose queues may go on.
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

  /// Whether it changes the channel, so that its next revision is not known yet.
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

  /// Takes out what it decided about a channel.
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

  /// Takes out what it decided about identities, operators, servers and relays.
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
