internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The data that Baton stores about a channel on SimpleX: the profile for the core, and when the channel was requested.
struct ChannelDocument: Hashable {
  /// The upper bound of the line below the name, in characters.
  static let summaryCharactersMax = 160

  let profile: Profile
  /// When the channel was requested, in Unix time in milliseconds. A channel that the core created earlier cannot be this one.
  let preparedAt: Int64

  init(_ profile: Profile, preparedAt: Int64) {
    self.profile = profile
    self.preparedAt = preparedAt
  }

  /// Reads a document. `nil` if `text` is not one.
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

  /// The core's profile with the values of this one: an update must send everything back.
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

  /// The texts by which the core finds the channel among many, the best first, or empty if no text can be searched for. Names differ most.
  var searchTexts: [CoreSearchText?] {
    var texts: [CoreSearchText] = []
    for text in [profile.displayName, profile.description ?? "", profile.fullName ?? ""] {
      if let piece = CoreSearchText(in: text), !texts.contains(piece) { texts.append(piece) }
    }
    return texts
  }

  /// Whether a core's profile shows this one to readers.
  func isShown(by profile: CoreGroupProfile) -> Bool { put(into: profile) == profile }
}

extension ChannelContent {
  /// The newest edition.
  var latestDocument: ChannelDocument? { ChannelDocument(text: newestEdition?.document ?? document) }

  /// The channel's number in the core, or `nil` before it gets one.
  var group: CoreGroup.ID? { Int64(networkID.prefix { $0 != "/" }).map(CoreGroup.ID.init(rawValue:)) }
}

extension CoreGroup {
  /// Baton's name for it: the number, by which the core finds it, and the public id, because a number is given out again after its
  /// channel is gone.
  var name: String { profile.publicGroupID.map { "\(id)/\($0)" } ?? "\(id)" }

  func isCalled(_ name: String) -> Bool { self.name == name }
}

extension Timestamp {
  /// Reads a time as the core writes it. `nil` if the text is not one.
  init?(core text: String) {
    guard let milliseconds = RFC3339.milliseconds(text) else { return nil }
    self.init(milliseconds: milliseconds)
  }
}
