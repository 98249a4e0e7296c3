public import Cluster
internal import Synchronization

/// Whether a daemon may act outside of the database at this very moment. It is asked before each act, and the answer needs no other thread.
public final class SessionTrust: Sendable {
  private let state = Mutex<(session: SessionMachine.ID, until: ContinuousClock.Instant)?>(nil)

  public init() {}

  /// The session, as long as no one else can have its slots. Otherwise `nil`.
  public var session: SessionMachine.ID? {
    let now = ContinuousClock.now
    return state.withLock { $0.flatMap { now < $0.until ? $0.session : nil } }
  }

  func set(_ session: SessionMachine.ID?, until end: ContinuousClock.Instant) {
    state.withLock { $0 = session.map { ($0, end) } }
  }
}
