/// How the core's test of a relay went (`chatRelayTestResult`, docs/design/simplex.md#tests-by-a-core).
public struct CoreRelayTest: Hashable, Sendable {
  /// The steps of the test, in order.
  public enum Step: String, Hashable, Sendable, CaseIterable {
    case getLink, decodeLink, connect, waitResponse, verify
  }

  /// Where the test ended, and why.
  public struct Failure: Hashable, Sendable {
    /// The step that failed.
    public let step: CoreWord<Step>
    /// What went wrong.
    public let error: CoreError
  }

  /// What the relay calls itself; nil when the test did not get that far.
  public let name: String?
  /// nil: all is well.
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
