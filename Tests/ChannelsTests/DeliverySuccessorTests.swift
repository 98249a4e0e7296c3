import Testing

@testable import Channels

/// The successors of each status, as the comment of `DeliveryMachine` lists them. `DeliveryEnumerationTests` holds them to the machine, so
/// what they lack does not happen, and what they have does.
struct DeliverySuccessorTests {
  static let successors: [DeliveryStatus: Set<DeliveryStatus>] = [
    .pending: [.pending, .sent, .accepted, .verified, .failed, .skipped, .deleting],
    .sent: [.sent, .pending, .accepted, .verified, .failed, .skipped, .deleting],
    .accepted: [.accepted, .pending, .verified, .failed, .skipped, .deleting],
    .verified: [.pending, .sent, .deleting],
    .failed: [.failed, .pending, .sent, .accepted, .verified, .skipped, .deleting],
    .skipped: [.skipped, .pending, .sent, .deleting],
    .deleting: [.deleting, .deleted, .stillServed, .unsupported],
    .deleted: [.deleting],
    .stillServed: [.stillServed, .deleted, .unsupported],
    .unsupported: [.deleting, .deleted],
  ]

  @Test func nothingLeadsFromADeletionBackToPublishing() {
    var reached: Set<DeliveryStatus> = [.deleting]
    var frontier = reached
    while let status = frontier.popFirst() {
      for next in Self.successors[status] ?? [] where reached.insert(next).inserted { frontier.insert(next) }
    }
    #expect(reached == [.deleting, .deleted, .stillServed, .unsupported])
  }

  @Test func everyStatusHasSuccessors() {
    for status in DeliveryStatus.allCases { #expect(Self.successors[status]?.isEmpty == false, "\(status)") }
  }
}
