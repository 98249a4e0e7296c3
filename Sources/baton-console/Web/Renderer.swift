internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import Varlink

/// Turns views into pages.
struct Renderer: Sendable {
  let templates: Templates
  let assets: Assets
  /// What people do to sign in, as the page for those who are not signed in says it.
  let signInHelp: String
  /// The path of the daemon's socket.
  let socket: String
  let logger: Logger

  /// A part of the console, as the navigation names it.
  enum Section: String, CaseIterable {
    case overview, channels, relays, servers, operators, history, daemon

    var address: String { self == .overview ? "" : rawValue }
    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
  }

  /// A page for someone who is signed in.
  /// - Parameters:
  ///   - template: its name.
  ///   - title: what the page is about, for the title of the window.
  ///   - section: the part that it belongs to; `nil` if it is in none.
  ///   - revision: the revision that the page has seen; `nil` if that is not known.
  ///   - isOld: whether something on the page is from before that revision, so that it should be looked at again soon.
  func page(
    _ template: String, title: String, section: Section?, _ view: View, revision: Int64? = nil, isOld: Bool = false,
    status: HTTPResponse.Status = .ok, _ request: Request, _ context: ConsoleContext
  ) -> Response {
    var outer = outer(title, section, revision, request, context)
    outer["isOld"] = .flag(isOld)
    return render(template, view.merging(["page": .view(outer)]), status)
  }

  /// A page that arrives in two halves, with something between them that is not there yet.
  func halves(
    _ template: String, title: String, section: Section, _ view: View, _ request: Request, _ context: ConsoleContext
  ) -> (String, String)? {
    let whole = templates.render(template, view.merging(["page": .view(outer(title, section, nil, request, context))]))
    let mark = "<!--steps-->"
    guard let whole, let place = whole.firstRange(of: mark) else { return nil }
    return (String(whole[..<place.lowerBound]), String(whole[place.upperBound...]))
  }

  /// The values of a page for someone who is signed in.
  private func outer(
    _ title: String, _ section: Section?, _ revision: Int64?, _ request: Request, _ context: ConsoleContext
  ) -> View {
    var outer = frame(title, request)
    outer["sections"] = .views(
      Section.allCases.map { part in
        ["address": .text(part.address), "title": .text(part.title), "isHere": .flag(part == section)]
      })
    if let visit = context.visit {
      outer["user"] = .text(visit.user)
      outer["mayChange"] = .flag(visit.role == .change)
      outer["mayOnlyLook"] = .flag(visit.role != .change)
      outer["hasSession"] = .flag(context.session != nil)
      outer["ends"] = context.session.map { .number(Sessions.remaining($0, now: SessionStore.now)) }
    }
    outer["revision"] = revision.map { .number($0) }
    return outer
  }

  /// The values that every page has.
  private func frame(_ title: String, _ request: Request) -> View {
    let now = SessionStore.now.wall
    let theme = Theme(request)
    return [
      "title": .text(title), "root": .text(request.root), "assets": .text("\(request.root)assets/\(assets.version)"),
      "now": .text(Times.stamp(now)), "clock": .text(Times.clock(now)), "theme": .text(theme.rawValue),
      "themes": .views(
        Theme.allCases.map { ["word": .text($0.rawValue), "title": .text($0.title), "isHere": .flag($0 == theme)] }),
      // What answers a form has no address of its own to return to.
      "here": .text(request.method == .post ? "/" : String(request.uri.string.prefix(2000))),
    ]
  }

  private func render(_ template: String, _ view: View, _ status: HTTPResponse.Status) -> Response {
    guard let text = templates.render(template, view) else {
      logger.error("there is no template '\(template)'")
      return Response(status: .internalServerError)
    }
    return Response(
      status: status, headers: [.contentType: "text/html; charset=utf-8"], body: Self.body(ByteBuffer(string: text)))
  }

  /// The longest part of a page that is written at once, in bytes: a peer that reads slowly takes one part after the other.
  private static let partBytesMax = 64 << 10

  private static func body(_ page: ByteBuffer) -> ResponseBody {
    guard page.readableBytes > partBytesMax else { return ResponseBody(byteBuffer: page) }
    return ResponseBody(contentLength: page.readableBytes) { writer in
      var page = page
      while let part = page.readSlice(length: min(partBytesMax, page.readableBytes)), part.readableBytes > 0 {
        try await writer.write(part)
      }
      try await writer.finish(nil)
    }
  }

