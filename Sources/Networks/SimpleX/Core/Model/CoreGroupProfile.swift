internal import StrictJSON

/// The profile of a channel, which readers see (`GroupProfile`, docs/design/simplex.md#channels-in-a-core).
///
/// A profile from the core keeps every member, because an update must send the complete profile back.
public struct CoreGroupProfile: Hashable, Sendable {
  private(set) var members: [String: JSONValue]

  /// The profile of a new channel, with the preferences that the network's own programs choose: new readers see earlier messages, and no
  /// one can write to the channel's support.
  /// - Parameters:
  ///   - name: the name of the channel. The core refuses names that break its rule.
  ///   - summary: one or two lines of text, which clients show below the name, or empty.
  public init(name: String, summary: String = "") {
    members = [
      "displayName": .string(name), "fullName": "",
      "groupPreferences": ["history": ["enable": "on"], "support": ["enable": "off"]],
    ]
    self.summary = summary
  }

  /// The name of the channel.
  public var name: String {
    get { members["displayName"]?.string ?? "" }
    set { members["displayName"] = .string(newValue) }
  }

  /// The lines below the name (`shortDescr`), or empty.
  public var summary: String {
    get { members["shortDescr"]?.string ?? "" }
    set { members["shortDescr"] = newValue.isEmpty ? nil : .string(newValue) }
  }

  /// The longer name.
  public var fullName: String {
    get { members["fullName"]?.string ?? "" }
    set { members["fullName"] = .string(newValue) }
  }

  /// The welcome message for new readers (`description`), or empty.
  public var text: String {
    get { members["description"]?.string ?? "" }
    set { members["description"] = newValue.isEmpty ? nil : .string(newValue) }
  }

  /// The picture as a `data:` URL, or empty.
  public var image: String {
    get { members["image"]?.string ?? "" }
    set { members["image"] = newValue.isEmpty ? nil : .string(newValue) }
  }

  /// The channel's public id, made from its root key, or `nil` for a new channel and for groups that are not public.
  public var publicGroupID: String? { members["publicGroup"]?["publicGroupId"]?.string }

  /// The channel's short link according to the profile, or `nil` like `publicGroupID`.
  public var publicLink: String? { members["publicGroup"]?["groupLink"]?.string }

  /// `channel` or `group`. `nil` like `publicGroupID`.
  public var publicKind: String? { members["publicGroup"]?["groupType"]?.string }

  var json: JSONValue { .object(members) }
}

extension CoreGroupProfile: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    _ = try reader.string("displayName")
    _ = try reader.stringIfPresent("fullName")
    _ = try reader.stringIfPresent("description")
    _ = try reader.stringIfPresent("shortDescr")
    _ = try reader.stringIfPresent("image")
    if let group = try reader.objectIfPresent("publicGroup") {
      _ = try group.string("publicGroupId")
      _ = try group.stringIfPresent("groupLink")
    }
    members = reader.members
  }
}

/// A description without the picture, which a log does not need.
extension CoreGroupProfile: CustomStringConvertible, CustomReflectable {
  public var description: String { "profile of \(name.debugDescription)" }
  public var customMirror: Mirror { Mirror(self, children: ["name": name, "summary": summary]) }
}
