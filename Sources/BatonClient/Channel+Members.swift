package import ControlAPI

extension Channel {
  /// The relays that count: all from which the channel was not removed.
  package var members: [ChannelRelay] { relays.filter { $0.status != "removed" } }
}
