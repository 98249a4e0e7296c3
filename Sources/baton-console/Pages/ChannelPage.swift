internal import BatonClient
internal import ControlAPI
internal import Hummingbird
internal import QRCodes
internal import StrictJSON

// One channel: its status on each relay, its link, its history, and the actions on it.
extension Pages {
  private static let historyMax = 50

  func channel(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let id = try id(context)
    let query = try request.query()
    let revision = await hub.revision
    async let found = daemon.ask { try await $0.channels.get(id: id) }
    async let history = daemon.ask {
      try await $0.monitor.transitions(filter: ["channelId": .integer(id)], limit: Self.historyMax)
    }
    let channel = try await found
    let times = Times()
    let lines = try await history.transitions
    var view = Self.view(channel, times, mayChange: context.visit?.role == .change)
    view["done"] = query["done"].flatMap { Self.done[$0] }.map { .text($0) }
    view["transitions"] = .views(lines.map { Self.line($0, times) })
    view["hasTransitions"] = .flag(!lines.isEmpty)
    view["hasMoreHistory"] = .flag(lines.count == Self.historyMax)
    return renderer.page(
      "channel", title: channel.profile.displayName, section: .channels, view, revision: revision, request, context)
  }

  /// The messages that the page shows after an action.
  private static let done = [
    "retry": "Baton is retrying the relays.", "verify": "Baton is reading the channel back from its relays.",
    "removed": "Baton asks the relay to delete the channel.", "added": "Baton is adding the channel to another relay.",
    "replaced": "Baton is adding the channel to another relay, and asks the old one to delete it.",
    "deleted": "Baton asks the relays to delete the channel.",
    "changed": "Changes saved. Relays receive the changes that readers see.",
  ]

  static func view(_ channel: Channel, _ times: Times, mayChange: Bool) -> View {
    let members = channel.members
    let isGone = channel.isGone
    let canAct = mayChange && channel.owned && !isGone
    let code = channel.link.flatMap { QRCode($0) }
    var view = row(channel, times)
    view = view.merging([
      "description": .some(channel.profile.description), "fullName": .some(channel.profile.fullName),
      "identity": .text(channel.identity), "kind": .text(channel.kind), "link": .some(channel.link),
      "linkAddress": channel.link.flatMap(opening), "linkIsDead": .flag(channel.link != nil && !channel.linkUsable),
      "code": code.map { .view(["size": .number($0.columns), "path": .text($0.path)]) },
      "key": channel.key.map { .text($0 == "own" ? "the channel's own key" : "the identity's key") },
      "image": ChannelImage.address(channel).map { .text($0) }, "edition": .number(channel.edition),
      "created": times.view(channel.createdAt),
      "heals": .text(channel.owned ? channel.heal ? "yes" : "no" : "–"),
      "custom": channel.custom.map { .text($0.text) },
      "lastPost": .some(channel.lastPost), "lastPostAt": times.view(channel.lastPostAt),
      "lastMessage": .some(channel.lastMessage), "lastMessageAt": times.view(channel.lastMessageAt),
      "members": channel.memberCount.map { .text(grouped($0)) },
      "relays": .views(channel.relays.map { relay($0, of: channel, times, canAct: canAct) }),
      "hasRelays": .flag(!channel.relays.isEmpty), "canAct": .flag(canAct),
      "canRetry": .flag(canAct && members.contains { $0.status != "active" }),
      "canGrow": .flag(canAct && channel.kind == "channel"),
    ])
    return view
  }

  private static func relay(_ relay: ChannelRelay, of channel: Channel, _ times: Times, canAct: Bool) -> View {
    let isHere = relay.status != "removed"
    let others = channel.members.count
    return [
      "channelId": .number(channel.id), "seen": .text(seen(channel)), "relayId": .number(relay.relayId),
      "relayName": .text(relay.relayName),
      "status": Mark.view(relay.status),
      "cause": .some(relay.cause.map(Mark.spoken)), "detail": .some(relay.detail),
      "attempt": relay.attempt > 0 && isHere ? .number(relay.attempt) : nil,
      "next": isHere ? times.view(relay.nextAttemptAt, isPlanned: true) : nil, "since": times.view(relay.since),
      "isBehind": .flag(relay.status == "active" && relay.edition < channel.edition),
      "edition": relay.edition > 0 && isHere ? .number(relay.edition) : nil, "canAct": .flag(canAct),
      "canRetry": .flag(canAct && isHere && relay.status != "active"), "canRemove": .flag(canAct && isHere && others > 1),
      "canReplace": .flag(
        canAct && channel.kind == "channel" && ["failed", "inactive"].contains(relay.status) && others > 0),
    ]
  }

  /// An address that may be opened. Other addresses are only shown, whichever relay sent them.
  static func opening(_ link: String) -> View.Part? {
    let schemes = ["https://", "nostr:", "simplex:"]
    return schemes.contains { link.lowercased().hasPrefix($0) } ? .text(link) : nil
  }
}

extension ControlAPI.Channel {
  /// Whether it is deleted or being deleted.
  var isGone: Bool { ["deleting", "deleted"].contains(phase) }
}
