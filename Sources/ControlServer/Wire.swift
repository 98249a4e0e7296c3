internal import Channels
internal import ControlAPI
internal import Coordinator
internal import RelayNetwork
internal import Storage
internal import StrictJSON

// From the domain to the wire.

extension Timestamp {
  var text: String { RFC3339.text(milliseconds: milliseconds) }
}

extension ControlAPI.TestStep {
  init(_ step: ProbeStep) {
    self.init(
      name: step.name,
      durationMilliseconds: Double(step.duration.components.attoseconds / 1_000_000_000_000) / 1000
        + Double(step.duration.components.seconds) * 1000,
      passed: step.failure == nil, cause: step.failure?.cause.rawValue, detail: step.failure?.detail ?? step.detail)
  }
}

extension ChannelRelay {
  init(_ relay: ChannelSnapshot.Relay) {
    let view = relay.view
    let trouble = view.trouble ?? relay.networkTrouble
    self.init(
      relayId: relay.id.rawValue, relayName: relay.name, operatorId: relay.relayOperator?.rawValue,
      status: view.status.rawValue,
      cause: trouble?.cause.rawValue, detail: trouble?.detail, attempt: view.attempt,
      relayLink: view.relayLink, since: view.since.text, nextAttemptAt: view.nextAttemptAt?.text, edition: view.edition)
  }
}

extension Channel {
  init(_ snapshot: ChannelSnapshot, _ activity: ChannelActivity) {
    let row = snapshot.row
    let (lastPost, conversation) = (activity.lastPost, activity.conversation)
    let profile = ControlAPI.Profile(
      displayName: row.profile.displayName, fullName: row.profile.fullName, description: row.profile.description,
      image: row.profile.image, preferences: row.preferences)
    self.init(
      id: row.id.rawValue, kind: row.kind.rawValue, network: row.network.rawValue, owned: row.isOwned,
      identity: snapshot.identityName,
      key: row.key?.rawValue, profile: profile, phase: snapshot.phase.rawValue, summary: snapshot.summary, edition: row.edition,
      link: snapshot.link,
      linkUsable: snapshot.isLinkUsable,
      relays: snapshot.relays.map(ChannelRelay.init), readRelayIds: snapshot.readFrom.map(\.rawValue),
      access: snapshot.access.map(\.rawValue).sorted(),
      wantedRelays: row.wantedRelays, heal: row.heal, custom: row.custom,
      createdAt: row.createdAt.text, updatedAt: row.updatedAt.text, lastPostAt: lastPost?.createdAt.text,
      lastPost: lastPost?.preview, lastMessageAt: conversation?.lastAt?.textOfAnybody, lastMessage: conversation?.preview,
      unread: conversation?.unread ?? 0, unreadMentions: conversation?.unreadMentions ?? 0,
      memberCount: conversation?.memberCount, hidden: conversation?.isHidden ?? false, muted: row.marks.isMuted,
      pinned: row.marks.isPinned, frozen: row.marks.isFrozen,
      frozenEnforced: row.network.keepsReadersFromWriting,
      followed: row.marks.following.isOn, followDays: row.marks.following.days, followCount: row.marks.following.count,
      followKeep: row.marks.following.keep,
      truncatedAt: row.marks.truncatedAt?.text, revision: row.revision)
  }
}

extension NetworkKind {
  /// Whether people who only read a channel cannot write there.
  fileprivate var keepsReadersFromWriting: Bool {
    switch self {
    case .nostr: false
    case .simplex: true
    }
  }
}

extension Transition {
  init(_ row: TransitionRow, relayName: String) {
    let transition = row.transition
    self.init(
      revision: row.revision, relayId: row.relay.rawValue, relayName: relayName, from: transition.from.rawValue,
      to: transition.to.rawValue, cause: transition.cause?.rawValue, detail: transition.detail,
      attempt: transition.attempt, time: transition.at.text)
  }
}
