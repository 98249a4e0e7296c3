import Channels
import Foundation
import Glibc
import NIOCore
import NIOPosix
import TestTools
import Testing

@testable import Dialing

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

  /// Files, lookups and libraries need descriptors too, and some end the program when they get none.
  @Test func connectionWithOneOfTheLastDescriptorsDoesNotStay() async throws {
    var pair: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { for descriptor in pair { close(descriptor) } }
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    func refusal(atLeast number: Int) async throws -> String? {
      let descriptor = fcntl(pair[0], F_DUPFD_CLOEXEC, CInt(number))
      let channel = try await ClientBootstrap(group: eventLoop).withConnectedSocket(descriptor).get()
      let refusal = try await eventLoop.submit { Descriptors.refusal(of: channel) }.get()
      try await channel.close()
      return refusal
    }
    #expect(try await refusal(atLeast: 0) == nil)
    let first = Int(sysconf(CInt(_SC_OPEN_MAX))) - Descriptors.reserved
    #expect(try await refusal(atLeast: first)?.contains("raise LimitNOFILE") == true)
  }

  @Test(arguments: [(64, 21), (1_024, 64), (1_048_576, 64), (0, 0)])
  func descriptorsAreReserved(_ most: Int, _ reserved: Int) { #expect(Descriptors.reserved(of: most) == reserved) }
}
