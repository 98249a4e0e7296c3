import Channels
import RelayNetwork
import Testing

@testable import SimpleX

/// The main flow with a real core, for people who have one: `make test-simplex CORE=/path/to/simplex-chat RELAYS="address address"`.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(if: RealCore.program != nil, "make test-simplex CORE=/path/to/simplex-chat tries a real core"))
struct RealCoreTests {
  @Test func coreStartsSaysWhoItIsAndEnds() async throws {
    let core = try RealCore()
    let reports = CoreReports()
    let client = Task { await core.client.run { reports.take($0) } }
    do {
      let groups = try await core.whileItRuns {
        let index = await reports.first { if case .up = $0 { true } else { false } }
        guard case .up(let version, let user) = reports.all[index] else { return [CoreServerGroup]() }
        #expect(version.isAtLeast(7), "Baton knows cores from version 7.0 on, this is \(version)")
        let id = try #require(user).id
        #expect(user?.displayName == RealCore.userName && user?.isActive == true && user?.isChatRelay == false)
        core.client.submit(CoreRequestID(rawValue: 1), .servers(id))
        guard case .servers(id, let groups) = try await reports.answer(to: 1).get() else { return [] }
        core.client.submit(CoreRequestID(rawValue: 2), .validateServers(id, groups))
        let validation = try await reports.answer(to: 2).get()
        guard case .validation(let validation) = validation else {
          Issue.record("the core does not validate its own servers: \(validation)")
          return groups
        }
        #expect(validation.errors.isEmpty, "what the core lists goes back as it came")
        return groups
      }
      let presets = groups.compactMap(PresetOperator.init)
      #expect(presets.contains { !$0.servers.isEmpty } && presets.contains { !$0.relays.isEmpty })
      let listed = groups.filter { $0.operator != nil }.flatMap { $0.messageServers + $0.fileServers }.filter(\.isPreset)
      #expect(presets.flatMap(\.servers).count == listed.count, "every address can be read")
    } catch {
      Issue.record("\(error)")
    }
    client.cancel()
    await client.value
    await core.stop()
    #expect(core.log.all.last == "notice: the chat core has ended")
    #expect(!core.log.all.contains { $0.contains("/_") || $0.contains("received command") })
  }

  @Test(.enabled(if: !RealCore.relays.isEmpty, "RELAYS=\"address address\" makes a channel too"))
  func channelIsMadeReadBackAndDeleted() async throws {
    let core = try RealCore()
    let (begin, reports) = (ContinuousClock.now, NetworkReports())
    let network = SimpleXNetwork(
      client: core.client, lanes: core.lanes, logger: core.log.logger,
      now: {
        // Later than anything that the core had before.
        Timestamp(milliseconds: (ContinuousClock.now - begin).wholeMilliseconds)
      }, known: { _ in nil }, served: { _, _ in [] })
    let running = Task { await network.run { reports.take($0) } }
    do {
      try await core.whileItRuns {
        let state = await reports.first { if case .state(_, .works) = $0 { true } else { false } }
        #expect("\(state)".contains("its user is '\(RealCore.userName)'"))
        try await makeChannel(on: RealCore.relays, network, reports)
      }
    } catch {
      Issue.record("\(error)")
    }
    running.cancel()
    await running.value
    await core.stop()
  }

  private func makeChannel(on addresses: [String], _ network: SimpleXNetwork, _ reports: NetworkReports) async throws {
    let main = IdentityID(rawValue: 1)
    let relays = try addresses.map { try network.parse(address: $0) }
    for relay in relays {
      for await step in network.test(address: relay, identity: main, depth: .full) {
        #expect(step.failure == nil, "\(relay.text) at \(step.name): \(step.failure?.detail ?? "")")
      }
    }
    var content = try await network.prepare(
      ChannelDraft(identity: main, profile: Profile(displayName: "baton test channel"), relays: []))
    var number = 0
    // One operation for each relay at a time, all of them together.
    func perform(_ task: RelayOperation.Task, isDeletion: Bool = false) async -> [RelayOutcome?] {
      let first = number + 1
      for (index, relay) in relays.enumerated() {
        number += 1
        network.perform(
          RelayOperation(
            task: task, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: Int64(index + 1)), address: relay.text,
            number: number, content: content, isDeletion: isDeletion))
      }
      var outcomes: [RelayOutcome?] = []
      for number in first...number { outcomes.append(await reports.outcome(of: number)) }
      return outcomes
    }
    for outcome in await perform(.invite) {
      if case .accepted = outcome { continue }
      Issue.record("a relay did not accept: \(String(describing: outcome))")
    }
    guard case .named(_, let name, let link) = await reports.first(where: { if case .named = $0 { true } else { false } })
    else {
      return
    }
    #expect(try SimpleXShortLink.isChannel(link), "\(link)")
    content = ChannelContent(
      identity: main, networkID: name, trustAnchor: link, document: content.document, edition: content.edition)
    for outcome in await perform(.verify) { #expect(outcome == .verified(edition: 1)) }
    for outcome in await perform(.withdraw, isDeletion: true) { #expect(outcome == .withdrawn) }
    for outcome in await perform(.verify) { #expect(outcome == .missing) }
  }
}

extension SimpleXShortLink {
  fileprivate static func isChannel(_ text: String) throws -> Bool {
    guard case .short(let link) = try SimpleXLink(text) else { return false }
    return link.kind == .channel
  }
}
