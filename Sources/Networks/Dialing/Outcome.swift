internal import Channels
public import NIOCore

extension EventLoop {
  /// Starts something and waits for its outcome: the promise's value, its failure, the end of the time allowed or the task's
  /// cancellation, whichever comes first. The timer is always cancelled.
  /// - Parameters:
  ///   - limit: the time allowed.
  ///   - late: the failure to report when the time is over.
  ///   - start: starts the work and gets the promise. The work must end itself when the promise fails.
  /// - Throws: `PeerFailure`. Other errors of the promise become `unreachable`.
  public func outcome<Value: Sendable>(
    within limit: Duration, orElse late: PeerFailure, of start: (EventLoopPromise<Value>) -> Void
  ) async throws(PeerFailure) -> Value {
    let promise = makePromise(of: Value.self)
    let deadline = scheduleTask(in: TimeAmount(limit)) { promise.fail(late) }
    promise.futureResult.whenComplete { _ in deadline.cancel() }
    start(promise)
    do {
      return try await withTaskCancellationHandler {
        try await promise.futureResult.get()
      } onCancel: {
        promise.fail(PeerFailure.cancelled)
      }
    } catch let failure as PeerFailure {
      throw failure
    } catch {
      throw PeerFailure(.unreachable, "\(error)")
    }
  }
}

extension Duration {
  /// The duration for people: `10 s`, `300 ms`.
  public var briefly: String {
    let (seconds, attoseconds) = components
    return attoseconds == 0 ? "\(seconds) s" : "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
  }
}

extension SocketAddress {
  /// The address for people: `127.0.0.1:5223`, `[::1]:5223`.
  public var briefly: String {
    guard let ipAddress else { return "\(self)" }
    return `protocol` == .inet6 ? "[\(ipAddress)]:\(port ?? 0)" : "\(ipAddress):\(port ?? 0)"
  }
}
