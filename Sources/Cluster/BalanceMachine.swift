/// Decides which parts of the work a daemon claims and releases, as a value. Channels are divided into *slots*, and each slot belongs to at
/// most one session. A living session never loses a slot unless its own daemon releases it.
public struct BalanceMachine: Hashable, Sendable {
  public typealias Slot = Int

  public struct Policy: Hashable, Sendable {
    /// How long the same sessions must have lived before slots move from one to another, so that a restart moves nothing.
    public var calm: Duration
    /// How long a session must have been seen expired before it is taken over: after an outage of the database all have expired, and living
    /// sessions are renewed.
    public var grace: Duration

    public init(calm: Duration = .seconds(10), grace: Duration = .seconds(1)) {
      self.calm = calm
      self.grace = grace
    }
  }

  /// The slot that is pinned to a daemon, for its chat core.
  public enum CoreSlot: Hashable, Sendable {
    /// The daemon has no core.
    case unneeded
    /// No slot is pinned to the daemon.
    case missing
    /// It belongs to no one.
    case free(Slot)
    /// Another session has it until it releases it.
    case awaited(Slot)
    case own(Slot)

    /// `nil` if no slot is pinned to the daemon.
    public var slot: Slot? {
      switch self {
      case .unneeded, .missing: nil
      case .free(let slot), .awaited(let slot), .own(let slot): slot
      }
    }
  }

  /// All sessions and slots in the database, at one moment.
  public struct View: Hashable, Sendable {
    /// The sessions that have not expired, by number.
    public var living: [SessionMachine.ID]
    /// Sessions that have expired, by the database's clock.
    public var expired: [SessionMachine.ID]
    /// Slots that belong to the session that asks, in order.
    public var own: [Slot]
    /// How many slots belong to no one.
    public var free: Int
    /// How many slots there are.
    public var total: Int
    /// Sessions that should have no slots, while there are others.
    public var draining: [SessionMachine.ID]
    /// Slots that are pinned to other daemons, and belong to the session that asks. None of those above is pinned.
    public var misplaced: [Slot]
    /// The slot for the chat core of the daemon that asks.
    public var core: CoreSlot

    public init(
      living: [SessionMachine.ID], expired: [SessionMachine.ID], own: [Slot], free: Int, total: Int,
      draining: [SessionMachine.ID] = [], misplaced: [Slot] = [], core: CoreSlot = .unneeded
    ) {
      self.draining = draining
      self.misplaced = misplaced
      self.core = core
      self.living = living
      self.expired = expired
      self.own = own
      self.free = free
      self.total = total
    }
  }

  public enum Step: Hashable, Sendable {
    /// End the connections of sessions that have expired, remove them, and set their slots free. A session that was just renewed is
    /// skipped.
    case takeOver([SessionMachine.ID])
    /// Claim so many free slots that are not pinned.
    case claim(Int)
    /// Pin a slot to the daemon, for its chat core.
    case pin
    /// Claim the slot that is pinned to the daemon.
    case claimPinned
    /// Release these slots: first stop acting on them, and then write that to the database.
    case release([Slot])
  }

  private let policy: Policy
  /// The sessions of the last view, and since when they are the same.
  private var living: [SessionMachine.ID] = []
  private var since: SessionMachine.Moment = .zero
  /// Since when sessions are seen expired.
  private var expired: [SessionMachine.ID: SessionMachine.Moment] = [:]
  /// The sessions of the last takeover, if nothing else was done since.
  private var lastTakeover: [SessionMachine.ID]?
  /// Whether the last step was to claim the pinned slot.
  private var triedPinned = false

  public init(_ policy: Policy) { self.policy = policy }

  /// How many slots a session should have: the same for all, and one more for the first ones if the number does not divide evenly.
  /// - Parameter living: by number.
  public static func share(of session: SessionMachine.ID, among living: [SessionMachine.ID], total: Int) -> Int {
    guard let place = living.firstIndex(of: session) else { return 0 }
    return total / living.count + (place < total % living.count ? 1 : 0)
  }

  /// The next step of a session, from a view of the database.
  /// - Returns: `nil` if there is nothing to do.
  public mutating func next(for session: SessionMachine.ID, _ view: View, at now: SessionMachine.Moment) -> Step? {
    // The session that asks is alive. If it is not, it is fenced elsewhere.
    let all = Set(view.living).union([session]).sorted()
    if all != living { (living, since) = (all, now) }
    let others = view.expired.filter { $0 != session }
    expired = expired.filter { others.contains($0.key) }
    for other in others where expired[other] == nil { expired[other] = now }
    let due = others.filter { now - (expired[$0] ?? now) >= policy.grace }
    // A session that cannot be taken over delays nothing else.
    if !due.isEmpty, due != lastTakeover {
      lastTakeover = due
      return .takeOver(due)
    }
    lastTakeover = nil
    // Without its slot a daemon with a core does not begin, and before that it claims no other slots.
    if view.core == .missing { return .pin }
    if !view.misplaced.isEmpty { return .release(view.misplaced) }
    // A hanging daemon may hold it, and that delays nothing else.
    if case .free = view.core, !triedPinned {
      triedPinned = true
      return .claimPinned
    }
    triedPinned = false
    let sharing = all.filter { !view.draining.contains($0) }
    let surplus = view.own.count - Self.share(of: session, among: sharing.isEmpty ? all : sharing, total: view.total)
    // Free slots are claimed immediately. Slots that belong to a session move only after a calm time.
    if surplus < 0 { return view.free > 0 ? .claim(min(-surplus, view.free)) : nil }
    // A session that should have none need not wait.
    let isDraining = !sharing.isEmpty && !sharing.contains(session)
    guard surplus > 0, isDraining || now - since >= policy.calm else { return nil }
    return .release(Array(view.own.suffix(surplus)))
  }
}
