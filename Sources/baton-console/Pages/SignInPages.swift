internal import HTTPTypes
internal import Hummingbird
internal import Logging

// Signing in and out, and the theme of pages.
extension Pages {
  /// Shows the button that exchanges the code in the address, or how to get one.
  func signIn(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = try request.query()
    if query["done"] != nil {
      if let token = request.cookies[door.name]?.value, sessions.session(token: token, isUse: true) != nil {
        return redirect(request, to: "")
      }
      return renderer.signedOut(
        request,
        trouble:
          "The browser did not keep the sign-in cookie. Allow cookies for this address, or use another browser.")
    }
    guard let code = query["code"] else { return renderer.signedOut(request, status: .ok) }
    guard sessions.knows(code: code) else {
      return renderer.signedOut(request, trouble: "This address was already used or has expired.")
    }
    return renderer.signIn(code: code, request)
  }

  func exchangeCode(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let form = try await form(request, context)
    let browser = String((request.headers[.userAgent] ?? "unknown").prefix(120))
    do {
      let token = try sessions.exchange(code: form["code"] ?? "", browser: browser)
      if isShared, let session = sessions.session(token: token, isUse: true) {
        renderer.logger.notice("\(session.user) signed in", metadata: ["BATON_USER": "\(session.user)"])
      }
      var response = redirect(request, to: "login?done")
      response.headers[.setCookie] = door.field(token)
      return response
    } catch .tooManySessions {
      return renderer.signedOut(
        request, status: .serviceUnavailable,
        trouble: "Too many sessions are open (\(Sessions.sessionsMax)). Ask someone who can make changes to end some of them.")
    } catch {
      return renderer.signedOut(request, trouble: "This address was already used or has expired.")
    }
  }

  func signOut(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    if let id = context.session?.id { _ = sessions.end(id: id) }
    var response = redirect(request, to: "login")
    response.headers[.setCookie] = door.field(nil)
    return response
  }

  /// Stores the choice between light and dark, and returns to the page of the form.
  func theme(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let form = try await form(request, context)
    guard let theme = form["theme"].flatMap({ Theme(rawValue: $0) }) else {
      throw PageRefusal(status: .badRequest, what: "Unknown theme", help: "Choose light, dark or system.")
    }
    // Appended to the root's address, this can only be a page of the console.
    let page = form["page"] ?? "/"
    let isAddress = page.hasPrefix("/") && page.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    var response = redirect(request, to: isAddress ? String(page.dropFirst()) : "")
    response.headers[.setCookie] = theme.field
    return response
  }

  func events(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let after = try request.query().number("since")
    guard let visit = context.visit else { throw HTTPError(.unauthorized) }
    return await EventStream(hub: hub, user: visit.user, mayRead: visit.holds).response(to: request, after: after)
  }
}
