/// Counts of a channel's relays by status. Only this type derives a phase from them.
public struct PhaseCounts: Hashable, Sendable {
  public let wanted: Int
  public let isDeletionRequested: Bool
  public private(set) var active = 0
  public private(set) var underWay = 0
  public private(set) var inactive = 0
  public private(set) var failed = 0
  public private(set) var farewells = 0

  public init(wanted: Int, isDeletionRequested: Bool) {
    self.wanted = wanted
    self.isDeletionRequested = isDeletionRequested
  }

  /// Counts of all relays that were made elsewhere.
  public init(
    wanted: Int, isDeletionRequested: Bool, active: Int, underWay: Int, inactive: Int, failed: Int, farewells: Int
  ) {
    self.init(wanted: wanted, isDeletionRequested: isDeletionRequested)
    (self.active, self.underWay, self.inactive, self.failed, self.farewells) = (active, underWay, inactive, failed, farewells)
  }

  /// Counts one relay.
  /// - Parameter hasWork: whether there is still work to do for it. This matters only for removed relays.
  public mutating func add(_ status: RelayStatus, hasWork: Bool) {
    switch status {
    case .new, .invited, .accepted: underWay += 1
    case .active: active += 1
    case .inactive: inactive += 1
    case .failed: failed += 1
    case .removed: farewells += hasWork ? 1 : 0
    }
  }

  /// Whether no reader finds the channel, and no relay is about to get it.
  public var isOnNoRelay: Bool { !isDeletionRequested && wanted > 0 && active == 0 && underWay == 0 }

  /// The phase. Deletion comes first. A channel that should have no relays is `followed`. A lost relay makes the channel `degraded`. While
  /// relays are under way it is `creating` or `partial`. Once settled it is `active` with as many relays as wanted, `degraded` with fewer,
  /// `failed` with none.
  public var phase: ChannelPhase {
    if isDeletionRequested { return farewells > 0 ? .deleting : .deleted }
    if wanted == 0 { return .followed }
    if inactive > 0 { return .degraded }
    if underWay > 0 { return active > 0 ? .partial : .creating }
    if active == 0 { return .failed }
    return active >= wanted ? .active : .degraded
  }
}
