import Channels
import RelayNetwork
import Synchronization
import TestTools
import Testing

@testable import Nostr
@testable import Sandbox

/// Looking for channels that others run at relays of the sandbox, over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct ChannelLookupTests {
  private func failure(_ network: NostrNetwork, _ channel: ChannelReference, _ address: String) async -> String {
    do throws(NetworkFailure) {
      let found = try await network.look(for: channel, as: NetworkBench.identityID, at: address)
      return "found \(found.name)"
    } catch { return error.description }
  }

  @Test func channelOfOthersIsFoundByItsLink() async throws {
    let relay = try await SandboxRelay.start()
    let (owner, reader) = (try NetworkBench(), try NetworkBench())
    let content = try await owner.content(relay.url)
    #expect(await owner.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    let link = owner.network.link(of: content, activeRelays: [relay.url])
    let reference = try #require(try reader.network.channel(fromLink: link))
    #expect(reference.relays == [relay.url])
    let found = try await reader.network.look(for: reference, as: NetworkBench.identityID, at: relay.url)
    #expect(found.name == "News" && found.content.networkID == content.networkID)
    #expect(found.content.trustAnchor == content.trustAnchor && found.content.document.isEmpty)
    #expect(found.content.keySalt == nil && found.content.edition == 1)
    // Without the author in the link, that is found out.
    let bare = ChannelReference(kind: .channel, networkID: content.networkID, trustAnchor: nil, relays: [])
    #expect(await failure(reader.network, bare, relay.url) == "found News")
    // The connections end with their questions; those that are open are the owner's.
    while relay.openConnections > 1 { await Task.yield() }
    for bench in [owner, reader] { await bench.end() }
    await relay.stop()
  }

  /// Whoever waits no more is not kept waiting.
  @Test func lookEndsWithItsTask() async throws {
    let relay = try await SandboxRelay.start(fault: .stall)
    let bench = try NetworkBench()
    let reference = ChannelReference(kind: .channel, networkID: Saying.name(7), trustAnchor: nil, relays: [])
    let network = bench.network
    let looking = Task { await failure(network, reference, relay.url) }
    while relay.openConnections == 0 { await Task.yield() }
    looking.cancel()
    #expect(await looking.value == "no one waits for the answer")
    while relay.openConnections > 0 { await Task.yield() }
    // One that was cancelled before it began does not begin.
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return await failure(network, reference, relay.url)
    }
    late.cancel()
    #expect(await late.value == "no one waits for the answer")
    await bench.end()
    await relay.stop()
  }

  @Test func groupOfOthersIsFoundByItsLink() async throws {
    let desk = try await GroupNetworkTests.Desk()
    let reader = try NetworkBench()
    let link = desk.bench.network.link(of: desk.content, activeRelays: [desk.relay.url])
    let reference = try #require(try reader.network.channel(fromLink: link))
    let found = try await reader.network.look(for: reference, as: NetworkBench.identityID, at: desk.relay.url)
    #expect(found.name == "Club" && found.content.kind == .group)
    #expect(found.content.networkID == desk.content.networkID && found.content.trustAnchor == desk.content.trustAnchor)
    // Programs that do not know `self` put the relay's contact into links.
    let older = reference.signed(by: SandboxRelay.contactKey)
    #expect(try await reader.network.look(for: older, as: NetworkBench.identityID, at: desk.relay.url) == found)
    #expect(await failure(reader.network, reference.signed(by: Saying.name(7)), desk.relay.url) == "it does not show the group")
    await reader.end()
    await desk.end()
  }

  @Test(arguments: [
    (SandboxFault.forgeID, "it serves a forgery: the event's id is not the hash of its content"),
    (.forgeSignature, "it serves a forgery: the event's signature is not its author's"),
    (.forget, "it does not serve the channel"),
    (.stall, "the relay did not answer the request in time"), (.binary, ""), (.huge, ""), (.closeMidFrame, ""), (.down, ""),
  ])
  func relayThatMisbehavesShowsNothing(_ fault: SandboxFault, _ words: String) async throws {
    let relay = try await SandboxRelay.start()
    var limits = NostrLimits.patient
    if fault == .stall { limits.readTimeout = .seconds(2) }
    let bench = try NetworkBench(limits: limits)
    let content = try await bench.content(relay.url)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    try await relay.set(fault)
    let reference = ChannelReference(
      kind: .channel, networkID: content.networkID, trustAnchor: content.trustAnchor, relays: [relay.url])
    let failure = await failure(bench.network, reference, relay.url)
    #expect(words.isEmpty ? !failure.hasPrefix("found") && !failure.isEmpty : failure == words, "\(failure)")
    await bench.end()
    await relay.stop()
  }
}

extension SandboxRelay {
  fileprivate var openConnections: Int { state.withLock { $0.connections.count } }
}
