import Channels
import RelayNetwork
import Storage
import Store
import TestSupport

@testable import Coordinator

// What happens without the daemon having asked for it.
extension Simulation {
  /// Someone else changes a channel in the store, as a second daemon would, and tells no one. The engine finds out once it writes the
  /// channel itself.
  func interfere() async throws {
    guard let engine, !isStorageBroken, engine.decider.doubt == nil else { return }
    let isWaiting = engine.flight != nil
    let living = livingChannels
    // What the commit that waits writes is a conflict for certain.
    let written = isWaiting ? (engine.decider.flight?.order ?? []).filter(living.contains) : []
    let some = written.isEmpty || chance(500) ? living : written
    guard let id = some.randomElement(using: &random), var row = try store.channel(id)?.row else { return }
    row.heal.toggle()
    row.updatedAt = now
    row.revision = PendingRevision.at(1)
    let request = CommitRequest([
      .touchChannel(row), .rewriteChannel(row),
      .appendChange(ChangeRow(revision: row.revision, at: now, object: .channel(id))),
    ])
    world.note("someone else sets heal=\(row.heal) for channel \(id.rawValue)\(isWaiting ? " while a commit waits" : "")")
    let receipt = try await storage.write(request)
    world.becameDurable(request.settled(by: receipt), bySomebodyElse: true)
    try check()
  }

  private var livingChannels: [ChannelID] {
    world.read { state in state.ledger.order.filter { state.ledger.channels[$0]?.row.deletedAt == nil } }
  }

  // MARK: - Names

  /// The network creates a channel, perhaps once more, and reports its name and its link there.
  func rename() {
    guard let id = livingChannels.randomElement(using: &random) else { return }
    let name = world.write { state in
      state.namesGiven += 1
      let name = Ledger.Name(networkID: "name \(state.namesGiven)", trustAnchor: "link \(state.namesGiven)")
      state.names[id] = name
      state.tellName(of: id)
      return name.networkID
    }
    world.note("the network calls channel \(id.rawValue) '\(name)'")
  }

  /// The network reports once more what was not stored when it was reported.
  func hearOfNames() {
    world.write { state in
      for id in state.ledger.order where !state.ledger.mayRename(id) {
        guard let name = state.names[id], let row = state.ledger.channels[id]?.row, Ledger.Name(row) != name else { continue }
        state.tellName(of: id)
      }
    }
  }

  // MARK: - Losses

  /// A relay loses a channel, and the network reports it.
  func loseChannel() {
    let copies = world.read { state in
      state.ledger.order.flatMap { id in
        (state.ledger.channels[id]?.relays ?? []).map(\.relay).filter { relay in
          state.ledger.catalog[relay].map { state.relays.has(SimRelays.Place(id, at: $0.address)) } ?? false
        }.map { Ledger.Pair(channel: id, relay: $0) }
      }
    }
    guard let copy = copies.randomElement(using: &random) else { return }
    let trouble =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: Trouble(.missing, "the relay does not have the channel any more")
      case 1: Trouble(.left, "the relay left the channel")
      default: Trouble(.rejected, "the relay refuses the channel by now")
      }
    world.note("\(copy.channel.rawValue)@\(copy.relay.rawValue) is lost: \(trouble.cause)")
    world.write { state in
      guard let address = state.ledger.catalog[copy.relay]?.address else { return }
      state.relays.lose(SimRelays.Place(copy.channel, at: address))
      state.tally.losses += 1
      if state.isAlive { state.inbox.append(.report(.lost(channel: copy.channel, relay: copy.relay, trouble))) }
    }
  }
}
