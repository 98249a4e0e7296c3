package import ControlAPI

extension Channel {
  /// The relays that count: those from which the channel was not removed.
  package var members: [ChannelRelay] { relays.filter { $0.status != "removed" } }
}
