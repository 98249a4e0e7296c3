internal import Accounts
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOConcurrencyHelpers

/// Admits people who are signed in, and shows everyone else how to sign in.
struct Door: RouterMiddleware {
  typealias Context = ConsoleContext

  let sessions: SessionStore
  let cookie: CookieName
  let pages: Renderer
  /// Decides on access by users without a session. `nil` in the foreground.
  let admission: Admission?

  /// The name of the cookie of this process: browsers send cookies to all ports of a host, so two consoles must not share one.
  struct CookieName: Sendable {
    let name: String

    init() { name = "__Host-baton-" + Hex.random(bytes: 4) }

    /// The cookie that identifies a browser. Browsers hide it from scripts, and do not send it with requests from other sites.
    func field(_ token: String?) -> String {
      let end = token == nil ? "; Max-Age=0" : ""
      return "\(name)=\(token ?? ""); Path=/; Secure; HttpOnly; SameSite=Strict\(end)"
    }
  }

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    let isRefresh = request.headers[.batonRefresh] != nil || request.uri.path == "/events"
    if let token = request.cookies[cookie.name]?.value,
      let session = sessions.session(token: token, isUse: !isRefresh)
    {
      // The user's current groups count, not those at sign-in.
      guard let role = await present(session, request) else {
        // The user database may be wrong for a moment, so the session remains and is checked again with each request.
        return pages.signedOut(request, trouble: "You no longer have access to the console.", form: await sent(request))
      }
      let visit = ConsoleContext.Visit(user: session.user, role: role, way: .session(session, token: token)) {
        guard let session = sessions.session(token: token, isUse: false) else { return false }
        return await admission?.mayLook(session.user) ?? true
      }
      var response = try await enter(visit, request, context, next)
      if let session = sessions.session(token: token, isUse: false) {
        response.headers[.batonSessionEnds] = "\(Sessions.remaining(session, now: SessionStore.now))"
      }
      return response
    }
    if let visit = try await proxied(request, context) { return try await enter(visit, request, context, next) }
    // This ends the stream of a page that is still open.
    if request.uri.path == "/events" { return Response(status: .noContent) }
    // An address without a page, perhaps because a reverse proxy keeps a prefix, is reported without signing in.
    guard context.endpointPath != nil else { throw HTTPError(.notFound) }
    return pages.signedOut(request, form: await sent(request))
  }

  /// The form of a user whose session ended before it arrived, if it may be sent again, so that no one has to type it twice.
  private func sent(_ request: Request) async -> Form? {
    guard request.method == .post, let form = try? await request.form(), form.canRepeat else { return nil }
    return form
  }

  /// The current permissions of a user with a session, or `nil` without access.
  private func present(_ session: Sessions.Session, _ request: Request) async -> Sessions.Role? {
    guard let admission else { return session.role }
    guard let user = await admission.user(named: session.user) else { return nil }
    return await role(of: user, admission, request)
  }

  /// The permissions of a user. While the daemon does not reply, pages offer no changes. A form that an authorised user sends anyway is
  /// passed on to the daemon, which decides, so that the user sees the problem and keeps the typed text.
  private func role(of user: Accounts.User, _ admission: Admission, _ request: Request) async -> Sessions.Role? {
    do {
      return try await admission.role(of: user)
    } catch {
      return request.method == .post ? .change : .view
    }
  }

  private func enter(
    _ visit: ConsoleContext.Visit, _ request: Request, _ context: ConsoleContext,
    _ next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    context.visit = visit
    let response: Response
    do {
      response = try await Daemon.$visitor.withValue(visit.user) { try await next(request, context) }
    } catch {
      // A user who had permission to make changes when they began to type keeps the text.
      let isUnread = visit.role != .change && visit.form.withLockedValue { $0 == nil }
      response = pages.failure(error, request, context, form: isUnread ? await sent(request) : nil)
    }
    // In a shared console, the daemon sees only the console, so this entry names the user, whatever the outcome. In the foreground the
    // daemon's own journal names the user.
    if admission != nil, request.method == .post {
      let remark = visit.form.withLockedValue { $0?.choices.joined(separator: " ") } ?? ""
      let path = request.uri.path.prefix(200)
      pages.logger.notice(
        "\(visit.user): \(path)\(remark.isEmpty ? "" : " \(remark)"), answered with \(response.status.code)",
        metadata: [
          "MESSAGE_ID": "\(Self.messageID)", "BATON_USER": "\(visit.user)", "BATON_PATH": "\(path)", "BATON_FORM": "\(remark)",
        ])
    }
    return response
  }

  /// The kind of journal entries about the actions of users.
  static let messageID = "8c2f0d1b6a7e4f43b1d5e09c3a64f7d2"

  /// The user named by a reverse proxy. The name counts only on the Unix socket, and only if the proxy runs as the configured user.
  private func proxied(_ request: Request, _ context: ConsoleContext) async throws -> ConsoleContext.Visit? {
    guard let admission, let proxy = admission.proxy, context.peer == proxy, let name = request.headers[.xRemoteUser],
      !name.isEmpty
    else { return nil }
    guard let user = await admission.user(named: name), let role = await role(of: user, admission, request) else {
      throw PageRefusal(
        status: .forbidden, what: "You do not have access to the console",
        help: "The reverse proxy signed you in as “\(name.prefix(100))”. Ask root to add this user to the group baton-read.")
    }
    return ConsoleContext.Visit(user: user.name, role: role, way: .proxy) {
      await admission.mayLook(name)
    }
  }
}
