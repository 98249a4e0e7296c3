internal import BatonClient
internal import ControlAPI
internal import HTTPTypes
internal import Hummingbird
internal import Sentences
internal import StrictJSON
internal import Varlink

// What is done with one channel. Each is a form of its own; the daemon decides, and says why it refuses.
extension Pages {
  func retry(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await act(request, context, "retry") { client, id, form in
      _ = try await client.retryChannel(id: id, relayId: form.number("relay"))
    }
  }

  func verify(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await act(request, context, "verify") { client, id, _ in _ = try await client.verifyChannel(id: id) }
  }

  func addRelays(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await act(request, context, "added") { client, id, form in
      let relays = form.all("relay").compactMap { Int64($0) }
      _ = try await client.addRelays(relays, pick: relays.isEmpty ? 1 : 0, toChannel: id)
    }
  }

  /// Takes the channel off a relay; with `replace`, another one is picked first, so that readers always have one.
  func removeRelay(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await act(request, context, "removed") { client, id, form in
      guard let relay = form.number("relay") else {
        throw PageRefusal(status: .badRequest, what: "No relay was named", help: "Go back and choose one.")
      }
      let channel = try await client.channel(id: id)
      guard channel.relays.contains(where: { $0.relayId == relay && $0.status != "removed" }) else {
        throw PageRefusal(
          status: .conflict, what: "The channel is not there any more", help: "Somebody was faster, or sent this twice.")
      }
      if form["replace"] != nil { _ = try await client.addRelays([], pick: 1, toChannel: id) }
      _ = try await client.removeRelay(relay, fromChannel: id)
    }
  }

  /// Asks whether a channel is meant: its name has to be typed.
  func confirmDelete(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let channel = try await daemon.ask { try await $0.channel(id: id) }
    return confirmation(channel, nil, request, context)
  }

  func delete(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let form = try await form(request)
    let channel = try await daemon.ask { try await $0.channel(id: id) }
    guard form.text("name") == channel.profile.displayName else {
      return confirmation(channel, "That is not its name. Nothing was deleted.", request, context)
    }
    _ = try await daemon.ask { try await $0.deleteChannel(id: id) }
    return redirect(request, to: "channels/\(id)?done=deleted")
  }

  private func confirmation(
    _ channel: Channel, _ trouble: String?, _ request: Request, _ context: ConsoleContext
  ) -> Response {
    let view: View = [
      "id": .number(channel.id), "name": .text(channel.profile.displayName), "trouble": .some(trouble),
      "relays": .text(counted(channel.relays.count { $0.status != "removed" }, "relay")),
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
    let form = try await form(request)
    try await daemon.ask { try await body($0, id, form) }
    return redirect(request, to: "channels/\(id)?done=\(done)")
  }
}
