public import ControlAPI
public import StrictJSON
public import Varlink

// Calls of methods by their generated names.
extension BatonClient {
  /// Calls a method of a control interface.
  /// - Throws: `VarlinkError` as declared in the interface, or `VarlinkClient.Failure`.
  public func call(
    _ method: some InterfaceMethod, _ parameters: [String: JSONValue] = [:]
  ) async throws -> [String: JSONValue] {
    try await call(method.rawValue, parameters)
  }

  /// Calls a method of a control interface.
  /// - Parameter timeout: how long to wait for the reply, or nil for as long as the connection lasts.
  /// - Throws: `VarlinkError` as declared in the interface, or `VarlinkClient.Failure`.
  public func call(
    _ method: some InterfaceMethod, _ parameters: [String: JSONValue] = [:], timeout: Duration?
  ) async throws -> [String: JSONValue] {
    try await call(method.rawValue, parameters, timeout: timeout)
  }

  /// Calls a method of a control interface with `more`. Ends after the last reply. Ending the iteration closes the stream's connection.
  public func stream(
    _ method: some InterfaceMethod, _ parameters: [String: JSONValue] = [:]
  ) async throws(VarlinkClient.Failure) -> some AsyncSequence<[String: JSONValue], any Error> & Sendable {
    try await stream(method.rawValue, parameters)
  }
}
