import Channels
import Dialing
import NIOCore
import NIOPosix
import TestSupport
import Testing

struct TCPDialerTests {
  /// With the whole time for itself, the first one would leave none for the second.
  @Test func silentAddressUsesUpNoMoreThanItsShare() async throws {
    let silent = [try SilentListener(), try SilentListener()]
    let addresses = try silent.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0.port) }
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let failure = await #expect(throws: PeerFailure.self) {
      try await TCPDialer().connect(to: addresses, within: .milliseconds(400), on: eventLoop) { _ in }
    }
    #expect(failure?.trouble.cause == .timeout)
    let detail = failure?.trouble.detail ?? "no failure"
    let shares = detail.matches(of: /does not answer within (\d+) ms/).compactMap { Int($0.1) }
    #expect(shares.count == 2, "\(detail)")
    #expect(shares.first.map { $0 <= 200 } == true, "\(detail)")
    withExtendedLifetime(silent) {}
  }
}
