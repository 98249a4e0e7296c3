internal import BatonClient
internal import ControlAPI
internal import HTTPTypes
internal import Hummingbird
internal import StrictJSON
internal import Varlink

// Edits the profile of a channel.
extension Pages {
  func editChannel(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    return edit(channel, typed: nil, refusal: nil, request, context)
  }

  private func edit(
    _ channel: Channel, typed: Form?, refusal: VarlinkError?, _ request: Request, _ context: ConsoleContext
  ) -> Response {
    let view: View = [
      "id": .number(channel.id), "title": .text(channel.profile.displayName), "trouble": .some(refusal.map(Failures.sentence)),
      "name": .text(typed?["name"] ?? channel.profile.displayName),
      "fullName": .some(typed?["fullName"] ?? channel.profile.fullName),
      "description": .some(typed?["description"] ?? channel.profile.description),
      "image": .some(typed?["image"]), "imageBytesMax": .number(Self.imageBytesMax),
      "present": ChannelImage.address(channel).map { .text($0) }, "removes": .flag(typed?["noImage"] != nil),
      // If the user did not change the box, it shows the current value.
      "heals": .flag(typed.map { $0["heal"] == $0["healed"] ? channel.heal : $0["heal"] != nil } ?? channel.heal),
      "owned": .flag(channel.owned),
      "healed": .flag(channel.heal),
      // The current values are shown next to the typed ones, so that no one overwrites values they have not seen.
      "now": typed == nil
        ? nil
        : .view([
          "name": .text(channel.profile.displayName), "fullName": .some(channel.profile.fullName),
          "description": .some(channel.profile.description),
        ]),
      "revision": .number(channel.revision), "edition": .number(channel.edition),
    ]
    return renderer.page(
      "channel-edit", title: "Edit \(channel.profile.displayName)", section: .channels, view,
      status: Failures.status(ofForm: refusal), request, context)
  }

  func updateChannel(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let form = try await form(request, context)
    var channel = try await daemon.ask { try await $0.channels.get(id: id) }
    var tries = 1
    while true {
      do {
        try await update(channel, as: form)
        return redirect(request, to: "channels/\(id)?done=changed")
      } catch let error as VarlinkError where error.name != VarlinkError.permissionDenied.name {
        let edition = channel.edition
        guard error.kind == .staleRevision else { return edit(channel, typed: form, refusal: error, request, context) }
        channel = try await daemon.ask { try await $0.channels.get(id: id) }
        // With the same edition, only relays have changed: the profile is still the one that the user saw.
        guard tries < Self.editsMax, channel.edition == edition, form.number("edition") == Int64(edition) else {
          return edit(channel, typed: form, refusal: error, request, context)
        }
        tries += 1
      }
    }
  }

  /// How often to try a change if the channel changes at the same time.
  private static let editsMax = 5

  /// Requests the changes of a form, unless the channel was changed by someone else.
  private func update(_ channel: Channel, as form: Form) async throws {
    /// The typed text, if it differs from the current one.
    func changed(_ name: String, from present: String?) -> String? {
      guard let typed = form[name]?.replacing("\r\n", with: "\n"), typed != present ?? "" else { return nil }
      return typed
    }
    // The box counts only if the user changed it. The form contains its state from when the page was made.
    let (heals, healed) = (form["heal"] != nil, form["healed"] != nil)
    // Relays that are added or removed while someone types give the channel new revisions, but do not conflict with a change of the
    // profile.
    let isAsSeen = form.number("edition") == Int64(channel.edition)
    let wanted = UpdateChannel(
      id: channel.id, revision: isAsSeen ? channel.revision : form.number("revision"),
      displayName: changed("name", from: channel.profile.displayName),
      fullName: changed("fullName", from: channel.profile.fullName),
      description: changed("description", from: channel.profile.description),
      // A new image, or an empty one to remove it.
      image: form.text("image") ?? (form["noImage"] == nil ? nil : ""),
      heal: channel.owned && heals != healed ? heals : nil)
    _ = try await daemon.ask { try await $0.channels.update(wanted) }
  }
}
