import Channels
import RelayNetwork
import TestSupport

/// The network as the engine sees it. Every word is checked against what is durable before it leaves.
final class SimNetwork: SeededNetwork {
  private let world: World

  init(_ world: World) { self.world = world }

  func perform(_ operation: RelayOperation) {
    guard world.speaks() else { return }
    world.note("  \(operation.task) \(operation.channel.rawValue)@\(operation.relay.rawValue) #\(operation.number)")
    world.holds { try $0.check(operation) }
    world.write { state in
      state.tally.operations += 1
      if state.elsewhere.lost.contains(operation.channel) {
        state.violation = state.violation ?? Violation("\(operation.task) of \(operation.channel), which is another daemon's")
      }
      do {
        try state.relays.begin(operation)
      } catch {
        state.violation = state.violation ?? error as? Violation
      }
    }
  }

  func cancel(_ channel: ChannelID, at relay: RelayID) {
    guard world.speaks() else { return }
    world.write { $0.relays.cancel(channel, at: relay) }
  }

  func watch(_ relays: [RelayID: String]) {
    guard world.speaks() else { return }
    world.write { state in
      let addresses = Dictionary(uniqueKeysWithValues: state.relays.watched.map { ($0.relay, $0.address) })
      state.relays.watched = relays.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      for (relay, address) in relays where addresses[relay] != address { state.relays.reported[relay] = nil }
    }
  }

  /// Editions that are dated from here on can have none after them.
  static let farAhead: Int64 = 1_000_000
  func revise(_ content: ChannelContent, as draft: ChannelDraft) throws(NetworkFailure) -> ChannelEdition {
    let number = content.edition + 1
    let latest = max(content.newestEdition?.signedAt ?? 0, draft.stray?.signedAt ?? 0)
    guard latest < Self.farAhead else { throw NetworkFailure("it is dated too far ahead") }
    return ChannelEdition(
      networkID: "edition \(number)", document: "\(draft.profile.displayName) on \(draft.relays)", signedAt: latest + 1)
  }
}
