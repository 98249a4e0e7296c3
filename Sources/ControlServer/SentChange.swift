internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import StrictJSON

/// A change as subscribers get it. For them it is a `ChangeMessage`. Here its objects are written directly, and not made into trees of JSON
/// first.
struct SentChange: JSONWritable {
  private let revision: Int64
  private let time: String
  private let kind: String
  private var before: (any JSONWritable)?
  private let after: any JSONWritable
  private var transition: JSONValue?
  /// True if the subscriber had fallen behind and this is the newest change of its object.
  var merged: Bool?

  /// - Parameter activity: the activity of the channel that the change is about.
  init(_ change: Change, _ coordinator: Coordinator, _ activity: ChannelActivity) throws {
    (revision, time) = (change.revision, change.at.text)
    switch change.object {
    case .catalog(let object, let before):
      kind = object.kind
      self.before = before?.wire(coordinator)
      after = object.wire(coordinator)
    case .channel(let snapshot):
      kind = "channel"
      after = Channel(snapshot, activity)
    case .channelRelay(let relay, let row):
      kind = "channelRelay"
      before = ["status": row.transition.from.rawValue]
      after = ChannelRelay(relay)
      var members = try Transition(row, relayName: relay.name).json.object ?? [:]
      members["channelId"] = .integer(row.channel.rawValue)
      transition = .object(members)
    }
  }

  func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("after", after)
    if let before { writer.member("before", before) }
    writer.member("kind", kind)
    writer.member("merged", merged)
    writer.member("revision", revision)
    writer.member("time", time)
    writer.member("transition", transition)
    writer.endObject()
  }
}
