import Channels
import Storage
import Store
import TestSupport
import Testing

/// The history of the health of relays and servers, as it is stored.
struct HealthStoreTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static func line(_ revision: Int64, _ peer: Probed, _ cause: Cause? = nil) -> HealthRow {
    HealthRow(
      revision: revision, peer: peer, from: cause == nil ? .down : .up, to: cause == nil ? .up : .down, cause: cause,
      detail: cause == nil ? "" : "words", at: Timestamp(milliseconds: revision))
  }

  /// The latest lines of each stay, however many there are of others.
  @Test func onlyTheLatestOfEachAreKept() async throws {
    let store = try Store(directory: folder.path + "/state")
    let (relay, other, server) = (
      Probed.relay(.init(rawValue: 1)), Probed.relay(.init(rawValue: 2)), Probed.server(.init(rawValue: 1))
    )
    try await store.commit([.appendHealth(Self.line(1, other, .timeout)), .appendHealth(Self.line(2, server, .untrusted))])
    let count = Int64(HealthRow.keptMax) + 5
    for number in 1...count { try await store.commit([.appendHealth(Self.line(10 + number, relay))]) }
    let kept = try store.health(of: [relay], before: .max, limit: 10_000).rows
    #expect(kept.map(\.revision) == ((11 + 5)...(10 + count)).reversed())
    #expect(
      try store.health(of: [other, server], before: .max, limit: 10).rows == [
        Self.line(2, server, .untrusted), Self.line(1, other, .timeout),
      ])
    #expect(
      try store.health(of: nil, before: 12 + 5, limit: 2).rows == [Self.line(16, relay), Self.line(2, server, .untrusted)])
    #expect(try store.health(of: [], before: .max, limit: 10).rows.isEmpty)
    store.close()
  }
}
