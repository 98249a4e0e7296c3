internal import BatonClient
internal import ControlAPI

// The progress of a channel.
extension ChannelView {
  /// A bar, the count, and a line per relay.
  /// - Parameter size: the size of the terminal that the lines must fit, or `nil` without a terminal.
  func progress(_ channel: Channel, in size: Terminal.Size?) -> [String] {
    let relays = channel.members.map { relay in
      RelayProgress.Relay(name: relay.relayName, status: relay.status, rank: Self.rank(relay)) { width in
        relayLine(relay, width: width)
      }
    }
    return RelayProgress(terminal: terminal, words: "relays active").lines(relays, in: size)
  }

  private static func rank(_ relay: ChannelRelay) -> RelayProgress.Relay.Rank {
    if relay.status == "active" { return .done }
    return isLost(relay) ? .lost : .open
  }
}
