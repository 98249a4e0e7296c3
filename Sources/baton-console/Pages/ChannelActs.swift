internal import BatonClient
internal import ControlAPI
internal import HTTPTypes
internal import Hummingbird
internal import Sentences
internal import StrictJSON
internal import Varlink

// Actions on one channel. Each is a separate form. The daemon decides whether it is possible, and gives the reason of a refusal.
extension Pages {
  func retry(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await act(request, context, "retry") { client, id, form in
      _ = try await client.channels.retryRelay(id: id, relayId: form.number("relay"))
    }
  }

  func verify(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await act(request, context, "verify") { client, id, _ in _ = try await client.channels.verify(id: id) }
  }

  /// Asks for the relay to which the channel is to be added.
  func askForRelay(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    let (relays, isAll) = try await enabledRelays(on: channel.network)
    // On Nostr, a removed relay cannot be distinguished from a relay that never had the channel, and does not get it again.
    let had = channel.network == "nostr" ? channel.relays : channel.members
    let here = Set(had.map(\.relayId))
    let view: View = [
      "id": .number(id), "name": .text(channel.profile.displayName), "seen": .text(Self.seen(channel)),
      "isPart": .flag(!isAll),
      "relays": .views(
        relays.filter { !here.contains($0.id) }.map { relay in
          ["id": .number(relay.id), "name": .text(relay.name), "health": Mark.view(relay.health)]
        }),
    ]
    return renderer.page(
      "channel-add", title: "Add a relay to \(channel.profile.displayName)", section: .channels, view, request, context)
  }

  func addRelays(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await act(request, context, "added") { client, id, form in
      try await Self.requireSeen(form, id, client)
      let relays = form.all("relay").compactMap { Int64($0) }
      _ = try await client.channels.addRelays(id: id, relayIds: relays.isEmpty ? nil : relays, pick: relays.isEmpty ? 1 : nil)
    }
  }

  /// Asks for confirmation before the channel leaves a relay.
  func confirmRemoval(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let number = try request.query().number("relay")
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    guard let relay = channel.members.first(where: { $0.relayId == number }) else {
      throw PageRefusal(
        status: .notFound, what: "The channel is not on this relay", help: "The channel's page lists its relays.")
    }
    let view: View = [
      "id": .number(id), "name": .text(channel.profile.displayName), "relayId": .number(relay.relayId),
      "relay": .text(relay.relayName), "status": Mark.view(relay.status), "seen": .text(Self.seen(channel)),
      "isLast": .flag(channel.members.count == 1), "onNostr": .flag(channel.network == "nostr"),
    ]
    return renderer.page(
      "channel-remove", title: "Remove \(relay.relayName) from \(channel.profile.displayName)", section: .channels, view,
      request,
      context)
  }

  /// Removes the channel from a relay. With `replace`, another relay is picked first, so that readers always have one.
  func removeRelay(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await act(request, context, "removed") { client, id, form in
      guard let relay = form.number("relay") else {
        throw PageRefusal(status: .badRequest, what: "No relay selected", help: "Select one on the channel's page.")
      }
      let channel = try await Self.requireSeen(form, id, client)
      guard channel.members.contains(where: { $0.relayId == relay }) else {
        throw PageRefusal(
          status: .conflict, what: "The channel is no longer on this relay",
          help: "Someone else removed it, or the form was sent twice.")
      }
      guard form["replace"] != nil else {
        _ = try await client.channels.removeRelay(id: id, relayId: relay)
        return
      }
      _ = try await client.channels.addRelays(id: id, pick: 1)
      do {
        _ = try await client.channels.removeRelay(id: id, relayId: relay)
      } catch let error as VarlinkError {
        throw PageRefusal(
          status: Failures.status(error).0, what: "Another relay was added, but the old one was not removed",
          help: "The reason: \(Failures.sentence(error))")
      }
    }
  }

  /// The relays of a channel, as a form stores them.
  static func seen(_ channel: Channel) -> String {
    channel.members.map { String($0.relayId) }.joined(separator: "-")
  }

  /// Refuses a request that was made when the channel had other relays, so that a form that is sent twice adds one relay.
  @discardableResult
  private static func requireSeen(_ form: Form, _ id: Int64, _ client: BatonClient) async throws -> Channel {
    let channel = try await client.channels.get(id: id)
    if let seen = form["seen"], seen != Self.seen(channel) {
      throw PageRefusal(
        status: .conflict, what: "The channel's relays have changed",
        help:
          "Someone else changed them, or the form was sent twice. Check the channel before you repeat your change.")
    }
    return channel
  }

  /// Asks for confirmation of the deletion: the user has to type the channel's name.
  func confirmDelete(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    return confirmation(channel, nil, request, context)
  }

  func delete(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let form = try await form(request, context)
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    guard form.text("name") == channel.profile.displayName else {
      return confirmation(channel, "The name does not match. Nothing was deleted.", request, context)
    }
    _ = try await daemon.ask { try await $0.channels.delete(id: id) }
    return redirect(request, to: "channels/\(id)?done=deleted")
  }

  private func confirmation(
    _ channel: Channel, _ trouble: String?, _ request: Request, _ context: ConsoleContext
  ) -> Response {
    let view: View = [
      "id": .number(channel.id), "name": .text(channel.profile.displayName), "trouble": .some(trouble),
      "relays": .text(counted(channel.members.count, "relay")),
      "keepsPosts": .flag(channel.network == "nostr" && channel.kind == "channel"),
    ]
    return renderer.page(
      "channel-confirm", title: "Delete \(channel.profile.displayName)", section: .channels, view,
      status: trouble == nil ? .ok : .unprocessableContent, request, context)
  }

  private func act(
    _ request: Request, _ context: ConsoleContext, _ done: String,
    _ body: @escaping @Sendable (BatonClient, Int64, Form) async throws -> Void
  ) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let form = try await form(request, context)
    try await turns.take(id) { [daemon] in try await daemon.ask { try await body($0, id, form) } }
    // In the second step of a new channel, the user returns to that step.
    let isInSecondStep = request.headers[.referer]?.hasSuffix("/channels/\(id)/progress") == true
    let page = isInSecondStep ? "/progress" : "?done=\(form["replace"] == nil ? done : "replaced")"
    return redirect(request, to: "channels/\(id)\(page)")
  }
}
