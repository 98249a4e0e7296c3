internal import ControlAPI
internal import StrictJSON

/// What the daemon still has to do for a channel. Reading back what works is not work, and waiting for a person is none either.
enum ChannelWork: String, CaseIterable {
  /// A relay is on its way to serve the channel.
  case joining
  /// A relay that served it is tried again.
  case retrying
  /// A relay that serves it does not show the newest profile yet.
  case updating
  /// A relay is told that the channel, or the relay's part in it, is over.
  case leaving

  /// What is to be done at a relay of a channel; nil when there is nothing.
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

  /// What is to be done for a channel, one element for each relay.
  static func of(_ channel: Channel) -> [ChannelWork] { channel.relays.compactMap { ChannelWork($0, of: channel) } }

  /// All of it in words: `2 joining, 1 updating`.
  static func words(_ channel: Channel) -> String {
    let work = of(channel)
    return allCases.compactMap { kind in
      let count = work.count { $0 == kind }
      return count > 0 ? "\(count) \(kind.rawValue)" : nil
    }
    .joined(separator: ", ")
  }

  /// Holds for every channel with work, and for few others: that a relay is behind its channel's edition cannot be said in a filter.
  static let condition: JSONValue = [
    // Channels that are being deleted are listed only where phases are asked for.
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
