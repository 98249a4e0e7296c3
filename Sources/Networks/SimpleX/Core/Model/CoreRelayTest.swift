/// The result of the core's test of a relay (`chatRelayTestResult`, docs/design/simplex.md#tests-by-a-core).
public struct CoreRelayTest: Hashable, Sendable {
  /// The steps of the test, in order.
  public enum Step: String, Hashable, Sendable, CaseIterable {
    case getLink, decodeLink, connect, waitResponse, verify
  }

  /// The step at which the test ended, and the reason.
  public struct Failure: Hashable, Sendable {
    /// The step that failed.
    public let step: CoreWord<Step>
    /// The error.
    public let error: CoreError
  }

  /// The name that the relay gives itself, or `nil` if the test did not get that far.
  public let name: String?
  /// The failure, or `nil` if the test passed.
  public let failure: Failure?
}

extension CoreRelayTest: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    name = try reader.objectIfPresent("relayProfile")?.string("displayName")
    failure = try reader.readIfPresent("relayTestFailure")
  }
}

extension CoreRelayTest.Failure: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    step = try reader.word("rtfStep")
    error = try reader.read("rtfError")
  }
}
