/// How the core's test of a server went (`serverTestResult`, docs/design/simplex.md#tests-by-a-core).
public struct CoreServerTest: Hashable, Sendable {
  /// The steps of the test.
  public enum Step: String, Hashable, Sendable, CaseIterable {
    case connect, disconnect, createQueue, secureQueue, deleteQueue, createFile, uploadFile, downloadFile, compareFile
    case deleteFile, createNtfToken, deleteNtfToken
  }

  /// Where the test ended, and why.
  public struct Failure: Hashable, Sendable {
    /// The step that failed.
    public let step: CoreWord<Step>
    /// What went wrong.
    public let error: CoreError
  }

  /// The server, without its password.
  public let server: String
  /// nil: all is well.
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
