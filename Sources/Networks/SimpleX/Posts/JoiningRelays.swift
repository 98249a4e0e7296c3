internal import Channels
internal import RelayNetwork

/// Since when posts wait for relays that are just getting their channels, so that a relay that never answers delays only the first of them.
/// It is bounded.
struct JoiningRelays {
  static let max = 10_000

  private var since: [CoreMember.ID: Timestamp] = [:]

  /// Since when posts wait for a relay: since now if none did before.
  mutating func wait(for member: CoreMember.ID, now: Timestamp) -> Timestamp {
    if let time = since[member] { return time }
    if since.count >= Self.max { since = [:] }
    since[member] = now
    return now
  }
}

extension CoreWorker {
  /// Whether a post waits for relays that are just getting the channel. If so, it is looked at again after a while, or when there is news
  /// of them.
  func waitsForRelays(_ task: some DeskTask) -> Bool {
    let now = now()
    let taken = task.operations.compactMap { desks[task.channel]?.entries[task.post]?[$0.relay]?.since }.min() ?? now
    var rest = Duration.zero
    for relay in task.listing.relays where task.listing.isJoining(relay) {
      let since = min(taken, joining.wait(for: relay.member, now: now))
      rest = max(rest, limits.joinPatience - max(now - since, .zero))
    }
    guard rest > .milliseconds(20) else { return false }
    hold(task.post, in: task.channel, for: min(rest, limits.lookAgain))
    return true
  }
}

extension GroupListing {
  /// Whether a relay is on its way to the channel, and the core would not send it a post yet.
  fileprivate func isJoining(_ relay: CoreGroupRelay) -> Bool {
    switch standing(of: relay) {
    case .invited, .accepted: !(members[relay.member].map { $0.isThere && $0.canBeSentTo } ?? false)
    case .absent, .stuck, .active, .lost: false
    }
  }
}
