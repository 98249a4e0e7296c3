internal import Channels
internal import RelayNetwork
internal import Synchronization

/// A test of a relay for which someone waits.
final class CoreRelayTestRequest: Sendable {
  let address: CoreRelayAddress
  private let steps: AsyncStream<ProbeStep>.Continuation
  private let over = Mutex(false)

  init(_ address: CoreRelayAddress, _ steps: AsyncStream<ProbeStep>.Continuation) {
    self.address = address
    self.steps = steps
    steps.onTermination = { [weak self] _ in self?.over.withLock { $0 = true } }
  }

  /// Whether no one waits any more.
  var isOver: Bool { over.withLock { $0 } }

  func tell(_ step: ProbeStep) { steps.yield(step) }
  func finish() { steps.finish() }

  /// Reports that the test did not run, for a reason that is not the relay's fault.
  func refuse(_ why: String, _ took: Duration) {
    tell(ProbeStep(name: "core", duration: took, failure: Trouble(.cancelled, why)))
    finish()
  }
}
