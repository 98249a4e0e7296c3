internal import Channels
internal import Logging
internal import Storage

/// Logs the entries of decisions, and one entry for each committed transition that `TransitionDigest` admits.
struct Journal {
  private let logger: Logger
  private var digest = TransitionDigest()

  init(_ logger: Logger) { self.logger = logger }

  /// When left-out transitions must be summed up. `nil` if there are none.
  var due: Timestamp? { digest.due }

  func write(_ entries: [JournalEntry]) {
    for entry in entries {
      if let event = entry.event {
        logger.event(event, entry.level.inLog, "\(entry.message)", entry.fields.mapValues { "\($0)" })
      } else {
        logger.log(level: entry.level.inLog, "\(entry.message)")
      }
    }
  }

  /// Logs the changes of one commit.
  /// - Parameter created: the channels among them that are new.
  mutating func write(_ changes: [Change], created: Set<ChannelID>, at now: Timestamp) {
    for change in changes { write(change, created, now) }
  }

  /// Sums up the transitions that were left out in past minutes.
  /// - Parameter now: the current time. `nil` sums up all of them.
  mutating func sumUp(at now: Timestamp?) {
    for summary in digest.end(at: now) {
      let (kind, transition) = (summary.kind, summary.latest.transition)
      logger.event(
        .transitionsShared, Self.level(of: transition),
        "\(summary.count) more on '\(summary.relayName)' within a minute: \(Self.words(transition))",
        [
          "BATON_RELAY": "\(kind.relay.rawValue)", "BATON_FROM": "\(kind.from.rawValue)", "BATON_TO": "\(kind.to.rawValue)",
          "BATON_CAUSE": "\(kind.cause.rawValue)", "BATON_COUNT": "\(summary.count)",
          "BATON_CHANNEL": .array(summary.channels.map { "\($0.rawValue)" }),
          "BATON_REVISION": "\(summary.latest.revision)",
        ])
    }
  }

  private mutating func write(_ change: Change, _ created: Set<ChannelID>, _ now: Timestamp) {
    switch change.object {
    case .channelRelay(let relay, let row):
      guard digest.admits(row, relayName: relay.name, at: now) else { return }
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
      if created.contains(snapshot.row.id) {
        logger.event(
          .channelCreated, .info,
          "channel \(id) '\(snapshot.row.profile.displayName)' was \(snapshot.row.isOwned ? "created" : "followed")",
          ["BATON_CHANNEL": "\(id)"])
      }
      if snapshot.phase == .deleted {
        logger.event(
          .channelDeleted, .info, "channel \(id) was \(snapshot.row.isOwned ? "deleted" : "unfollowed")",
          ["BATON_CHANNEL": "\(id)"])
      }
    case .catalog: break  // logged where the reason is known
    }
  }

  private static func words(_ transition: ChannelRelayMachine.Transition) -> String {
    let isRetry = transition.from == transition.to
    let step = isRetry ? "remains \(transition.to.rawValue)" : "\(transition.from.rawValue) → \(transition.to.rawValue)"
    return transition.detail.isEmpty ? step : "\(step): \(transition.detail)"
  }

  private static func level(of transition: ChannelRelayMachine.Transition) -> Logger.Level {
    switch transition.to {
    // Another person's channel under this channel's name is not an everyday outage.
    case .failed where transition.cause == .wrongIdentity: .error
    case .failed, .inactive: .warning
    case .active: .notice
    case .new, .invited, .accepted, .removed: .info
    }
  }
}

extension JournalEntry.Level {
  fileprivate var inLog: Logger.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}
