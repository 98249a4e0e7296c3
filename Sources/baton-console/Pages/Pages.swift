internal import BatonClient
internal import ControlAPI
internal import HTTPTypes
internal import Hummingbird
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import StrictJSON

/// The pages of the console, each in a separate file.
struct Pages: Sendable {
  let daemon: Daemon
  let hub: LiveHub
  let figures: SharedFigures
  let renderer: Renderer
  let sessions: SessionStore
  let door: Door.CookieName
  /// Whether several people share the console. In the foreground it has one user.
  let isShared: Bool
  /// Makes actions on one channel run one after the other.
  let turns = Turns()

  /// Objects on one page of a list.
  static let pageSize = 100

  // MARK: - What several pages need

  /// Refuses changes for a session without permission, even if its page offers them.
  func requireChange(_ context: ConsoleContext) throws(PageRefusal) {
    guard context.visit?.role == .change else {
      throw PageRefusal(
        status: .forbidden, what: "You have read-only access",
        help: "To make changes, ask the person who runs Baton for permission.")
    }
  }

  /// Reads the form that was sent.
  func form(_ request: Request, _ context: ConsoleContext) async throws -> Form {
    // The body can be read only once.
    context.visit?.form.withLockedValue { $0 = Form() }
    let form = try await request.form()
    context.visit?.form.withLockedValue { $0 = form }
    return form
  }

  /// The identifier in the address, for example 7 in `channels/7`.
  func id(_ context: ConsoleContext, _ name: String = "id") throws(PageRefusal) -> Int64 {
    guard let id = context.parameters.get(name).flatMap({ Int64($0) }), id > 0 else {
      throw PageRefusal(status: .notFound, what: "Page not found", help: "The navigation lists all pages.")
    }
    return id
  }

  /// A response that redirects the browser to another page of the console after an action.
  func redirect(_ request: Request, to address: String) -> Response {
    Response(status: .seeOther, headers: [.location: request.root + address])
  }

  /// The addresses of the other pages of a list: the first page, unless this is it, and the next page.
  func pager(_ query: Form, next: String?, address: String) -> View.Part? {
    let isFirst = query["cursor"] == nil
    guard next != nil || !isFirst else { return nil }
    return .view([
      "first": isFirst ? nil : .text(address + query.with("cursor", nil).query),
      "next": next.map { .text(address + query.with("cursor", $0).query) },
    ])
  }

  /// Choices of one field of a form.
  static func choices(_ words: [String], chosen: String?) -> View.Part {
    .views(words.map { ["word": .text($0), "title": .text(Mark.spoken($0)), "isHere": .flag($0 == chosen)] })
  }

  /// One line of the history of channels.
  static func line(_ transition: ChannelTransition, _ times: Times) -> View {
    [
      "id": .text("t\(transition.revision)-\(transition.channelId)-\(transition.relayId)"),
      "channelId": .number(transition.channelId),
      "channel": .text(transition.channelName ?? "channel \(transition.channelId)"),
      "relayId": .number(transition.relayId), "relay": .text(transition.relayName),
      "from": Mark.view(transition.from), "to": Mark.view(transition.to),
      "isRetry": .flag(transition.from == transition.to),
      "cause": .some(transition.cause.map(Mark.spoken)), "detail": .some(transition.detail),
      "attempt": transition.attempt > 1 ? .number(transition.attempt) : nil, "time": times.view(transition.time),
    ]
  }

  /// One line of the history of health.
  static func line(_ change: HealthChange, _ times: Times) -> View {
    let address = change.relayId.map { "relays/\($0)" } ?? "servers"
    return [
      "id": .text("h\(change.revision)-\(change.relayId ?? 0)-\(change.serverId ?? 0)"),
      "address": .text(address), "name": .text(change.name), "kind": .text(change.relayId == nil ? "server" : "relay"),
      "from": Mark.view(change.from), "to": Mark.view(change.to), "cause": .some(change.cause.map(Mark.spoken)),
      "detail": .some(change.detail), "time": times.view(change.time),
    ]
  }

  static func view(_ finding: Finding) -> View {
    ["severity": Mark.view(finding.severity), "message": .text(finding.message)]
  }
}
