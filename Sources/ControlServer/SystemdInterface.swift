internal import ControlAPI
internal import Varlink

/// `io.systemd.service`.
struct SystemdInterface: ServiceService, ControlService {
  let context: ControlContext

  func answerAtOnce(_ method: ServiceMethod) -> EncodedParameters? { method == .ping ? EncodedParameters.none : nil }

  func ping() {}

  func reload() async throws { _ = try await context.reload() }

  func getLogLevel() -> ServiceGetLogLevelReply { ServiceGetLogLevelReply(level: context.logLevel.get()) }

  func setLogLevel(_ request: ServiceSetLogLevelRequest) throws {
    let level = request.level
    guard level.map((0...7).contains) ?? true else { throw VarlinkError.invalidParameter("level") }
    context.logLevel.set(level)
  }
}
