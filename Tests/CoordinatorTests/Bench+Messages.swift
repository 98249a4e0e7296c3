import Channels
import RelayNetwork
import Storage
import TestSupport

@testable import Coordinator

extension Bench {
  /// Lets everything happen that needs no clock, as far as storage works.
  func settleMessages() async throws {
    for _ in 0..<4 {
      while clock.isWaking { await Task.yield() }
      try? await coordinator.barrier()
      try? await coordinator.postBarrier()
      try? await coordinator.messageBarrier()
    }
  }

  /// Waits until `isDone`, without moving the clock.
  func waitForMessages(until isDone: () throws -> Bool) async throws {
    for _ in 0..<10_000 {
      try await settleMessages()
      if try isDone() { return }
      await Task.yield()
    }
    throw StoreError(.inputOutput, "it does not happen")
  }

  /// Moves the clock from timer to timer until `isDone`.
  func moveMessages(atMost max: Int = 200, until isDone: () throws -> Bool) async throws {
    try await move(atMost: max, settling: settleMessages, until: isDone)
  }

  /// A channel on relays at `ws://r1`, `ws://r2` and so on that is active and followed.
  func followedChannel(on count: Int = 1) async throws -> (channel: ChannelID, relays: [RelayID]) {
    let relays = try await addRelays(count)
    let id = try await create(relays: relays).row.id
    _ = try await channel(id) { $0.phase == .active }
    try await waitForMessages { network.following.followed[id] != nil }
    return (id, relays)
  }

  /// The addresses of the relays from which a channel is read.
  func readFrom(_ channel: ChannelID) -> [String]? { network.following.followed[channel].map { $0.relays.values.sorted() } }

  func count(_ event: JournalEvent) -> Int { log.entries.count { $0.fields["MESSAGE_ID"] == event.rawValue } }
}
