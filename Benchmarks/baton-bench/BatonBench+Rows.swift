import Channels
import Foundation
import Storage
import Store
import StrictJSON

// Rows as the daemon would have stored them, for those parts that need more than can be made by asking for it.
extension BatonBench {
  static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

  /// Three relays that are far away, so that no one is asked for anything while it is measured.
  static func addFarRelays(to store: Store) async throws {
    for id in Int64(1)...3 {
      try await store.commit([
        .saveRelay(
          RelayRow(id: RelayID(rawValue: id), network: .nostr, address: "ws://127.0.0.1:\(id)", name: "r\(id)", revision: id))
      ])
    }
  }

  /// A channel on these relays, for which nothing is left to do.
  /// - Parameter hasFailed: whether the third relay refused it.
  static func settledChannel(
    _ number: Int, of identity: IdentityID, at now: Timestamp, hasFailed: Bool = false
  ) -> [StoreMutation] {
    let id = ChannelID(rawValue: Int64(number))
    let time = now + .milliseconds(Int64(number))
    let row = ChannelRow(
      id: id, kind: .channel, network: .nostr, identity: identity,
      profile: Profile(displayName: "Channel \(number)", description: "what it is about"),
      preferences: ["history": "on"],
      networkID: String(repeating: "a", count: 56) + String(number % 90_000_000 + 10_000_000),
      trustAnchor: String(repeating: "b", count: 64),
      document: "{\"kind\":40,\"content\":\"as long as such a thing is\"}", namedRelays: [], wantedRelays: 3, heal: true,
      custom: ["team": .string("t\(number % 100)"), "project": .string("p\(number % 100)")], idempotencyKey: nil,
      createdAt: time, updatedAt: time, revision: Int64(number))
    let relays = (1...3).map { relay in
      StoreMutation.saveChannelRelay(
        id, position: relay,
        ChannelRelayRow(
          relay: RelayID(rawValue: Int64(relay)),
          record: settledRelay(relay == 3 && hasFailed ? .failed : .active, at: now)))
    }
    return [.insertChannel(row)] + relays
  }

  private static func settledRelay(_ status: RelayStatus, at now: Timestamp) -> ChannelRelayRecord {
    ChannelRelayRecord(
      status: status, since: now, operation: 2, relayLink: "ws://127.0.0.1:1",
      trouble: status == .failed ? Trouble(.rejected, "blocked: no") : nil, task: nil, attempt: 0, startedAt: nil,
      isUnderWay: false, timer: nil, verifyDue: status == .active ? now + .seconds(86_400) : nil, shown: 1)
  }
}
