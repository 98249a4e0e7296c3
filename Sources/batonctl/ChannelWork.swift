internal import ControlAPI
internal import StrictJSON

/// The work that the daemon still has for a channel. Reading back a working relay does not count, nor does waiting for a person.
enum ChannelWork: String, CaseIterable {
  /// A relay is on its way to serve the channel.
  case joining
  /// A relay that served it is retried.
  case retrying
  /// A relay that serves it does not show the newest profile yet.
  case updating
  /// Baton is deleting the channel on a relay, or removing the relay from it.
  case leaving

  /// The work for one relay of a channel, or `nil` without any.
  init?(_ relay: ChannelRelay, of channel: Channel) {
    switch relay.status {
    case "new", "invited", "accepted": self = .joining
    case "inactive": self = .retrying
    case "removed" where relay.attempt > 0: self = .leaving
    case "active" where relay.edition < channel.edition && relay.cause != "onePerAuthor": self = .updating
    case "active" where relay.attempt > 0: self = .retrying
    default: return nil
    }
  }

  /// The work for a channel, one element for each relay with work.
  static func of(_ channel: Channel) -> [ChannelWork] { channel.relays.compactMap { ChannelWork($0, of: channel) } }

  /// The work in words: `2 joining, 1 updating`.
  static func words(_ channel: Channel) -> String {
    let work = of(channel)
    return allCases.compactMap { kind in
      let count = work.count { $0 == kind }
      return count > 0 ? "\(count) \(kind.rawValue)" : nil
    }
    .joined(separator: ", ")
  }

  /// A condition that holds for every channel with work, and for few others: a filter cannot compare the editions of relay and channel.
  static let condition: JSONValue = [
    // Channels that are being deleted are listed only if the filter names phases.
    "phase": ["$ne": "deleted"],
    "$or": [
      [
        "relays": [
          "$elemMatch": ["$or": [["status": ["$in": ["new", "invited", "accepted", "inactive"]]], ["attempt": ["$gt": 0]]]]
        ]
      ],
      ["edition": ["$gt": 1]],
    ],
  ]
}
