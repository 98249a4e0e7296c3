import Channels
import Dialing
import Foundation
import NIOCore
import NIOPosix
import TestTools
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
    #expect(detail.components(separatedBy: "does not answer within").count == 3, "\(detail)")
    let share = detail.firstMatch(of: /does not answer within (\d+) ms;/).flatMap { Int($0.1) }
    #expect(share.map { $0 <= 200 } == true, "\(detail)")
    withExtendedLifetime(silent) {}
  }
}
