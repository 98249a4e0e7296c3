// Written by `make generate` from io.systemd.service.varlink.

public import StrictJSON
public import Varlink

/// The methods of `io.systemd.service`.
public enum ServiceMethod: String, InterfaceMethod {
  case ping = "io.systemd.service.Ping"
  case reload = "io.systemd.service.Reload"
  case getLogLevel = "io.systemd.service.GetLogLevel"
  case setLogLevel = "io.systemd.service.SetLogLevel"
}

/// What a server of `io.systemd.service` does.
public protocol ServiceService: InterfaceService where Method == ServiceMethod, Refusal == ServiceRefusal {
  /// Whether the service answers.
  func ping() async throws
  /// Reads the configuration and the files that declare operators, servers and relays again. Nothing changes unless all of them are valid.
  func reload() async throws
  /// Returns the log level: the least severe messages that are logged.
  func getLogLevel() async throws -> ServiceGetLogLevelReply
  /// Changes the log level until the next start.
  func setLogLevel(_ request: ServiceSetLogLevelRequest) async throws
}

extension ServiceService {
  public func answer(
    _ method: ServiceMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .ping:
      try await ping()
      return NoReply()
    case .reload:
      try await reload()
      return NoReply()
    case .getLogLevel: return try await getLogLevel()
    case .setLogLevel:
      try await setLogLevel(call.request())
      return NoReply()
    }
  }
}
