internal import BatonClient
internal import ControlAPI
internal import HTTPTypes
internal import Hummingbird
internal import StrictJSON
internal import Varlink

// A new channel in three steps: its profile, its progress on each relay, and the link.
extension Pages {
  /// How many relays are picked by default.
  private static let pickedRelays = 3
  /// The largest number of relays in a form, less than the number of fields that a form may have.
  private static let choicesMax = 200
  /// How long a channel may be cancelled with one button, in milliseconds. Later it is deleted like any other.
  private static let cancelMax: Int64 = 3_600_000

  func newChannel(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    // The form may be sent twice, but creates only one channel.
    return try await newChannel(Form().with("key", Self.key()), refusal: nil, request, context)
  }

  private func newChannel(
    _ form: Form, refusal: VarlinkError?, _ request: Request, _ context: ConsoleContext
  ) async throws -> Response {
    let (relays, isAll) = try await enabledRelays()
    let chosen = Set(form.all("relay"))
    let view: View = [
      "trouble": .some(refusal.map(Failures.sentence)), "key": .text(form["key"] ?? ""), "name": .some(form["name"]),
      "fullName": .some(form["fullName"]), "description": .some(form["description"]),
      "image": .some(form["image"]), "imageBytesMax": .number(Self.imageBytesMax),
      "pick": .text(form["pick"] ?? "\(min(Self.pickedRelays, max(1, relays.count)))"), "hasRelays": .flag(!relays.isEmpty),
      "isPart": .flag(!isAll),
      "relays": .views(
        relays.map { relay in
          [
            "id": .number(relay.id), "name": .text(relay.name), "network": .text(relay.network),
            "health": Mark.view(relay.health), "isChosen": .flag(chosen.contains("\(relay.id)")),
          ]
        }),
    ]
    return renderer.page(
      "channel-new", title: "New channel", section: .channels, view, status: Failures.status(ofForm: refusal), request,
      context)
  }

  /// The relays for a form, by name.
  /// - Parameter network: only relays of this network.
  /// - Returns: the relays, and whether the list is complete.
  func enabledRelays(on network: String? = nil) async throws -> (relays: [Relay], isAll: Bool) {
    var filter: [String: JSONValue] = ["enabled": true]
    if let network { filter["network"] = .string(network) }
    let condition = JSONValue.object(filter)
    let reply = try await daemon.ask { client in
      try await client.relays.list(
        ListRequest(filter: condition, sort: [["field": "name"]], limit: Self.choicesMax))
    }
    return (reply.relays, reply.nextCursor == nil)
  }

  func createChannel(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let form = try await form(request, context)
    let relays = form.all("relay").compactMap { Int64($0) }
    let wanted = CreateChannel(
      profile: Profile(
        displayName: form["name"] ?? "", fullName: form.text("fullName"),
        description: form.text("description"), image: form.text("image")),
      relayIds: relays.isEmpty ? nil : relays, pick: relays.isEmpty ? form.number("pick").map { Int(clamping: $0) } : nil,
      idempotencyKey: form.text("key"))
    do {
      let channel = try await daemon.ask { try await $0.channels.create(wanted) }
      return redirect(request, to: "channels/\(channel.id)/progress")
    } catch let error as VarlinkError where error.name != VarlinkError.permissionDenied.name {
      // The form keeps the typed text.
      return try await newChannel(form, refusal: error, request, context)
    }
  }

  /// The second step: one row for each relay, until the user continues.
  func progress(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let id = try id(context)
    let revision = await hub.revision
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    var view = Self.view(channel, Times(), mayChange: context.visit?.role == .change)
    let members = channel.members
    let active = members.count { $0.status == "active" }
    let isUnderWay = members.contains { ["new", "invited", "accepted"].contains($0.status) }
    view["isUnderWay"] = .flag(isUnderWay)
    view["isComplete"] = .flag(active > 0 && active == members.count)
    view["canProceed"] = .flag(active > 0 && active < members.count)
    view["total"] = .number(members.count)
    view["canCancel"] = .flag(context.visit?.role == .change && Self.canCancel(channel))
    return renderer.page(
      "channel-progress", title: "New channel: \(channel.profile.displayName)", section: .channels, view, revision: revision,
      request, context)
  }

  /// The third step: the link, as text and as a code.
  func link(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let id = try id(context)
    let revision = await hub.revision
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    return renderer.page(
      "channel-link", title: "Link to \(channel.profile.displayName)", section: .channels,
      Self.view(channel, Times(), mayChange: false), revision: revision, request, context)
  }

  /// Whether a channel was created recently, so that it can be given up with one button.
  private static func canCancel(_ channel: Channel) -> Bool {
    let created = RFC3339.milliseconds(channel.createdAt) ?? 0
    return channel.owned && channel.lastPostAt == nil && SessionStore.now.wall - created < cancelMax
      && !channel.isGone
  }

  /// Gives up a channel that was created recently.
  func cancel(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    guard Self.canCancel(channel) else {
      throw PageRefusal(
        status: .conflict, what: "Too late to cancel",
        help: "The channel is more than an hour old or has posts. You can delete it on its page.")
    }
    _ = try await daemon.ask { try await $0.channels.delete(id: id) }
    return redirect(request, to: "channels/\(id)?done=deleted")
  }
}
