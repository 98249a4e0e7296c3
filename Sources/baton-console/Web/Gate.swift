internal import HTTPTypes
internal import Hummingbird

/// Checks of every request and headers of every response, see docs/console.md#security.
struct Gate: RouterMiddleware {
  typealias Context = ConsoleContext

  let rule: HostRule
  let pages: Renderer

  /// Pages load nothing from elsewhere, run only files of the console, and cannot be framed.
  static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types baton
    """

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    var response = try await answer(request, context, next)
    let fields: [HTTPField.Name: String] = [
      .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff", .referrerPolicy: "same-origin",
      .crossOriginOpenerPolicy: "same-origin", .crossOriginResourcePolicy: "same-origin",
    ]
    for (name, value) in fields { response.headers[name] = value }
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    return response
  }

  private func answer(
    _ request: Request, _ context: ConsoleContext, _ next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    let named = request.head.authority ?? ""
    guard let authority = HostRule.Authority(named), rule.allows(authority) else {
      return pages.failure(
        .misdirectedRequest, "Unknown host",
        "The console does not accept requests for the host “\(named.prefix(200))”. If people reach it under this name, start "
          + "it with --public-url and the whole address.", request)
    }
    switch request.method {
    case .get, .head: break
    case .post:
      if let objection = rule.objection(
        fetchSite: request.headers[.secFetchSite], origin: request.headers[.origin], authority: authority)
      {
        return pages.failure(.forbidden, "Nothing was changed", words(objection), request)
      }
    default: return pages.failure(.methodNotAllowed, "Method not allowed", "The console accepts GET, HEAD and POST.", request)
    }
    do {
      return try await next(request, context)
    } catch {
      return pages.failure(error, request, context)
    }
  }

  private func words(_ objection: HostRule.ForeignRequest) -> String {
    switch objection {
    case .otherSite(let origin):
      "The request came from another site: “\(origin.prefix(200))”. If a reverse proxy offers the console there, start the "
        + "console with --public-url and this address."
    case .unknownOrigin: "The request does not name the page that sent it. Programs should use batonctl or Varlink."
    }
  }
}