  // MARK: - What went wrong

  /// A page that says why something is not shown or was not done.
  func failure(
    _ status: HTTPResponse.Status, _ what: String, _ help: String, _ request: Request, _ context: ConsoleContext? = nil,
    isOutage: Bool = false, form: Form? = nil
  ) -> Response {
    // A page that answers a form does not load itself again: the form would be sent again.
    let view: View = [
      "what": .text(what), "help": .text(help), "isOutage": .flag(isOutage && request.method != .post),
      "fields": form.map(Self.fields),
      "canRepeat": .flag(form != nil),
    ]
    guard let context, context.visit != nil else {
      return render("failure", view.merging(["page": .view(frame(what, request))]), status)
    }
    return page("failure", title: what, section: nil, view, status: status, request, context)
  }

  private static func fields(_ form: Form) -> View.Part {
    .views(form.fields.map { ["name": .text($0.name), "value": .text($0.value)] })
  }

  /// The page for an error that no one has handled.
  /// - Parameter form: what was sent with it, and not read.
  func failure(_ error: any Error, _ request: Request, _ context: ConsoleContext, form: Form? = nil) -> Response {
    switch error {
    case let error as VarlinkError: return failure(error, request, context)
    case let failure as VarlinkClient.Failure:
      return outage(failure, request, context, form: context.visit?.form.withLockedValue { $0 })
    case let refusal as Form.Refusal:
      let reason = refusal == .tooLarge ? "too many fields" : "a character that is not encoded correctly"
      return failure(.badRequest, "Invalid address or form", "It has \(reason).", request, context)
    case let refusal as PageRefusal:
      return failure(refusal.status, refusal.what, refusal.help, request, context, form: form)
    case let error as HTTPError where error.status == .notFound:
      return failure(
        .notFound, "Page not found",
        "The console has no page “\(request.uri.path.prefix(200))”. If a reverse proxy offers the console below a path, "
          + "start the console with --public-url and the whole address.", request, context)
    case let error as any HTTPResponseError:
      return failure(error.status, "The console cannot answer the request", error.status.reasonPhrase + ".", request, context)
    default:
      logger.error("the page \(request.uri.path.prefix(200)) failed: \(error)")
      return failure(
        .internalServerError, "Internal error in the console",
        "See the console's log. If you changed something, check whether the change took effect.", request, context)
    }
  }

  /// The page for a connection to the daemon that has failed. What was typed stays on it, if it may be sent again.
  private func outage(
    _ failure: VarlinkClient.Failure, _ request: Request, _ context: ConsoleContext, form: Form?
  ) -> Response {
    let kept = form?.canRepeat == true ? form : nil
    let rest =
      if kept != nil {
        "Your input is kept on this page. You can send it again: it takes effect only once."
      } else if request.method == .post {
        "Your request may have taken effect. Check before you repeat it."
      } else {
        "Nothing is lost. The daemon continues with its stored data when it is back."
      }
    return self.failure(
      .serviceUnavailable, "The daemon does not answer", "\(Failures.sentence(failure, at: socket)) \(rest)", request, context,
      isOutage: true, form: kept)
  }

  private func failure(_ error: VarlinkError, _ request: Request, _ context: ConsoleContext) -> Response {
    let (status, what) = Failures.status(error)
    return failure(status, what, Failures.sentence(error), request, context)
  }

  /// The page for whoever is not signed in.
  /// - Parameter form: what was sent, which can be sent again afterwards.
  func signedOut(
    _ request: Request, status: HTTPResponse.Status = .unauthorized, trouble: String? = nil, form: Form? = nil
  ) -> Response {
    let view: View = [
      "help": .text(signInHelp), "trouble": .some(trouble), "page": .view(frame("Sign in", request)),
      "fields": form.map(Self.fields), "canRepeat": .flag(form != nil),
    ]
    return render("login", view, status)
  }

  /// The page that exchanges a code. It has one button, so that a program that looks at addresses does not use the code up.
  func signIn(code: String, _ request: Request) -> Response {
    let view: View = ["code": .text(code), "help": .text(signInHelp), "page": .view(frame("Sign in", request))]
    return render("login", view, .ok)
  }
}
