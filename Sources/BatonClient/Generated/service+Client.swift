// Written by `make generate` from io.systemd.service.varlink.

public import ControlAPI

extension BatonClient {
  /// The calls of `io.systemd.service`.
  public var service: ServiceClient { ServiceClient(client: self) }
}

/// Calls the methods of `io.systemd.service`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `ServiceRefusal` turns into a case with fields.
public struct ServiceClient: Sendable {
  let client: BatonClient

  /// Whether the service answers.
  public func ping() async throws {
    let _: Nothing = try await client.reply(to: ServiceMethod.ping, Nothing())
  }

  /// Reads the configuration and the files that declare operators, servers and relays again. Nothing changes unless all of them are valid.
  public func reload() async throws {
    let _: Nothing = try await client.reply(to: ServiceMethod.reload, Nothing())
  }

  /// Returns the log level: the least severe messages that are logged.
  public func getLogLevel() async throws -> Int {
    let reply: ServiceGetLogLevelReply = try await client.reply(to: ServiceMethod.getLogLevel, Nothing())
    return reply.level
  }

  /// Changes the log level until the next start.
  public func setLogLevel(_ request: ServiceSetLogLevelRequest) async throws {
    let _: Nothing = try await client.reply(to: ServiceMethod.setLogLevel, request)
  }

  /// Changes the log level until the next start.
  public func setLogLevel(level: Int? = nil) async throws {
    try await setLogLevel(ServiceSetLogLevelRequest(level: level))
  }
}
