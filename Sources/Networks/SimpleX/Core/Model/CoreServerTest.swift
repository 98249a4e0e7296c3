/// The result of the core's test of a server (`serverTestResult`, docs/design/simplex.md#tests-by-a-core).
public struct CoreServerTest: Hashable, Sendable {
  /// The steps of the test.
  public enum Step: String, Hashable, Sendable, CaseIterable {
    case connect, disconnect, createQueue, secureQueue, deleteQueue, createFile, uploadFile, downloadFile, compareFile
    case deleteFile, createNtfToken, deleteNtfToken
  }

  /// The step at which the test ended, and the reason.
  public struct Failure: Hashable, Sendable {
    /// The step that failed.
    public let step: CoreWord<Step>
    /// The error.
    public let error: CoreError
  }

  /// The server, without its password.
  public let server: String
  /// The failure, or `nil` if the test passed.
  public let failure: Failure?
}

extension CoreServerTest: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    server = CoreText.address(try reader.string("testServer"))
    failure = try reader.readIfPresent("testFailure")
  }
}

extension CoreServerTest.Failure: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    step = try reader.word("testStep")
    error = CoreError(agentError: try reader.object("testError"))
  }
}
