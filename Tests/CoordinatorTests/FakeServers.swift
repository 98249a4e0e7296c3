import Channels
import RelayNetwork
import SimpleX
import Synchronization

/// Servers whose addresses are parsed for real, and whose tests end as scripted.
final class FakeServers: ServerNetwork {
  private struct State {
    var failures: [String: ProbeStep] = [:]
    var tests: [String] = []
  }
  private let state = Mutex(State())

  /// - Parameter step: the step at which tests of the host fail; nil lets them pass.
  func fail(_ host: String, at step: String?, _ cause: Cause = .unreachable) {
    let failure = step.map { ProbeStep(name: $0, duration: .milliseconds(1), failure: Trouble(cause, "so told")) }
    state.withLock { $0.failures[host] = failure }
  }

  var tests: [String] { state.withLock { $0.tests } }

  func parse(server: String) throws(InvalidAddress) -> ServerAddress { try SimpleXServerAddress.parse(server) }

  func test(_ address: ServerAddress) -> AsyncStream<ProbeStep> {
    let failure = state.withLock { state in
      state.tests.append(address.displayHost)
      return state.failures[address.displayHost]
    }
    return AsyncStream { continuation in
      continuation.yield(failure ?? ProbeStep(name: "connect", duration: .milliseconds(9)))
      continuation.finish()
    }
  }
}
