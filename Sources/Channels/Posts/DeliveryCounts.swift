/// Counts of a post's deliveries. Only this type derives a phase from them.
public struct DeliveryCounts: Hashable, Sendable {
  public let isDeletionRequested: Bool
  /// All deliveries, as the 4 in "on 3 of 4 relays".
  public private(set) var total = 0
  /// Deliveries where a reader found the post, in any edition, and has not missed it since: the 3 in "on 3 of 4 relays".
  public private(set) var shown = 0
  private var counts: [DeliveryStatus: Int] = [:]

  public init(isDeletionRequested: Bool) { self.isDeletionRequested = isDeletionRequested }

  /// Counts one delivery.
  /// - Parameter shown: the edition that a reader last found at the relay, or 0 for none.
  public mutating func add(_ status: DeliveryStatus, shown: Int) {
    total += 1
    if shown > 0 { self.shown += 1 }
    counts[status, default: 0] += 1
  }

  /// The number of deliveries with this status.
  public subscript(_ status: DeliveryStatus) -> Int { counts[status] ?? 0 }

  /// The phase of a published post. Deletion comes first, then the result of reading back, then work under way. A post without deliveries
  /// is `pending`.
  public var phase: PostPhase {
    if isDeletionRequested {
      let remaining = self[.stillServed] + self[.unsupported]
      // Deliveries of any other status have not asked for the deletion yet, or wait for the relay.
      guard self[.deleted] + self[.skipped] + remaining == total else { return .deleting }
      return remaining > 0 ? .stillServed : .deleted
    }
    let isComplete = self[.verified] + self[.skipped] == total
    if self[.verified] > 0, isComplete { return .published }
    if total > 0, isComplete { return .skipped }
    if shown > 0 { return .partial }
    return self[.failed] + self[.skipped] < total || total == 0 ? .pending : .failed
  }
}
