import Channels
import Coordinator
import RelayNetwork
import ScriptedCore
import Storage
import Store
import TestSupport

// What must hold, seen from outside: the store and the core are compared without a word from the worker.
extension WorkerSimulation {
  /// What holds at any time: no channel is in the core twice, and what someone else made there is as it was.
  func check() throws {
    let (violation, own, strangers, all) = world.read { ($0.violation, $0.ownChannels, $0.strangers, $0.model.channelsSeen) }
    if let violation { throw violation }
    var known: [String: String] = [:]
    for channel in own {
      // A name may have been changed: 'Channel 7 renamed'.
      let order = channel.displayName.split(separator: " ").prefix(2).joined(separator: " ")
      if let other = known.updateValue(channel.name, forKey: order) {
        throw Violation("\(order) is in the core twice: as \(other) and as \(channel.name)")
      }
    }
    for stranger in strangers {
      guard let now = all.first(where: { $0.name == stranger.name }) else { throw Violation("\(stranger) is gone") }
      guard now.displayName == stranger.displayName, now.relays.map(\.address) == stranger.relays.map(\.address) else {
        throw Violation("\(stranger) was changed: \(now)")
      }
    }
  }

  /// What holds when nothing is left to do: the store says what the core has, and the core has nothing else of Baton's.
  func checkGoals() throws {
    let own = world.read { $0.ownChannels }
    var expected: Set<String> = []
    for number in 1...max(1, try store.counters().channel) {
      guard let stored = try store.channel(ChannelID(rawValue: number)) else { continue }
      try checkHistory(of: stored)
      let phase = try coordinator().snapshot(stored).phase
      if stored.row.deletedAt != nil {
        guard phase == .deleted else { throw Violation("\(stored.row.id) is \(phase) in the end: \(stored.relays)") }
        continue
      }
      guard phase == .active else { throw Violation("\(stored.row.id) is \(phase) in the end: \(stored.relays)") }
      expected.insert(stored.row.networkID)
      let found = own.filter { $0.name == stored.row.networkID }
      guard let channel = found.first, found.count == 1 else {
        throw Violation("\(stored.row.id) is \(stored.row.networkID), and the core has \(own)")
      }
      try compare(stored, channel)
    }
    for channel in own where !expected.contains(channel.name) {
      throw Violation("the core has \(channel), and no one knows it")
    }
  }

  private func compare(_ stored: StoredChannel, _ channel: CoreModel.Seen) throws {
    let words = "\(stored.row.id) and \(channel.name)"
    guard channel.user == 1, channel.displayName == stored.row.profile.displayName, channel.link == stored.row.trustAnchor
    else {
      throw Violation("\(words) differ: \(stored.row.profile.displayName), \(stored.row.trustAnchor), \(channel)")
    }
    let members = stored.relays.filter { $0.record.status != .removed }
    for row in members where row.record.status != .active || row.record.timer != nil {
      throw Violation("\(stored.row.id) on \(row.relay) is \(row.record) in the end")
    }
    let serving = Set(members.map { World.relays[Int($0.relay.rawValue) - 1] })
    guard Set(channel.relays.map(\.address)).count == channel.relays.count else {
      throw Violation("\(channel) has a relay twice")
    }
    for relay in channel.relays {
      // A relay that left by itself stays in the core's list until it is removed there; it serves no one.
      let isRight =
        serving.contains(relay.address) ? relay.status == "active" : ["inactive", "rejected"].contains(relay.status)
      guard isRight else { throw Violation("\(words) differ at \(relay)") }
    }
    guard serving.isSubset(of: Set(channel.relays.map(\.address))) else { throw Violation("\(words): relays are missing") }
  }

  /// The history of every relay ends where the relay is.
  private func checkHistory(of stored: StoredChannel) throws {
    let history = try store.transitions(of: stored.row.id, limit: 10_000)
    for row in stored.relays {
      let last = history.last { $0.relay == row.relay }?.transition.to
      guard last == row.record.status || last == nil && row.record.status == .new else {
        throw Violation(
          "\(stored.row.id) on \(row.relay) is \(row.record.status), its history ends in \(String(describing: last))")
      }
    }
  }
}
