import Channels
import Foundation
import Logging
import NIOPosix
import RelayNetwork

@testable import Nostr

/// A network with one identity, and a stream of what it reports.
final class NetworkBench {
  static let identityID = IdentityID(rawValue: 1)

  let network: NostrNetwork
  let identity: SecretKey
  let reports: AsyncStream<NetworkReport>
  private let task: Task<Void, Never>
  private var number = 0

  /// - Parameters:
  ///   - trustRoots: a PEM file with the authorities to trust; nil trusts the system's.
  ///   - identity: the identity's key.
  ///   - now: Unix time in seconds.
  init(
    limits: NostrLimits = .patient, trustRoots: String? = nil, identity: SecretKey = .random(),
    fileServers: [FileServer] = [], logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    mayPublish: @escaping @Sendable () -> Bool = { true },
    now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  ) throws {
    let network = try NostrNetwork(
      group: MultiThreadedEventLoopGroup.singleton, limits: limits, trustRoots: trustRoots, fileServers: fileServers,
      logger: logger, mayPublish: mayPublish, now: now)
    network.unlock(Self.identityID, key: try network.makeIdentity(secret: identity.secret))
    let (reports, continuation) = AsyncStream.makeStream(of: NetworkReport.self)
    (self.network, self.identity, self.reports) = (network, identity, reports)
    task = Task { await network.run { continuation.yield($0) } }
  }

  func content(_ relay: String) async throws -> ChannelContent {
    try await network.prepare(
      ChannelDraft(identity: Self.identityID, profile: Profile(displayName: "News"), relays: [relay]))
  }

  /// The final outcome of one operation.
  func perform(_ task: RelayOperation.Task, _ content: ChannelContent, at address: String) async -> RelayOutcome? {
    number += 1
    network.perform(
      RelayOperation(
        task: task, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: address, number: number,
        content: content))
    for await report in reports {
      if case .outcome(_, _, number, let outcome) = report, outcome.isFinal { return outcome }
    }
    return nil
  }

  func end() async {
    task.cancel()
    await task.value
  }
}

extension RelayOutcome {
  /// The cause of an outcome that is a failure.
  var cause: Cause? {
    switch self {
    case .refused(let trouble), .misbehaved(let trouble), .troubled(let trouble, _): trouble.cause
    case .handedOver, .accepted, .verified, .missing, .withdrawn, .announced: nil
    }
  }
}
