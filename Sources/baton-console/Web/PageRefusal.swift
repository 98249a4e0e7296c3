internal import HTTPTypes

/// Something that a page refuses by itself.
struct PageRefusal: Error {
  let status: HTTPResponse.Status
  let what: String
  let help: String
}
