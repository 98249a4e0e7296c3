internal import ControlAPI
internal import HTTPTypes
internal import Sentences
internal import Varlink

/// Sentences for people about failed calls.
enum Failures {
  static func sentence(_ failure: VarlinkClient.Failure, at socket: String) -> String {
    let text = capitalized(failure.sentence(at: socket).what)
    return text.hasSuffix("?") ? text : text + "."
  }

  static func sentence(_ error: VarlinkError) -> String {
    capitalized(error.sentence.text) + "."
  }

  private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  /// The status of a response, and the title of its page.
  static func status(_ error: VarlinkError) -> (HTTPResponse.Status, String) {
    if error.name == VarlinkError.permissionDenied.name { return (.forbidden, "Permission denied") }
    if error.name.hasSuffix(".InternalError") { return (.internalServerError, "Internal error in the daemon") }
    if error.name.hasSuffix(".OutcomeUnknown") { return (.badGateway, "The outcome is unknown") }
    return switch error.kind {
    case .noSuchObject: (.notFound, "Not found")
    case .busy, .tooManyConnections: (.serviceUnavailable, "The daemon is busy")
    case .storageUnavailable: (.serviceUnavailable, "The database is unavailable")
    case .staleRevision: (.conflict, "Someone else changed it first")
    default: (.unprocessableContent, "The daemon refused the request")
    }
  }

  /// The status of a page with a form, which is shown again if the daemon refused the request.
  static func status(ofForm error: VarlinkError?) -> HTTPResponse.Status {
    guard let error else { return .ok }
    // The page itself exists.
    return error.kind == .noSuchObject ? .unprocessableContent : status(error).0
  }
}
