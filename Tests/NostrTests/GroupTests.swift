import Channels
import Foundation
import Logging
import RelayNetwork
import StrictJSON
import TestTools
import Testing

@testable import Nostr
@testable import Sandbox

/// NIP-29 groups against the sandbox's relay, over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct GroupTests {
  private func draft(
    _ relays: [String], name: String = "Club", access: Set<GroupAccess> = []
  ) -> ChannelDraft {
    ChannelDraft(
      kind: .group, access: access, identity: NetworkBench.identityID,
      profile: Profile(displayName: name, description: "for all"),
      relays: relays)
  }

  private func revised(_ content: ChannelContent, _ newEdition: ChannelEdition) -> ChannelContent {
    ChannelContent(
      kind: content.kind, identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor,
      document: content.document, edition: content.edition + 1, newestEdition: newEdition)
  }

  @Test func groupIsMadeShownChangedAndDeleted() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
    let content = try await bench.network.prepare(draft([relay.url]))
    #expect(content.trustAnchor == relay.groupKey && content.networkID.count == 32)
    #expect(await bench.perform(.verify, content, at: relay.url) == .missing)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    // Doing it again does no harm: the relay reports that the group exists, and it is ours.
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(relay.groupIDs == [content.networkID])

    let next = revised(content, try bench.network.revise(content, as: draft([relay.url], name: "Open Club")))
    #expect(await bench.perform(.verify, next, at: relay.url) == .verified(edition: 1))
    #expect(await bench.perform(.announce, next, at: relay.url) == .announced)
    #expect(await bench.perform(.verify, next, at: relay.url) == .verified(edition: 2))

    #expect(await bench.perform(.withdraw, next, at: relay.url) == .withdrawn)
    #expect(await bench.perform(.verify, next, at: relay.url) == .missing)
    // The answer may have been lost: asked again, the relay knows no such group, as intended.
    #expect(await bench.perform(.withdraw, next, at: relay.url) == .withdrawn)
    guard
      case .naddr(let id, let hints, let author, let kind)? = try? NIP19(
        String(bench.network.link(of: content, activeRelays: [relay.url]).dropFirst(6)))
    else {
      Issue.record("the link is no naddr")
      return
    }
    #expect(id == content.networkID && hints == [relay.url] && author == relay.groupKey && kind == 39000)
    await bench.end()
    await relay.stop()
  }

  @Test func groupKeepsToMembersWhatItWasCreatedWith() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
    let content = try await bench.network.prepare(draft([relay.url], access: [.closed, .restricted]))
    #expect(bench.network.access(to: content) == [.closed, .restricted])
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    let filter: JSONValue = ["kinds": [39_000], "#d": [.string(content.networkID)]]
    func flags() throws -> Set<String> {
      Set(relay.find(try #require(EventFilter(filter)), for: []).last?.tags.compactMap(\.first) ?? [])
    }
    #expect(try flags().isSuperset(of: ["closed", "restricted"]))
    // A new edition keeps that, whatever the draft says.
    let next = revised(content, try bench.network.revise(content, as: draft([relay.url], name: "Our Club")))
    #expect(await bench.perform(.announce, next, at: relay.url) == .announced)
    #expect(await bench.perform(.verify, next, at: relay.url) == .verified(edition: 2))
    #expect(try flags().isSuperset(of: ["closed", "restricted"]) && bench.network.access(to: next).count == 2)
    await bench.end()
    await relay.stop()
  }

  @Test func relayThatLeavesAFlagOutDoesNotShowTheGroup() {
    func shown(_ flags: [String]) -> RelayGroup.Metadata {
      RelayGroup.Metadata(
        name: "Club", about: "", picture: "", access: Set(flags.compactMap(GroupAccess.init(rawValue:))))
    }
    let wanted = shown(["closed"])
    #expect(wanted.isShown(as: shown(["closed"])) && wanted.isShown(as: shown(["closed", "restricted"])))
    #expect(!wanted.isShown(as: shown([])) && !wanted.isShown(as: shown(["restricted"])))
    #expect(shown([]).isShown(as: shown(["closed"])), "what a relay does by itself is its matter")
    #expect(RelayGroup.Metadata(text: wanted.text) == wanted && RelayGroup.Metadata(text: shown([]).text) == shown([]))
    let edition = RelayGroup.edition(of: "x", wanted)
    #expect(String(describing: edition).contains("closed") && !String(describing: edition).contains("open"))
  }

  @Test func relayWithoutGroupsIsRefused() async throws {
    let relay = try await SandboxRelay.start(groups: false)
    let bench = try NetworkBench()
    await #expect { try await bench.network.prepare(draft([relay.url])) } throws: {
      ($0 as? NetworkFailure)?.isUnsupported == true
    }
    await #expect { try await bench.network.prepare(draft([relay.url, relay.url])) } throws: {
      ($0 as? NetworkFailure)?.isUnsupported == true
    }
    await relay.stop()
    await #expect { try await bench.network.prepare(draft([relay.url])) } throws: {
      ($0 as? NetworkFailure)?.isUnsupported == false
    }
    await bench.end()
  }

  @Test func somebodyElsesGroupIsNotTakenForOurs() async throws {
    let relay = try await SandboxRelay.start(fault: .groupTaken)
    let bench = try NetworkBench()
    let content = try await bench.network.prepare(draft([relay.url]))
    let taken = await bench.perform(.invite, content, at: relay.url)
    #expect(taken?.cause == .rejected, "\(String(describing: taken))")
    #expect(await bench.perform(.verify, content, at: relay.url)?.cause == .wrongIdentity)
    await bench.end()
    await relay.stop()
  }

  @Test(arguments: [SandboxFault.foreignGroup, .forgeID, .forgeSignature])
  func groupThatTheRelayDidNotSignIsNotAGroup(_ fault: SandboxFault) async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
    let content = try await bench.network.prepare(draft([relay.url]))
    _ = await bench.perform(.invite, content, at: relay.url)
    try await relay.set(fault)
    #expect(await bench.perform(.verify, content, at: relay.url)?.cause == .wrongIdentity)
    await bench.end()
    await relay.stop()
  }

  @Test func groupThatLostItsAdminIsNoLongerOurs() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
    let content = try await bench.network.prepare(draft([relay.url]))
    _ = await bench.perform(.invite, content, at: relay.url)
    let owner = try #require(relay.groupAdmins(of: content.networkID).first)
    try relay.removeFromGroup(owner, group: content.networkID)
    #expect(await bench.perform(.verify, content, at: relay.url)?.cause == .wrongIdentity)
    try relay.deleteGroup(content.networkID)
    #expect(await bench.perform(.verify, content, at: relay.url) == .missing)
    await bench.end()
    await relay.stop()
  }

  @Test func relayThatDemandsAuthenticationGetsFreshSignatures() async throws {
    let relay = try await SandboxRelay.start(fault: .auth)
    let bench = try NetworkBench()
    let content = try await bench.network.prepare(draft([relay.url]))
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    await bench.end()
    await relay.stop()
  }

  @Test func relayWhoseClockIsOffRefusesForNowAndSaysWhy() async throws {
    let relay = try await SandboxRelay.start(now: { Int64(Date().timeIntervalSince1970) + 3_600 })
    let bench = try NetworkBench()
    let content = try await bench.network.prepare(draft([relay.url]))
    guard case .troubled(let trouble, _)? = await bench.perform(.invite, content, at: relay.url) else {
      Issue.record("the relay must refuse for now")
      return
    }
    #expect(trouble.detail.contains("created_at too early") && trouble.detail.contains("clock"))
    await bench.end()
    await relay.stop()
  }

  /// One relay may be wrong; if several say the same, this machine is.
  @Test func severalRelaysThatRefuseDatesAreAReasonToLookAtTheClock() async throws {
    let log = RecordingLog()
    let bench = try NetworkBench(logger: log.logger)
    func warnings() -> [String] { log.entries.filter { $0.level == .warning }.map(\.message) }
    for count in 1...3 {
      let relay = try await SandboxRelay.start(now: { Int64(Date().timeIntervalSince1970) + 3_600 })
      let content = try await bench.network.prepare(draft([relay.url]))
      for _ in 1...2 { #expect(await bench.perform(.invite, content, at: relay.url)?.cause == .rejected) }
      #expect(warnings().count == (count < 2 ? 0 : 1), "it is said once")
      await relay.stop()
    }
    #expect(warnings().first?.contains("the clock of this machine") == true)
    await bench.end()
  }
}
