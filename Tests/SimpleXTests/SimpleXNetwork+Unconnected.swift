import Channels
import Logging
import NIOPosix

@testable import SimpleX

extension SimpleXNetwork {
  /// A network whose core no one asks.
  static func unconnected(at time: Timestamp) throws -> SimpleXNetwork {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let endpoint = try CoreEndpoint(host: "127.0.0.1", port: 1)
    let client = CoreClient(endpoint: endpoint, group: MultiThreadedEventLoopGroup.singleton, logger: logger)
    return SimpleXNetwork(
      client: client, lanes: [], logger: logger, now: { time }, known: { _ in nil }, served: { _, _ in [] })
  }
}
