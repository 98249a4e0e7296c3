import Channels
import RelayNetwork
import Storage
import TestSupport

@testable import Coordinator

/// A channel that someone ordered, perhaps more than once.
struct Order {
  let number: Int
  let key: String?
  /// Those that are named; where relays are picked, as many.
  let relays: [RelayID]
  let isPicked: Bool
  let heals: Bool
  /// What the first answer said.
  var channel: ChannelID?

  var document: String { "order \(number)" }
}

// What people ask for.
extension Simulation {
  /// Any request.
  func request() {
    guard let engine, world.read({ $0.isAlive }) else { return }
    let known = world.read { $0.ledger.order }
    let unknown = ChannelID(rawValue: 99)
    let channel = known.randomElement(using: &random) ?? unknown
    let relays = engine.directory.relays.keys.sorted()
    guard let relay = relays.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30: order()
    case 30..<32: followOthers(or: channel)
    case 32..<42: ask(.update(channel, ChannelEdit(displayName: "Name \(requests)"), world.reply(requests)))
    case 42..<55: ask(.retry(channel, Bool.random(using: &random) ? relay : nil, world.reply(requests)))
    case 55..<65: ask(.verify(channel, world.reply(requests)))
    case 65..<71: ask(.joinRelays(channel, [relay], pick: chance(300) ? 1 : 0, world.reply(requests)))
    case 71..<73: askToHeal(channel, chance(500))
    case 73..<81: ask(.leaveRelay(channel, relay, world.reply(requests)))
    case 81..<87: ask(.delete(channel, world.reply(requests)))
    case 87..<92: test(relay)
    default: if plan.hasCatalogChanges { changeCatalog(relay) }
    }
  }

  func ask(_ input: Engine.Input) {
    requests += 1
    world.post(input)
  }

  private func askToHeal(_ channel: ChannelID, _ heals: Bool) {
    world.write { $0.ledger.mayHeal(channel, heals) }
    ask(.update(channel, ChannelEdit(heal: heals), world.reply(requests)))
  }

  /// A channel is asked for, sometimes again.
  func order() {
    guard let relays = engine?.directory.relays.keys.sorted(), world.read({ $0.isAlive }) else { return }
    if let again = orders.filter({ $0.key != nil }).randomElement(using: &random), chance(300) { return place(again) }
    guard orders.count < plan.channelsMax else {
      // Someone who got no answer asks again, with the key of the first time.
      if let again = orders.filter({ $0.key != nil }).randomElement(using: &random) { place(again) }
      return
    }
    let chosen = Array(relays.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
    let number = orders.count + 1
    let order = Order(
      number: number, key: chance(600) ? "key \(number)" : nil, relays: chosen, isPicked: chance(300), heals: chance(700))
    orders.append(order)
    place(order)
    if chance(200), order.key != nil { place(order) }
  }

  private func place(_ order: Order) {
    guard let directory = engine?.directory else { return }
    let profile = Profile(displayName: "Channel")
    let request = ChannelRequest(
      profile: profile, relays: order.isPicked ? nil : order.relays, pick: order.isPicked ? order.relays.count : nil,
      heal: order.heals, idempotencyKey: order.key)
    // As the coordinator does: relays are chosen before the engine hears of it, and count until the answer. What is picked anew for each
    // try may have been disabled by then.
    guard let relays = try? directory.choose(for: request, on: .nostr, at: now) else { return }
    // Each time it is asked for, the network makes and signs new content.
    let content = ChannelContent(
      identity: IdentityID(rawValue: 1), networkID: "event \(requests)", trustAnchor: "key", document: order.document)
    answering[requests] = order.number
    let reply = world.reply(requests)
    ask(
      .create(
        NewChannel(
          request: request, profile: profile, network: .nostr, relays: relays, isPicked: order.isPicked, content: content),
        Reply { result in
          directory.release(relays)
          reply.send(result)
        }))
  }

  /// Someone follows one of a few channels of others, perhaps once more, or leaves one.
  private func followOthers(or channel: ChannelID) {
    guard let relays = engine?.directory.relays.keys.sorted() else { return }
    guard chance(600) else { return ask(.unfollow(channel, world.reply(requests))) }
    let profile = Profile(displayName: "Others")
    // Each time it is looked at, it may be another edition.
    let content = ChannelContent(
      identity: IdentityID(rawValue: 1), networkID: "foreign \(Int.random(in: 1...3, using: &random))", trustAnchor: "theirs",
      document: "foreign \(requests)")
    let chosen = Array(relays.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
    let request = ChannelRequest(profile: profile, heal: false)
    ask(
      .create(
        NewChannel(
          request: request, profile: profile, network: .nostr, relays: chosen, isPicked: false, content: content, isOwned: false
        ),
        world.reply(requests)))
  }

  private func test(_ relay: RelayID) {
    guard let address = engine?.directory.relays[relay]?.address else { return }
    let failure = chance(500) ? Trouble(.unreachable, "refused") : nil
    let verdict = ProbeVerdict([ProbeStep(name: "connect", duration: .milliseconds(3), failure: failure)], isFull: chance(500))
    ask(.tested(.relay(relay), address: address, verdict, world.plainReply(requests)))
  }

  private func changeCatalog(_ relay: RelayID) {
    guard let row = engine?.directory.relays[relay] else { return }
    let change: CatalogChange
    switch Int.random(in: 0..<6, using: &random) {
    case 0..<3: change = .updateRelay(relay, revision: row.revision, nil, RelayEdit(isEnabled: !row.isEnabled))
    case 3: change = .removeRelay(relay)
    case 4: change = .updateRelay(relay, revision: row.revision, address("ws://moved\(requests)"), RelayEdit())
    default: change = .addRelay(.nostr, address(row.isDeleted ? row.address : "ws://new\(requests)"), RelayEdit())
    }
    ask(.change(change, force: chance(500), world.plainReply(requests)))
  }

  private func address(_ text: String) -> RelayAddress { RelayAddress(text: text, displayHost: String(text.dropFirst(5))) }

  // MARK: - Answers

  static func isRequest(_ input: Engine.Input) -> Bool {
    switch input {
    case .create, .retry, .verify, .delete, .unfollow, .joinRelays, .leaveRelay, .update, .change, .barrier, .heartbeat, .adopt,
      .addIdentity, .removeIdentity, .lost:
      true
    case .tested(_, _, _, let reply): reply != nil
    case .report, .timersDue, .sweep, .verifyChannels, .lookForNeighbour, .forgetHistory, .takeUp, .gained, .gainedBefore,
      .catalogRead, .resumed, .alarm, .recover:
      false
    }
  }

  /// Looks at the answers of one step.
  /// - Parameter isResting: whether all that was decided is durable, or known not to be.
  func heedAnswers(_ isResting: Bool) throws {
    let (answers, isAlive, ledger, unanswered) = world.write { state in
      state.unanswered -= state.answers.count
      return (state.answers, state.isAlive, state.ledger, state.unanswered)
    }
    if isAlive, unanswered < 0 || isResting && unanswered != 0 {
      throw Violation("\(unanswered) requests are not answered, and nothing waits")
    }
    for answer in answers {
      if case .noSuchChannel(let id)? = answer.error, let known = ledger.channels[id], known.row.deletedAt == nil {
        throw Violation("a client is told that there is no \(id), and there is")
      }
      guard let number = answering[answer.number], let channel = answer.channel else { continue }
      guard ledger.channels[channel]?.row.document == orders[number - 1].document else {
        throw Violation("order \(number) was answered with another channel")
      }
      guard orders[number - 1].channel ?? channel == channel else {
        throw Violation("order \(number) was answered with two channels")
      }
      orders[number - 1].channel = channel
    }
  }
}
