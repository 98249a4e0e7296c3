import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Channels that wait for a relay are found when it comes up, in whatever layer they are.
struct AwakeChannelsTests {
  private func waiting(_ shell: DeciderShell) -> [[ChannelID]] { shell.relays.map { shell.decider.waiting(for: $0) } }

  @Test func channelsThatWaitForARelayAreFoundInEveryLayer() async throws {
    let shell = try await DeciderShell(relays: 2)
    let (near, far) = (shell.relays[0], shell.relays[1])
    let id = try await shell.createActive("News")
    _ = try await shell.createActive("Weather")
    try await shell.store(.delete(id, Reply { _ in }))
    #expect(waiting(shell) == [[], []], "the relays are being told")
    await shell.take([shell.outcome(id.rawValue, near, .troubled(Trouble(.unreachable, "gone"), retryAfter: nil))])
    #expect(waiting(shell) == [[id], []] && shell.decider.base.live.waiting(for: near).isEmpty, "it is only decided")
    shell.close()
    #expect(waiting(shell) == [[id], []], "it is being committed")
    shell.letGo(try await shell.land())
    #expect(waiting(shell) == [[id], []] && shell.decider.base.live.waiting(for: near) == [id], "it is durable")
    await shell.take([.report(.relayUp(far, roundTrip: .zero))])
    #expect(shell.decider.open.actions.isEmpty && waiting(shell) == [[id], []], "another relay came up")
    await shell.take([.report(.relayUp(near, roundTrip: .zero))])
    #expect(shell.decider.open.actions.map(\.channel) == [id] && waiting(shell) == [[], []], "the relay is told again")
    shell.letGo(try await shell.land())
    #expect(shell.decider.base.live.waiting(for: near).isEmpty)
    shell.store.close()
  }

  @Test func channelsThatAreLetGoWaitForNothing() async throws {
    let shell = try await DeciderShell(relays: 1)
    let (id, relay) = (try await shell.createActive("News"), shell.relays[0])
    try await shell.store(.delete(id, Reply { _ in }))
    try await shell.store(shell.outcome(id.rawValue, relay, .troubled(Trouble(.unreachable, "gone"), retryAfter: nil)))
    let awake = shell.decider.base.live
    #expect(awake.waiting(for: relay) == [id] && awake == AwakeChannels(awake.channels))
    await shell.take([.report(.relayUp(relay, roundTrip: .zero))])
    shell.close()
    shell.fail(.unavailable("full"))
    #expect(shell.decider.base.live == AwakeChannels(), "it is read again")
    shell.store.close()
  }
}
