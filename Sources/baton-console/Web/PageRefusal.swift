internal import HTTPTypes

/// A refusal by the console itself.
struct PageRefusal: Error {
  let status: HTTPResponse.Status
  let what: String
  let help: String
}
