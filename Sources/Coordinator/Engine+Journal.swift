internal import Channels
internal import Logging
internal import Storage

// What the journal says of committed changes.
extension Engine {
  /// Logs the changes of one commit.
  func log(_ changes: [Change], _ batch: Batch) {
    logSummaries(at: clock.now)
    for change in changes { log(change, batch) }
    setAlarm(.digest, at: digest.due)
  }

  /// Logs what was left out in the minutes that are over.
  /// - Parameter now: the present time; nil logs all that was left out.
  func logSummaries(at now: Timestamp?) {
    for summary in digest.end(at: now) {
      let (kind, transition) = (summary.kind, summary.latest.transition)
      logger.event(
        .transitionsShared, Self.level(of: transition),
        "on '\(summary.relayName)' \(summary.count) times more within a minute: \(Self.words(transition))",
        [
          "BATON_RELAY": "\(kind.relay.rawValue)", "BATON_FROM": "\(kind.from.rawValue)", "BATON_TO": "\(kind.to.rawValue)",
          "BATON_CAUSE": "\(kind.cause.rawValue)", "BATON_COUNT": "\(summary.count)",
          "BATON_CHANNEL": .array(summary.channels.map { "\($0.rawValue)" }),
          "BATON_REVISION": "\(summary.latest.revision)",
        ])
    }
    setAlarm(.digest, at: digest.due)
  }

  private func log(_ change: Change, _ batch: Batch) {
    switch change.object {
    case .channelRelay(let relay, let row):
      guard digest.admits(row, relayName: relay.name, at: clock.now) else { return }
      let transition = row.transition
      logger.event(
        .transition, Self.level(of: transition),
        "channel \(row.channel.rawValue) on '\(relay.name)' \(Self.words(transition))",
        [
          "BATON_CHANNEL": "\(row.channel.rawValue)", "BATON_RELAY": "\(row.relay.rawValue)",
          "BATON_FROM": "\(transition.from.rawValue)", "BATON_TO": "\(transition.to.rawValue)",
          "BATON_CAUSE": "\(transition.cause?.rawValue ?? "")", "BATON_ATTEMPT": "\(transition.attempt)",
          "BATON_REVISION": "\(row.revision)",
        ])
    case .channel(let snapshot):
      let id = snapshot.row.id.rawValue
      if batch.touches[snapshot.row.id]?.isNew == true {
        logger.event(
          .channelCreated, .info, "channel \(id) '\(snapshot.row.profile.displayName)' was created",
          ["BATON_CHANNEL": "\(id)"])
      }
      if snapshot.phase == .deleted {
        logger.event(.channelDeleted, .info, "channel \(id) was deleted", ["BATON_CHANNEL": "\(id)"])
      }
    case .catalog: break  // logged where the reason is known
    }
  }

  private static func words(_ transition: ChannelRelayMachine.Transition) -> String {
    let isRetry = transition.from == transition.to
    let step = isRetry ? "stays \(transition.to.rawValue)" : "\(transition.from.rawValue) → \(transition.to.rawValue)"
    return transition.detail.isEmpty ? step : "\(step): \(transition.detail)"
  }

  private static func level(of transition: ChannelRelayMachine.Transition) -> Logger.Level {
    switch transition.to {
    // Somebody else's channel under this one's name is no everyday outage.
    case .failed where transition.cause == .wrongIdentity: .error
    case .failed, .inactive: .warning
    case .active: .notice
    case .new, .invited, .accepted, .removed: .info
    }
  }
}
