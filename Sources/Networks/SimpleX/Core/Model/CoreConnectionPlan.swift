internal import StrictJSON

/// The relation of a link to the core's user (`ConnectionPlan`, docs/design/simplex.md#joining-channels).
public enum CoreConnectionPlan: Hashable, Sendable {
  /// A channel that can be joined, with the data of its link, or `nil` if the data could not be read.
  case ok(CoreLinkData?)
  /// The user's own channel.
  case own(CoreGroup)
  /// The user is about to join the channel, which is `nil` unless the core has it.
  case joining(CoreGroup?)
  /// The core has the channel: joined, left, or only prepared.
  case known(CoreGroup)
  /// No relay serves the channel.
  case noRelays
  /// The core is too old for the channel.
  case tooOld
  /// The link could not be looked up.
  case failed(CoreError)
  /// Something else, or a plan unknown to this version of Baton.
  case other(tag: String)
}

extension CoreConnectionPlan: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    switch try reader.string("type") {
    case "groupLink": self = try Self.ofGroup(try reader.object("groupLinkPlan"))
    case "error": self = .failed(try reader.read("chatError"))
    case let tag: self = .other(tag: CoreText.bounded(tag))
    }
  }

  private static func ofGroup(_ reader: CoreReader) throws(CoreShapeError) -> Self {
    switch try reader.string("type") {
    case "ok": .ok(try reader.readIfPresent("groupSLinkData_"))
    case "ownLink": .own(try reader.read("groupInfo"))
    case "connectingConfirmReconnect": .joining(nil)
    case "connectingProhibit": .joining(try reader.readIfPresent("groupInfo_"))
    case "known": .known(try reader.read("groupInfo"))
    case "noRelays": .noRelays
    case "updateRequired": .tooOld
    case let tag: .other(tag: CoreText.bounded(tag))
    }
  }
}

/// The data of a channel's link (`GroupShortLinkData`), ready to be handed back.
public struct CoreLinkData: Hashable, Sendable {
  /// The profile that readers see before they join.
  public let profile: CoreGroupProfile
  let json: JSONValue
}

extension CoreLinkData: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    profile = try reader.read("groupProfile")
    json = .object(reader.members)
  }
}

/// A description without the picture, which a log does not need.
extension CoreLinkData: CustomStringConvertible, CustomReflectable {
  public var description: String { "link of \(profile)" }
  public var customMirror: Mirror { Mirror(self, children: ["profile": profile]) }
}
