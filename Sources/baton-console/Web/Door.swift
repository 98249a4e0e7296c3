internal import Accounts
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOConcurrencyHelpers

/// Lets in who is signed in, and shows everyone else how to sign in.
struct Door: RouterMiddleware {
  typealias Context = ConsoleContext

  let sessions: SessionStore
  let cookie: CookieName
  let pages: Renderer
  /// Who may come in besides those with a session; `nil` in the foreground.
  let admission: Admission?

  /// The name of the cookie of this process: browsers send cookies to all ports of a host, so two consoles must not share one.
  struct CookieName: Sendable {
    let name: String

    init() { name = "__Host-baton-" + Hex.random(bytes: 4) }

    /// The cookie that says who a browser is. Browsers keep it from scripts, and from requests that other sites make.
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
      // Whoever has left a group since may do what they may do now.
      guard let role = await present(session, request) else {
        // The user database may be wrong for a moment, so the session stays; who comes with it is asked for again each time.
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
    // Where there is nothing, perhaps because a reverse proxy leaves a path in front, no one need sign in to be told.
    guard context.endpointPath != nil else { throw HTTPError(.notFound) }
    return pages.signedOut(request, form: await sent(request))
  }

  /// What someone sent who was signed out meanwhile, if it may be sent again: no one types anything twice.
  private func sent(_ request: Request) async -> Form? {
    guard request.method == .post, let form = try? await request.form(), form.canRepeat else { return nil }
    return form
  }

  /// What someone with a session may do at present; `nil` if it is nothing.
  private func present(_ session: Sessions.Session, _ request: Request) async -> Sessions.Role? {
    guard let admission else { return session.role }
    guard let user = await admission.user(named: session.user) else { return nil }
    return await role(of: user, admission, request)
  }

  /// While the daemon does not answer, pages offer nothing that changes anything. What is sent all the same by someone who may is taken up
  /// to the daemon, which decides what the console may, so that they are told what is wrong and what they typed is kept.
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
      // Whoever was allowed to change things when they began to type keeps what they typed.
      let isUnread = visit.role != .change && visit.form.withLockedValue { $0 == nil }
      response = pages.failure(error, request, context, form: isUnread ? await sent(request) : nil)
    }
    // Where several people share a console, the daemon knows only the console; this says who it was, whatever came of it. In the
    // foreground the daemon's journal says it.
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

  /// The kind of entries in the journal that say who did what.
  static let messageID = "8c2f0d1b6a7e4f43b1d5e09c3a64f7d2"

  /// Whoever a reverse proxy names. Its word counts on the Unix socket only, and only if it is the user that was configured.
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
