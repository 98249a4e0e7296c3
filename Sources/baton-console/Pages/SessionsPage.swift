internal import HTTPTypes
internal import Hummingbird

// The people who are signed in.
extension Pages {
  func sessionList(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let times = Times()
    let now = SessionStore.now
    let own = context.session?.id
    let all = sessions.all()
    let view: View = [
      "rows": .views(
        all.map { session in
          let minutes = Sessions.remaining(session, now: now) / 60
          return [
            "id": .text(session.id), "user": .text(session.user), "isOwn": .flag(session.id == own),
            "canEnd": .flag(session.user == context.visit?.user || context.visit?.role == .change),
            // In a shared console, permissions are checked with each request and can change.
            "role": isShared ? nil : .text(session.role == .change ? "can make changes" : "read-only"),
            "browser": .text(session.browser),
            "began": .view(times.view(milliseconds: session.began.wall)),
            "used": .view(times.view(milliseconds: session.used.wall)), "remaining": .text("\(minutes) min"),
          ]
        }),
      "hasOthers": .flag(all.count > 1 && context.visit?.role == .change),
    ]
    return renderer.page("sessions", title: "Sessions", section: nil, view, request, context)
  }

  /// Ends one session, or all other ones.
  func endSessions(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let form = try await form(request, context)
    let own = context.session?.id
    guard let id = form["id"] else {
      try requireChange(context)
      sessions.endAll(except: own)
      return redirect(request, to: "sessions")
    }
    // People may end their own sessions, whichever browser has them.
    let isOwn = sessions.all().contains { $0.id == id && $0.user == context.visit?.user }
    if !isOwn { try requireChange(context) }
    _ = sessions.end(id: id)
    guard id == own else { return redirect(request, to: "sessions") }
    var response = redirect(request, to: "")
    response.headers[.setCookie] = door.field(nil)
    return response
  }
}
