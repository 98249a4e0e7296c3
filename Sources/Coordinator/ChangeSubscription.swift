/// A subscription to changes: a position and a selection. It exists until it is cancelled.
public struct ChangeSubscription: Sendable {
  let id: Int
  /// The revision up to which the subscriber must read from the store. Later changes come from here.
  public let revision: Int64
  private let hub: ChangeHub

  init(id: Int, revision: Int64, hub: ChangeHub) {
    self.id = id
    self.revision = revision
    self.hub = hub
  }

  /// The next change, or the reason why there is none. Only one caller may use it at a time.
  public func take() -> ChangeHub.Taken { hub.take(id) }

  /// Returns when `take` has a result other than `nothing`. When the task is cancelled, the subscription is over.
  public func wait() async { await hub.wait(id) }

  /// Restricts the subscription to these, including changes that were not read yet.
  public func select(_ selection: ChangeSelection) { hub.select(selection, for: id) }

  /// Continues with future changes, whether or not earlier ones were missed.
  public func rejoin() { hub.rejoin(id) }

  /// Ends the subscription.
  public func cancel() { hub.unsubscribe(id) }

  /// The message about a change. It is made for the first subscriber that requests it, and used for all.
  /// - Throws: the errors of `encode`.
  public func message(of entry: ChangeEntry, by encode: (Change) throws -> [UInt8]) throws -> [UInt8] {
    try hub.message(of: entry, by: encode)
  }

  /// The changes one by one, for subscribers inside the process. It ends with the subscription, and at missed changes.
  public var changes: AsyncStream<Change> {
    AsyncStream {
      while true {
        switch take() {
        case .change(let entry): return entry.change
        case .nothing: await wait()
        case .missed, .tooSlow, .over: return nil
        }
      }
    }
  }

  /// Returns the changes that are available without waiting, and whether changes were missed after them.
  func drain() -> (changes: [Change], hasMissed: Bool) {
    var changes: [Change] = []
    while true {
      switch take() {
      case .change(let entry): changes.append(entry.change)
      case .nothing, .over: return (changes, false)
      case .missed, .tooSlow: return (changes, true)
      }
    }
  }
}
