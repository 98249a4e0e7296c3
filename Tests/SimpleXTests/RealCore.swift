import Channels
import Foundation
import Logging
import NIOPosix
import RelayNetwork
import Synchronization
import TestTools

@testable import SimpleX

/// A real core on a database of its own, as `make test-simplex` names it, and the only channel that a test makes in it.
final class RealCore: Sendable {
  /// The program; nil: none was named.
  static let program = variable("BATON_SIMPLEX_CORE")
  /// Addresses of relays on which channels may be made.
  static let relays = (variable("BATON_SIMPLEX_RELAYS") ?? "").split(separator: " ").map(String.init)
  static let userName = "baton test"

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  struct Gone: Error, CustomStringConvertible {
    let description: String
  }

  let log = LogLines()
  let client: CoreClient
  /// For tests of relays.
  let lanes: [CoreClient]
  private let folder: TemporaryFolder
  private let task: Task<Void, Never>

  init() throws {
    folder = try TemporaryFolder()
    let port = Program.freePort()
    let core = try CoreProcess(
      program: Self.program ?? "", database: folder.path + "/core", displayName: Self.userName, port: port, logger: log.logger)
    task = Task { await core.run() }
    let (endpoint, logger) = (try CoreEndpoint(host: "127.0.0.1", port: port), log.logger)
    func client() -> CoreClient {
      CoreClient(endpoint: endpoint, group: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }
    (self.client, lanes) = (client(), (0..<2).map { _ in client() })
  }

  /// Does `work`; a core that ends meanwhile is an error with its last words.
  func whileItRuns<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let (ends, ending) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
    let working = Task {
      do { ending.yield(.success(try await work())) } catch { ending.yield(.failure(error)) }
    }
    let watching = Task { [log] in
      let index = await log.first(containing: "again in")
      ending.yield(.failure(Gone(description: log.all[index])))
    }
    defer { for task in [working, watching] { task.cancel() } }
    for await end in ends { return try end.get() }
    throw CancellationError()
  }

  /// Ends the core and waits for it.
  func stop() async {
    task.cancel()
    await task.value
  }
}

/// Keeps what a network reports and wakes who waits for it.
final class NetworkReports: Sendable {
  private struct State {
    var all: [NetworkReport] = []
    var waiters: [(isMeant: @Sendable (NetworkReport) -> Bool, wake: CheckedContinuation<NetworkReport, Never>)] = []
  }
  private let state = Mutex(State())

  func take(_ report: NetworkReport) {
    let woken = state.withLock { state in
      state.all.append(report)
      let woken = state.waiters.filter { $0.isMeant(report) }
      state.waiters.removeAll { $0.isMeant(report) }
      return woken
    }
    for waiter in woken { waiter.wake.resume(returning: report) }
  }

  func first(where isMeant: @escaping @Sendable (NetworkReport) -> Bool) async -> NetworkReport {
    await withCheckedContinuation { wake in
      let found = state.withLock { state -> NetworkReport? in
        if let found = state.all.first(where: isMeant) { return found }
        state.waiters.append((isMeant, wake))
        return nil
      }
      if let found { wake.resume(returning: found) }
    }
  }

  /// The final outcome of the operation with this number.
  func outcome(of number: Int) async -> RelayOutcome? {
    let report = await first {
      if case .outcome(_, _, number, let outcome) = $0 { outcome.isFinal } else { false }
    }
    return if case .outcome(_, _, _, let outcome) = report { outcome } else { nil }
  }
}
