import Testing

@testable import Channels

/// What all deliveries of a post mean together.
struct DeliveryCountsTests {
  private static func counts(_ deliveries: [(DeliveryStatus, Int)], isDeleted: Bool = false) -> DeliveryCounts {
    var counts = DeliveryCounts(isDeletionRequested: isDeleted)
    for (status, shown) in deliveries { counts.add(status, shown: shown) }
    return counts
  }

  @Test func phaseFollowsFromTheStatuses() {
    let cases: [([(DeliveryStatus, Int)], PostPhase)] = [
      ([], .pending),
      ([(.pending, 0), (.sent, 0)], .pending),
      ([(.accepted, 0), (.failed, 0)], .pending),
      ([(.verified, 1), (.failed, 0)], .partial),
      ([(.verified, 1), (.pending, 0), (.skipped, 0)], .partial),
      ([(.pending, 1), (.sent, 1)], .partial),
      ([(.verified, 1), (.verified, 1)], .published),
      ([(.verified, 2), (.skipped, 0)], .published),
      ([(.failed, 0), (.failed, 0)], .failed),
      ([(.failed, 0), (.skipped, 0)], .failed),
      ([(.skipped, 0), (.skipped, 0)], .skipped),
    ]
    for (deliveries, phase) in cases { #expect(Self.counts(deliveries).phase == phase, "\(deliveries)") }
  }

  @Test func phaseOfADeletedPostSaysWhetherItIsGone() {
    let cases: [([(DeliveryStatus, Int)], PostPhase)] = [
      ([], .deleted),
      ([(.deleted, 0), (.skipped, 0)], .deleted),
      ([(.skipped, 0)], .deleted),
      ([(.deleting, 1), (.stillServed, 1)], .deleting),
      ([(.deleted, 0), (.verified, 1)], .deleting),
      ([(.sent, 0), (.unsupported, 1)], .deleting),
      ([(.deleted, 0), (.stillServed, 1)], .stillServed),
      ([(.deleted, 0), (.unsupported, 1)], .stillServed),
    ]
    for (deliveries, phase) in cases { #expect(Self.counts(deliveries, isDeleted: true).phase == phase, "\(deliveries)") }
  }

  @Test func countsSayOnHowManyRelaysReadersFindThePost() {
    let counts = Self.counts([(.verified, 1), (.verified, 1), (.pending, 1), (.failed, 0)])
    #expect(counts.shown == 3 && counts.total == 4)
    #expect(counts[.verified] == 2 && counts[.failed] == 1 && counts[.deleted] == 0)
  }

  /// Whatever the statuses are, there is a word for them.
  @Test func everyPairOfStatusesHasAPhase() {
    var phases: Set<PostPhase> = []
    for first in DeliveryStatus.allCases {
      for second in DeliveryStatus.allCases {
        for isDeleted in [false, true] {
          let shown = first == .verified ? 1 : 0
          phases.insert(Self.counts([(first, shown), (second, second == .verified ? 1 : 0)], isDeleted: isDeleted).phase)
        }
      }
    }
    // These are of posts that have no deliveries yet.
    #expect(phases == Set(PostPhase.allCases).subtracting([.draft, .scheduled, .expired]))
  }
}
