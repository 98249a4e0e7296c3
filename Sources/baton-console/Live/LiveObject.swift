internal import ControlAPI
internal import StrictJSON

/// The names of objects on pages, such as `channel:7`. `at:3` stands for the channels at relay 3.
enum LiveObject {
  /// The status of the daemon itself.
  static let status = "daemon:status"

  static func names(_ change: ChangeMessage) -> [String] {
    switch change.kind {
    case "channelRelay":
      guard let channel = change.transition?["channelId"]?.integer, let relay = change.transition?["relayId"]?.integer else {
        return []
      }
      return ["channel:\(channel)", "at:\(relay)"]
    case "channel", "relay", "server", "operator":
      return (change.after ?? change.before)?["id"]?.integer.map { ["\(change.kind):\($0)"] } ?? []
    default: return []
    }
  }
}
