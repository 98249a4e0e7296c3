import Channels
import Coordinator
import RelayNetwork
import ScriptedCore
import Storage
import StrictJSON
import TestSupport

@testable import SimpleX

// Whatever happens while the worker waits: people ask the daemon, someone else uses the core, relays misbehave, time passes.
extension World {
  private static let user = "/_user 1"
  private static let newUser = #"/_create user {"profile":{"displayName":"other","fullName":""},"pastTimestamp":false}"#
  private static let behaviours: [RelayBehaviour] = [
    .good, .good, .slow(steps: 3, .good), .silent, .deadLink, .unreachable, .failsToJoin, .failsLater, .rejects, .rejectsRoster,
    .wrongEntity, .leaves, .losesLink, .breaks,
  ]

  /// A moment at which the worker waits. Now and then the daemon does not get on with what it heard.
  func meanwhile() async {
    let hasFaults = read { $0.hasFaults }
    if hasFaults, chance(25) { return }
    await calm()
    guard hasFaults, chance(plan.bustle) else { return }
    await happen()
    await calm()
  }

  /// Something happens.
  func happen() async {
    switch draw(0...99) {
    case 0..<30: await request()
    case 30..<40: pass(until: clock.now + .milliseconds(draw(10...20_000)))
    case 40..<58: if let next = nextDue { pass(until: next) }
    case 58..<68: coreGoesOn()
    case 68..<78: if chance(85) { answerTest() } else { loseTest() }
    case 78..<83: if read({ $0.isUp }), chance(30) { breakConnection() } else { connect() }
    case 83..<87: if plan.hasBadRelays { changeRelay() }
    case 87..<90: if plan.hasOtherUsers { changeUser() }
    case 90..<93: if plan.hasLosses { loseSomething() }
    case 93..<95: if plan.hasStrangers { makeStranger() }
    case 95..<98: if plan.hasStorageFaults { breakStorage() }
    default: if chance(50) { restartCore() }
    }
  }

  private func coreGoesOn() {
    let steps = draw(1...4)
    write { state in
      for _ in 0..<steps { state.model.step() }
      state.hear()
    }
  }

  /// The first relay is always good: one channel always shows which core is the right one.
  private func changeRelay() {
    guard let relay = pick(Array(Self.relays.dropFirst())), let behaviour = pick(Self.behaviours) else { return }
    note("\(relay.prefix(16)) is \(behaviour)")
    write { $0.model.behaviours[relay] = behaviour }
  }

  private func changeUser() {
    write { state in
      guard !state.hasUserChanged else { return }
      state.hasUserChanged = true
      let isOwn = state.model.activeUserID == 1
      guard isOwn else { return _ = state.model.execute(Self.user) }
      if state.model.execute("/_user 2")["type"] == "chatCmdError" { _ = state.model.execute(Self.newUser) }
    }
    note("active is user \(read { $0.model.activeUserID ?? 0 })")
  }

  private func loseSomething() {
    let own = read { $0.ownChannels.filter { !$0.displayName.hasPrefix("Anchor") } }
    guard let channel = pick(own) else { return }
    let isRelay = chance(50)
    note("the core loses something of \(channel.name)")
    write { state in
      if isRelay, let relay = channel.relays.last {
        if channel.id % 2 == 0 {
          state.model.leave(channel: channel.id, relayAddress: relay.address)
        } else {
          state.model.loseLink(channel: channel.id, relayAddress: relay.address)
        }
      } else {
        state.model.lose(channel: channel.id)
      }
      state.hear()
    }
  }

  /// Someone makes a channel in the core, perhaps under a number that was another's.
  private func makeStranger() {
    write { state in
      let known = Set(state.model.channelsSeen.map(\.name))
      let user = state.model.activeUserID ?? 1
      let name = "Stranger \(state.strangers.count)"
      _ = state.model.execute(#"/_public group \#(user) 1 {"displayName":"\#(name)","fullName":""}"#)
      // It is there to stay, so that no one can have touched it but Baton.
      state.model.settle()
      state.strangers += state.model.channelsSeen.filter { !known.contains($0.name) }
      state.hear()
    }
    note("someone makes a channel")
  }

  private func breakStorage() {
    let (isBroken, isUnreadable) = (chance(30), chance(30))
    note("storage fails: \(isBroken), cannot be read: \(isUnreadable)")
    storage.isBroken = isBroken
    write { $0.isStoreUnreadable = isUnreadable }
  }

  /// From now on everyone does what they should. Commands that are on their way arrive.
  func makePeace() {
    note("faults stop")
    storage.isBroken = false
    pass(until: clock.now + .seconds(81))
    write { state in
      (state.hasFaults, state.isStoreUnreadable) = (false, false)
      state.model.behaviours = [:]
      _ = state.model.execute(Self.user)
    }
  }

  // MARK: - Requests

  /// Someone asks the daemon for something; what is refused is of no interest.
  private func request() async {
    guard let coordinator = read({ $0.coordinator }) else { return }
    // The first channel is left alone.
    let channels = (try? await storage.counters())?.channel ?? 1
    guard channels > 1, !chance(30) else { return await order(coordinator) }
    let channel = ChannelID(rawValue: Int64(draw(2...Int(channels))))
    let relay = RelayID(rawValue: Int64(draw(1...Self.relays.count)))
    let kind = draw(0...99)
    note("request \(kind) about \(channel.rawValue) and \(relay.rawValue)")
    switch kind {
    case 0..<22: _ = try? await coordinator.addRelays([relay], to: channel)
    case 22..<44: _ = try? await coordinator.removeRelay(relay, from: channel)
    case 44..<56: _ = try? await coordinator.delete(channel)
    case 56..<68: await rename(channel, coordinator)
    case 68..<88: _ = try? await coordinator.retry(channel, relay: chance(50) ? relay : nil)
    default: _ = try? await coordinator.verify(channel)
    }
  }

  private func order(_ coordinator: Coordinator) async {
    let number = write { state -> Int? in
      guard state.orders < plan.channelsMax else { return nil }
      state.orders += 1
      return state.orders
    }
    guard let number else { return }
    let relays = (1...Self.relays.count).filter { _ in chance(50) }.map { RelayID(rawValue: Int64($0)) }
    guard !relays.isEmpty else { return }
    note("order \(number) on \(relays.map(\.rawValue))")
    await make("Channel \(number)", on: relays, coordinator)
  }

  func make(_ name: String, on relays: [RelayID], _ coordinator: Coordinator) async {
    let profile = Profile(displayName: name, description: chance(50) ? "What is new" : nil)
    _ = try? await coordinator.create(ChannelRequest(profile: profile, relays: relays, heal: false))
  }

  /// Once for each channel: a core is asked for a channel by its first profile and its latest, not by those in between.
  private func rename(_ channel: ChannelID, _ coordinator: Coordinator) async {
    guard write({ $0.renamed.insert(channel).inserted }) else { return }
    guard let name = try? await storage.channel(channel)?.row.profile.displayName else { return }
    _ = try? await coordinator.update(channel, ChannelEdit(displayName: "\(name) renamed"))
  }
}

extension World.State {
  /// The channels in the core that Baton made.
  var ownChannels: [CoreModel.Seen] {
    let foreign = Set(strangers.map(\.name))
    return model.channelsSeen.filter { !foreign.contains($0.name) }
  }
}
