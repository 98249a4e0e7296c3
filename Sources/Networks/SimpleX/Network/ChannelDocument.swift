internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// What Baton keeps of a channel on SimpleX: the profile that the core gets, and when the channel was asked for.
struct ChannelDocument: Hashable {
  /// Upper bound of the line below the name, in characters.
  static let summaryCharactersMax = 160

  let profile: Profile
  /// Unix time in milliseconds. A channel that the core made before cannot be this one.
  let preparedAt: Int64

  init(_ profile: Profile, preparedAt: Int64) {
    self.profile = profile
    self.preparedAt = preparedAt
  }

  /// nil when `text` is no such document.
  init?(text: String) {
    guard let json = try? JSONParser.parse(text), let name = json["displayName"]?.string else { return nil }
    profile = Profile(
      displayName: name, fullName: json["fullName"]?.string, description: json["description"]?.string,
      image: json["image"]?.string)
    preparedAt = json["preparedAt"]?.integer ?? 0
  }

  var text: String {
    var json: [String: JSONValue] = ["displayName": .string(profile.displayName), "preparedAt": .integer(preparedAt)]
    json["fullName"] = profile.fullName.map(JSONValue.string)
    json["description"] = profile.description.map(JSONValue.string)
    json["image"] = profile.image.map(JSONValue.string)
    return JSONValue.object(json).text
  }

  /// The profile that the core has with this one in it: an update must send everything back.
  func put(into known: CoreGroupProfile) -> CoreGroupProfile {
    var profile = known
    profile.name = self.profile.displayName
    profile.fullName = self.profile.fullName ?? ""
    let text = self.profile.description ?? ""
    let isLine = text.count <= Self.summaryCharactersMax && !text.contains(where: \.isNewline)
    profile.summary = isLine ? text : ""
    profile.text = isLine ? "" : text
    profile.image = self.profile.image ?? ""
    return profile
  }

  /// By these the core finds it among many channels, the best first; none when its texts have no piece to search for. Names differ most.
  var searchTexts: [CoreSearchText?] {
    var texts: [CoreSearchText] = []
    for text in [profile.displayName, profile.description ?? "", profile.fullName ?? ""] {
      if let piece = CoreSearchText(in: text), !texts.contains(piece) { texts.append(piece) }
    }
    return texts
  }

  /// Whether readers see this.
  func isShown(by profile: CoreGroupProfile) -> Bool { put(into: profile) == profile }
}

extension ChannelContent {
  /// The newest edition.
  var latestDocument: ChannelDocument? { ChannelDocument(text: notice?.document ?? document) }

  /// The channel's number in the core; nil while it has none.
  var group: CoreGroup.ID? { Int64(networkID.prefix { $0 != "/" }).map(CoreGroup.ID.init(rawValue:)) }
}

extension CoreGroup {
  /// What Baton calls it: the number, by which the core finds it, and what it is, because a number is given out again after its channel
  /// is gone.
  var name: String { profile.publicGroupID.map { "\(id)/\($0)" } ?? "\(id)" }

  func isCalled(_ name: String) -> Bool { self.name == name }
}

extension Timestamp {
  /// A time as the core writes it; nil when it is none.
  init?(core text: String) {
    guard let milliseconds = RFC3339.milliseconds(text) else { return nil }
    self.init(milliseconds: milliseconds)
  }
}
