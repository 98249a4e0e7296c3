internal import BatonClient
internal import ControlAPI
internal import HTTPTypes
internal import Hummingbird
internal import StrictJSON
internal import Varlink

// Changing what readers see of a channel.
extension Pages {
  func editChannel(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let id = try id(context)
    let channel = try await daemon.ask { try await $0.channel(id: id) }
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
      // Whoever has not touched the box sees what it is now.
      "heals": .flag(typed.map { $0["heal"] == $0["healed"] ? channel.heal : $0["heal"] != nil } ?? channel.heal),
      "owned": .flag(channel.owned),
      "healed": .flag(channel.heal),
      // What it is now stands beside what was typed, so that no one overwrites what they have not seen.
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
    var channel = try await daemon.ask { try await $0.channel(id: id) }
    var tries = 1
    while true {
      do {
        try await update(channel, as: form)
        return redirect(request, to: "channels/\(id)?done=changed")
      } catch let error as VarlinkError where error.name != VarlinkError.permissionDenied.name {
        let edition = channel.edition
        guard error.kind == .staleRevision else { return edit(channel, typed: form, refusal: error, request, context) }
        channel = try await daemon.ask { try await $0.channel(id: id) }
        // A relay has just come or gone: what readers see is what someone saw who typed this.
        guard tries < Self.editsMax, channel.edition == edition, form.number("edition") == Int64(edition) else {
          return edit(channel, typed: form, refusal: error, request, context)
        }
        tries += 1
      }
    }
  }

  /// How often a change is tried whose channel changes at the same time.
  private static let editsMax = 5

  /// Asks for what a form says, if the channel is still what it was.
  private func update(_ channel: Channel, as form: Form) async throws {
    /// What was typed, if it is not what there is.
    func changed(_ name: String, from present: String?) -> String? {
      guard let typed = form[name]?.replacing("\r\n", with: "\n"), typed != present ?? "" else { return nil }
      return typed
    }
    // The box says what someone wants only if they have touched it: what it was when they saw it is in the form.
    let (heals, healed) = (form["heal"] != nil, form["healed"] != nil)
    // Relays come and go while someone types, and give the channel new revisions; that is no reason to refuse a change of what readers see.
    let isAsSeen = form.number("edition") == Int64(channel.edition)
    let wanted = UpdateChannel(
      id: channel.id, revision: isAsSeen ? channel.revision : form.number("revision"),
      displayName: changed("name", from: channel.profile.displayName),
      fullName: changed("fullName", from: channel.profile.fullName),
      description: changed("description", from: channel.profile.description),
      // A new one, or an empty one to take it away.
      image: form.text("image") ?? (form["noImage"] == nil ? nil : ""),
      heal: channel.owned && heals != healed ? heals : nil)
    _ = try await daemon.ask { try await $0.updateChannel(wanted) }
  }
}
